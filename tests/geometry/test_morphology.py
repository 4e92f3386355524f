"""Skeleton and median-set distances by their definitions, over sets of elements."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import segmetry as sm
from segmetry.geometry.segment_shapes import median_set_distance, skeleton, skeleton_distance

MASKS = st.lists(st.booleans(), min_size=30, max_size=30).map(lambda bits: np.array(bits).reshape(5, 6))


def by_definition(true: np.ndarray, pred: np.ndarray, spacing: tuple[float, float]) -> float:
    """The least λ for which the intersection dilated by λ covers the union eroded by λ."""
    either = {tuple(at) for at in np.argwhere(true | pred).tolist()}
    both = {tuple(at) for at in np.argwhere(true & pred).tolist()}
    frame = {(row, column) for row in range(-1, 6) for column in range(-1, 7)} - either

    def far(one: tuple[int, int], other: tuple[int, int]) -> float:
        return math.hypot((one[0] - other[0]) * spacing[0], (one[1] - other[1]) * spacing[1])

    def covers(size: float) -> bool:
        eroded = {x for x in either if min(far(x, y) for y in frame) > size}
        return all(min(far(x, y) for y in both) <= size for x in eroded)

    sizes = sorted({0.0, *(far(x, y) for x in either for y in both | frame)})
    return next(size for size in sizes if covers(size))


@given(MASKS, MASKS, st.sampled_from([(1.0, 1.0), (0.5, 2.0)]))
def test_the_median_set_distance_is_its_definition(
    true: np.ndarray, pred: np.ndarray, spacing: tuple[float, float]
) -> None:
    assume((true & pred).any())
    found = median_set_distance(true, pred, spacing)
    assert found == pytest.approx(by_definition(true, pred, spacing))
    assert found == median_set_distance(pred, true, spacing)
    assert (found == 0) == bool((true == pred).all())


def test_the_skeleton_distance_is_the_mean_over_both_skeletons() -> None:
    """Two bars of height 3, shifted by one row of height 2: so are their skeletons, but for their ends."""
    true, pred = np.zeros((5, 20), bool), np.zeros((5, 20), bool)
    true[:3], pred[1:4] = True, True
    lines = [np.argwhere(skeleton(np.pad(mask, 1))) * (2.0, 1.0) for mask in (true, pred)]
    apart = np.linalg.norm(lines[0][:, None] - lines[1][None], axis=2)
    expected = np.concatenate((apart.min(axis=0), apart.min(axis=1))).mean()
    assert skeleton_distance(true, pred, (2.0, 1.0)) == pytest.approx(expected) == pytest.approx(2, abs=0.1)
    assert skeleton_distance(true, true, (1.0, 1.0)) == 0


def test_a_shape_without_a_skeleton_is_its_own() -> None:
    block = np.ones((2, 2, 2), bool)
    assert not skeleton(np.pad(block, 1)).any()
    assert skeleton_distance(block, block, (1.0, 1.0, 1.0)) == 0


def test_text_has_no_skeleton() -> None:
    with pytest.raises(sm.SegmetryError, match="images and volumes"):
        sm.matched_shapes(sm.LabelArray([1, 1, 0]), sm.LabelArray([1, 1, 0])).skeleton_distance()
