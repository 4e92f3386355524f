"""The distance to the nearest marked place, to the bit: native code, its twin and all pairs of places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.distances import (
    _nearest_distances_native,
    nearest_distances,
    surface,
    surface_distances,
)
from tests.profiles import examples

Array = NDArray[Any]

shapes = st.integers(1, 4).flatmap(
    lambda ndim: hnp.array_shapes(min_dims=ndim, max_dims=ndim, max_side={1: 40, 2: 20, 3: 8, 4: 4}[ndim])
)
STEPS = st.sampled_from([0.1, 0.3, 0.5, 0.7, 1.0, 1.25, 3.0]) | st.floats(0.01, 10)
DENSITIES = st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0])


def by_definition(places: Array, others: Array, lengths: Array) -> Array:
    squared = np.zeros((np.count_nonzero(places), np.count_nonzero(others)))
    for mine, theirs, length in zip(places.nonzero(), others.nonzero(), lengths, strict=True):
        squared += ((mine[:, None] - theirs[None]) * length) ** 2
    distances: Array = np.sqrt(squared.min(axis=1, initial=np.inf))
    return distances


def check(places: Array, others: Array, lengths: Array) -> None:
    expected = by_definition(places, others, lengths)
    np.testing.assert_array_equal(nearest_distances(places, others, lengths), expected)
    np.testing.assert_array_equal(numpy_twin(nearest_distances)(places, others, lengths), expected)
    if native is not None and places.ndim <= 3:
        without_vectors = _nearest_distances_native(native, places, others, lengths, widest_vectors=0)
        np.testing.assert_array_equal(without_vectors, expected)


@examples(10)
@given(shape=shapes, seed=st.integers(0, 2**32 - 1), densities=st.tuples(DENSITIES, DENSITIES), data=st.data())
def test_native_code_and_twin_are_all_pairs_to_the_bit(
    shape: tuple[int, ...], seed: int, densities: tuple[float, float], data: st.DataObject
) -> None:
    one_step = data.draw(st.none() | STEPS)
    lengths = np.array([one_step or data.draw(STEPS) for _ in shape])
    numbers = np.random.default_rng(seed)
    check(numbers.random(shape) < densities[0], numbers.random(shape) < densities[1], lengths)


@pytest.mark.parametrize("steps", [1.0, 0.7, 0.1])
def test_ties_that_round_differently_give_the_smallest_sum(steps: float) -> None:
    # (1, 2, 3) steps in any order are equally far; their rounded sums are not equal.
    others = np.zeros((15, 15, 15), bool)
    for order in [(1, 2, 3), (3, 2, 1), (2, 1, 3), (-3, -1, 2), (1, -3, -2)]:
        others[tuple(7 + step for step in order)] = True
    places = np.zeros_like(others)
    places[7, 7, 7] = True
    check(places, others, np.full(3, steps))


@pytest.mark.parametrize("shape", [(30, 31, 33), (300, 300, 2), (1, 90, 90), (90, 1, 90), (300, 17), (7, 250)])
@pytest.mark.parametrize("lengths", [(1.0, 1.0, 1.0), (0.7, 0.7, 2.5), (3.0, 0.3, 0.1)])
def test_places_far_from_few_others(shape: tuple[int, ...], lengths: tuple[float, ...]) -> None:
    numbers = np.random.default_rng(len(shape))
    places, others = np.zeros(shape, bool), np.zeros(shape, bool)
    places.ravel()[numbers.integers(0, places.size, 3000)] = True
    others.ravel()[numbers.integers(0, others.size // 20 + 1, 5)] = True
    check(places, others, np.array(lengths[: len(shape)]))


@pytest.mark.parametrize("shape", [(30, 31, 70), (300, 90), (3, 5, 900), (90, 1, 90), (6000,)])
@pytest.mark.parametrize("lengths", [(1.0, 1.0, 1.0), (0.7, 0.3, 2.5)])
def test_few_places_far_from_others_are_searched_in_blocks(shape: tuple[int, ...], lengths: tuple[float, ...]) -> None:
    numbers = np.random.default_rng(len(shape))
    places, others = np.zeros(shape, bool), np.zeros(shape, bool)
    places.ravel()[numbers.integers(0, places.size, places.size // 128)] = True
    others.ravel()[numbers.integers(others.size // 2, others.size, 20)] = True
    check(places, others, np.array(lengths[: len(shape)]))


@pytest.mark.parametrize("shape", [(1, 1, 130), (3, 3, 130), (130, 3, 40), (3, 130, 40)])
def test_others_around_the_ends_of_what_is_searched_first(shape: tuple[int, ...]) -> None:
    """One other place at any distance along the longest axis, on both sides, and beside it."""
    axis = int(np.argmax(shape))
    for steps in range(shape[axis] // 2):
        for sign in (-1, 1):
            at = [length // 2 for length in shape]
            places, others = np.zeros(shape, bool), np.zeros(shape, bool)
            places[tuple(at)] = True
            at[axis] += sign * steps
            others[tuple(at)] = True
            check(places, others, np.ones(3))


def test_no_place_no_other_place_and_one_element() -> None:
    none, one, lengths = np.zeros((1, 1), bool), np.ones((1, 1), bool), np.ones(2)
    assert nearest_distances(one, none, lengths).tolist() == [np.inf]
    assert nearest_distances(one, one, lengths).tolist() == [0.0]
    assert nearest_distances(none, one, lengths).tolist() == []
    assert nearest_distances(np.zeros((0, 3), bool), np.zeros((0, 3), bool), lengths).tolist() == []


@pytest.mark.parametrize("order", ["C", "F"])
def test_any_layout(order: Any) -> None:
    numbers = np.random.default_rng(3)
    places, others = (np.array(numbers.random((9, 8, 7)) < 0.1, order=order) for _ in range(2))
    check(places[::-1, ::2], others[::-1, ::2], np.array([1.0, 0.5, 0.3]))


@pytest.mark.parametrize("lengths", [(1.0, 1.0, 1.0), (0.7, 0.3, 2.5)])
def test_many_places_far_from_many_others_are_measured_in_planes(lengths: tuple[float, ...]) -> None:
    numbers = np.random.default_rng(5)
    places, others = np.ones((40, 40, 40), bool), numbers.random((40, 40, 40)) < 0.004
    others[12:] = False
    check(places, others, np.array(lengths))


@pytest.mark.parametrize("spacing", [None, (0.7, 0.3, 2.5)])
@pytest.mark.parametrize("shape", [(200,), (40, 90), (40, 1), (1, 70), (6, 9, 70), (9, 1, 80), (5, 6, 4)])
def test_distances_between_surfaces_are_those_between_their_elements(
    shape: tuple[int, ...], spacing: tuple[float, ...] | None
) -> None:
    numbers = np.random.default_rng(7)
    steps = None if spacing is None else spacing[: len(shape)]
    lengths = np.ones(len(shape)) if steps is None else np.array(steps)
    for coarse in (3, 11):
        grid = np.ceil(np.array(shape) / coarse).astype(int)
        sides = [np.kron(numbers.random(grid) < 0.4, np.ones((coarse,) * len(shape), bool)) for _ in range(2)]
        true, pred = (side[tuple(map(slice, shape))].copy() for side in sides)
        true.flat[0] = pred.flat[-1] = True
        expected = [surface(true), surface(pred)]
        distances = surface_distances(true, pred, steps)
        np.testing.assert_array_equal(distances.true_to_pred, by_definition(*expected, lengths))
        np.testing.assert_array_equal(distances.pred_to_true, by_definition(*expected[::-1], lengths))
