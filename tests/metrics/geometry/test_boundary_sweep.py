"""True positives against the width of the contour."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError

ONE, OTHER = [[1, 1, 1, 1, 1, 0]] * 5, [[0, 1, 1, 1, 1, 1]] * 5


def test_it_counts_what_boundary_pq_matches() -> None:
    for row in sm.boundary_sweep(ONE, OTHER, widths=[1, 2, 3]):
        assert row["n_matched"] == (sm.boundary_pq(ONE, OTHER, d=row["d"]).value > 0)
        assert row["f1"] == row["n_matched"] and row["n_matched_whole"] == 1


def test_items_are_counted_together() -> None:
    items = {"a": ONE, "b": ONE}, {"a": OTHER, "b": ONE}
    rows = list(sm.boundary_sweep(*items, widths=[1, 3]))
    assert [(row["n_matched"], row["n_true"], row["n_pred"]) for row in rows] == [(1, 2, 2), (2, 2, 2)]
    with pytest.raises(InputError, match="expected the same names"):
        sm.boundary_sweep(items[0], {"a": ONE})


def test_widths_go_up_to_a_share_of_the_diagonal() -> None:
    image = np.zeros((300, 400), np.uint8)
    image[50:250, 50:350] = 1
    widths = [row["d"] for row in sm.boundary_sweep(image, image)]
    assert (widths[0], widths[-1], len(widths)) == (1, 20, 20)


def test_the_plot_has_a_dot_for_every_width() -> None:
    svg = sm.sweep_plot(sm.boundary_sweep(ONE, OTHER, widths=[1, 2, 3])).svg
    assert svg.count("<circle") == 3 and "d = 2: 1" in svg
    with pytest.raises(InputError, match="from boundary_sweep"):
        sm.sweep_plot(sm.boundary_sweep(ONE, OTHER, widths=[]))
