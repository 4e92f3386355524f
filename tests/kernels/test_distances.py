"""Surface distances against all pairs of surface elements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from segmetry.kernels import backend, distances
from segmetry.kernels.distances import distances_between, surface, surface_distances
from segmetry.kernels.segment_measures import segment_geometry

Array = NDArray[Any]

shapes = st.integers(1, 3).flatmap(
    lambda ndim: hnp.array_shapes(min_dims=ndim, max_dims=ndim, max_side={1: 20, 2: 9, 3: 5}[ndim])
)
pairs_of_masks = shapes.flatmap(lambda shape: st.tuples(hnp.arrays(bool, shape), hnp.arrays(bool, shape)))


def surface_by_definition(mask: Array) -> list[tuple[int, ...]]:
    elements = {position for position in np.ndindex(mask.shape) if mask[position]}
    steps = [tuple(sign * (axis == k) for k in range(mask.ndim)) for axis in range(mask.ndim) for sign in (-1, 1)]
    return [p for p in sorted(elements) if any(tuple(np.add(p, step).tolist()) not in elements for step in steps)]


def distances_by_definition(
    first: list[tuple[int, ...]], second: list[tuple[int, ...]], spacing: Sequence[float]
) -> list[float]:
    return [
        min(math.sqrt(sum((s * (a - b)) ** 2 for s, a, b in zip(spacing, p, q, strict=True))) for q in second)
        for p in first
    ]


@given(masks=pairs_of_masks)
def test_surface_is_the_definition(masks: tuple[Array, Array]) -> None:
    for mask in masks:
        assert [tuple(p) for p in np.argwhere(surface(mask)).tolist()] == surface_by_definition(mask)


@pytest.fixture(params=["in use", "twin"])
def method(request: pytest.FixtureRequest) -> Iterator[None]:
    """The kernels in use, and the twin of the native one."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "twin":
            patch.setattr(distances, "native", None)
            patch.setattr(backend, "native", None)
        yield


@pytest.mark.usefixtures("method")
@given(masks=pairs_of_masks)
def test_unit_distances_are_the_definition_to_the_bit(masks: tuple[Array, Array]) -> None:
    true, pred = masks
    assume(true.any() and pred.any())
    of_true, of_pred = surface_by_definition(true), surface_by_definition(pred)
    found = surface_distances(true, pred)
    assert found.true_to_pred.tolist() == distances_by_definition(of_true, of_pred, (1,) * true.ndim)
    assert found.pred_to_true.tolist() == distances_by_definition(of_pred, of_true, (1,) * true.ndim)


@pytest.mark.usefixtures("method")
@given(masks=pairs_of_masks, data=st.data())
def test_spaced_distances_are_the_definition(masks: tuple[Array, Array], data: st.DataObject) -> None:
    true, pred = masks
    assume(true.any() and pred.any())
    spacing = [data.draw(st.floats(0.01, 10)) for _ in true.shape]
    of_true, of_pred = surface_by_definition(true), surface_by_definition(pred)
    found = surface_distances(true, pred, spacing)
    assert found.true_to_pred == pytest.approx(distances_by_definition(of_true, of_pred, spacing), rel=1e-12)
    assert found.pred_to_true == pytest.approx(distances_by_definition(of_pred, of_true, spacing), rel=1e-12)


def test_the_surface_has_as_many_elements_as_the_inner_boundary_of_the_geometry_kernel() -> None:
    mask = np.random.default_rng(0).random((30, 40)) < 0.7
    assert surface(mask).sum() == segment_geometry(mask).inner_pixels[1]


def test_a_crop_to_the_box_of_both_gives_the_distances_of_the_full_image() -> None:
    full = np.zeros((2, 40, 50), bool)
    full[0, 10:20, 12:30] = True
    full[1, 15:22, 8:25] = True
    crops = full[:, 10:22, 8:30]
    for ours, whole in zip(surface_distances(*crops), surface_distances(*full), strict=True):
        np.testing.assert_array_equal(ours, whole)


@pytest.mark.usefixtures("method")
def test_large_surfaces_against_all_pairs() -> None:
    rng = np.random.default_rng(1)
    masks = rng.random((2, 60, 60)) < [[[0.02]], [[0.9]]]
    points = [np.argwhere(surface(mask)) for mask in masks]
    all_pairs = np.sqrt(((points[0][:, None] - points[1][None]) ** 2).sum(axis=2))
    found = surface_distances(*masks)
    np.testing.assert_array_equal(found.true_to_pred, all_pairs.min(axis=1))
    np.testing.assert_array_equal(found.pred_to_true, all_pairs.min(axis=0))


@pytest.mark.usefixtures("method")
def test_distances_come_from_differences_of_indices() -> None:
    # IndexArray 0.1 · 3 and 0.1 · 1 differ by 0.20000000000000004 in floating point; two steps of 0.1 are 0.2.
    true, pred = np.zeros((2, 8), bool)
    true[3] = pred[1] = True
    assert surface_distances(true, pred, spacing=[0.1]).true_to_pred.tolist() == [2 * 0.1]


def test_order_is_that_of_nonzero() -> None:
    true, pred = np.zeros((2, 1, 9), bool)
    true[0, [0, 4, 8]] = True
    pred[0, 8] = True
    assert surface_distances(true, pred).true_to_pred.tolist() == [8.0, 4.0, 0.0]


@pytest.mark.parametrize("side", ["true", "pred"])
def test_an_empty_mask_has_no_distance(side: str) -> None:
    masks = {"true": np.ones((2, 2), bool), "pred": np.ones((2, 2), bool), side: np.zeros((2, 2), bool)}
    with pytest.raises(ValueError, match=f"{side} has no element"):
        surface_distances(masks["true"], masks["pred"])


def test_wrong_masks_and_spacings_are_rejected() -> None:
    ones = np.ones((2, 2), bool)
    with pytest.raises(ValueError, match="two crops of one box"):
        surface_distances(ones, np.ones((2, 3), bool))
    with pytest.raises(TypeError, match="mask is int64, expected booleans"):
        surface_distances(ones, np.ones((2, 2), int))
    with pytest.raises(ValueError, match="single value"):
        surface(np.True_)
    for spacing in [(1,), (1, -1), (1, np.nan), (1, np.inf)]:
        with pytest.raises(ValueError, match="expected 2 positive numbers"):
            surface_distances(ones, ones, spacing)


def test_the_example_of_distances_between() -> None:
    one, other = np.array([True, False, True]), np.array([False, False, True])
    assert distances_between(one, other, np.ones(1)).true_to_pred.tolist() == [2.0, 0.0]
