"""Levels of a hierarchy: curves of each, the best one, and the area under the best at every weight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import segmetry as sm
from segmetry.errors import InputError
from segmetry.testing.strategies import label_pairs

TRUE = np.array([[1, 1, 2, 2, 3, 3, 3, 3]])
FINE = np.array([[1, 1, 2, 3, 4, 4, 4, 5]])
COARSE = np.array([[1, 1, 1, 1, 4, 4, 4, 4]])


@given(label_pairs(), label_pairs())
def test_the_area_is_that_of_the_highest_curve(
    pair: tuple[sm.LabelArray, sm.LabelArray], other: tuple[sm.LabelArray, sm.LabelArray]
) -> None:
    true, first = pair
    second = sm.LabelArray(np.resize(other[1].labels, first.labels.shape))
    found = sm.hierarchy(true, {"a": first, "b": second})
    area = found.exact_area()
    sampled = [max(float(one.at(t / 400) or 0) for one in found.levels.values()) for t in range(1, 401)]
    if area is None:
        assert not any(sampled)
        return
    assert float(area) == pytest.approx(float(np.mean(sampled)), abs=1 / 40)
    areas = {name: one.exact_area() or 0 for name, one in found.levels.items()}
    assert max(areas.values()) <= area <= sum(areas.values())
    assert areas[found.best] == max(areas.values())


def test_levels_that_win_at_different_weights() -> None:
    found = sm.hierarchy(TRUE, {"fine": FINE, "coarse": COARSE}, rule="theta_and")
    rows = {row["level"]: row for row in found.rows()}
    assert rows["fine"]["pairs"] == 2 and rows["coarse"]["pairs"] == 1
    assert found.best == "fine" and found.nested
    assert float(found.exact_area()) == pytest.approx(0.75 * 0.5 + 0.25 * 0.4)  # fine up to 3/4, then coarse
    assert "Best level: fine." in str(found)


def test_nested_is_decided_by_the_segments() -> None:
    assert not sm.hierarchy(TRUE, [COARSE, FINE]).nested
    assert sm.hierarchy(TRUE, [FINE]).nested
    with pytest.raises(InputError, match="no level"):
        sm.hierarchy(TRUE, [])
