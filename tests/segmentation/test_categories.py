"""Category and instance maps become label arrays; unknown categories are an error, void or outside, as said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError, LabelTypeError, OptionError, ShapeMismatchError

CELLS = st.lists(
    st.tuples(st.sampled_from([-1, 0, 3, 7, 255]), st.sampled_from([0, 1, 2**40, -5])), min_size=1, max_size=12
)


@given(CELLS, st.sampled_from(["void", "outside"]))
def test_segments_are_the_things_instances_and_the_stuff_categories(cells: list[tuple[int, int]], unknown: str) -> None:
    things, stuff = {3, 7}, {0}
    category, instance = (np.array(column) for column in zip(*cells, strict=True))
    found = sm.LabelArray.from_categories(category, instance, things=things, stuff=stuff, unknown=unknown)
    expected: dict[Any, set[int]] = {}
    for at, (c, i) in enumerate(cells):
        key = None if c not in things | stuff else (c, i if c in things else 0)
        expected.setdefault(key, set()).add(at)
    nothing = expected.pop(None, set())
    assert set(np.flatnonzero(found.labels == 0).tolist()) == nothing
    assert (found.void, found.outside) == (((0,), ()) if unknown == "void" else ((), (0,)))
    got = {label: set(np.flatnonzero(found.labels == label).tolist()) for label in np.unique(found.labels) if label}
    assert sorted(map(sorted, got.values())) == sorted(map(sorted, expected.values()))
    homes = {min(elements): key for key, elements in expected.items()}
    assert found.classes == {label: homes[min(elements)][0] for label, elements in got.items()}
    ordered = [homes[min(got[label])] for label in sorted(got)]
    assert ordered == sorted(ordered)


def test_without_instances_every_category_is_one_segment() -> None:
    found = sm.LabelArray.from_categories([[3, 3], [7, 0]], things={3, 7}, stuff={0})
    assert found.classes == {1: 0, 2: 3, 3: 7}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"category": [[9, 3]]}, ClassesError, r"category 9 is neither a thing \(3\) nor stuff \(0\)"),
        ({"things": {0, 3}}, OptionError, "category 0 is named both"),
        ({"things": (), "stuff": ()}, OptionError, "both empty"),
        ({"unknown": "crowd"}, OptionError, "unknown is 'crowd'"),
        ({"instance": [[1]]}, ShapeMismatchError, r"instance \(1, 1\)"),
        ({"instance": [[1.0, 2.0]]}, LabelTypeError, "instance has dtype float64"),
        ({"category": [[0.5, 3]]}, LabelTypeError, "category has dtype float64"),
    ],
)
def test_bad_maps_are_named(change: dict[str, Any], error: type[Exception], message: str) -> None:
    given_ = {"category": [[3, 0]], "instance": [[1, 1]], "things": {3}, "stuff": {0}, **change}
    with pytest.raises(error, match=message):
        sm.LabelArray.from_categories(given_.pop("category"), given_.pop("instance"), **given_)
