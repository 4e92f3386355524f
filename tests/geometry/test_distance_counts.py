"""Distances are kept by how often they occur: the same numbers in less memory."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.geometry.matched_shapes import matched_shapes
from segmetry.geometry.surface_statistics import (
    TalliedDistances,
    as_tolerance,
    average_of,
    common_unit,
    hausdorff_of,
    percentile_of,
    percentile_of_area,
    squares_within,
    weighted_distances,
    within,
)
from segmetry.kernels.distances import SurfaceDistances

SIDES = st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.0**0.5, 3.0]), min_size=1, max_size=30).map(np.array)


@given(SIDES, SIDES)
def test_no_measure_depends_on_the_order(first: np.ndarray, second: np.ndarray) -> None:
    given_ = SurfaceDistances(first, second)
    spread = TalliedDistances.of(given_).spread()
    assert [one.tolist() for one in spread] == [sorted(one.tolist()) for one in given_]
    assert hausdorff_of(spread) == hausdorff_of(given_)
    for how in ("directed", "pooled"):
        assert percentile_of(spread, 95, how) == percentile_of(given_, 95, how)
        assert average_of(spread, how) == average_of(given_, how)


@pytest.mark.parametrize("points", ["surface", "all"])
def test_pairs_that_were_measured_take_little_memory(points: str) -> None:
    labels = np.kron(np.arange(1, 17).reshape(4, 4), np.ones((40, 40), dtype=np.int64))
    shapes = matched_shapes(labels, np.roll(labels, 3, axis=0))
    shapes.hausdorff(points)
    n_distances = sum(one.size for found in shapes.distances(points) for one in found)
    assert n_distances > 16 * 2 * 100
    assert len(pickle.dumps(shapes._distances)) < n_distances * 8 / 2


def test_the_example_of_hausdorff_of() -> None:
    assert hausdorff_of(SurfaceDistances(np.array([0.0, 3.0]), np.array([1.0]))) == 3.0


def test_the_example_of_percentile_of() -> None:
    distances = SurfaceDistances(np.array([0.0, 4.0]), np.array([0.0, 0.0]))
    assert (percentile_of(distances, 50, "directed"), percentile_of(distances, 50, "pooled")) == (2.0, 0.0)


def test_the_example_of_average_of() -> None:
    distances = SurfaceDistances(np.array([0.0, 0.0, 3.0]), np.array([1.0]))
    assert (average_of(distances, "pooled"), average_of(distances, "directed")) == (1.0, 1.0)


def test_the_example_of_as_tolerance() -> None:
    assert as_tolerance(0.3) == Fraction(3, 10)


def test_the_example_of_common_unit() -> None:
    assert common_unit((0.5, 0.25, 3.0)) == 4


def test_the_example_of_within() -> None:
    assert within(np.array([0.30000000000000004, 0.4]), Fraction(3, 10), (0.1, 0.1)).tolist() == [True, False]


def test_the_example_of_squares_within() -> None:
    assert squares_within(np.array([1.0, 3.0]), Fraction(9), (1.0, 1.0), strict=True).tolist() == [True, False]


def test_the_example_of_percentile_of_area() -> None:
    assert (
        percentile_of_area(weighted_distances(np.array([[True, True]]), np.array([[True, False]]), (1.0, 1.0)), 95)
        == 1.0
    )


def test_the_example_of_weighted_distances() -> None:
    found = weighted_distances(np.array([True, True, False]), np.array([True, True, True]), (0.5,))
    assert (found.distances.true_to_pred.tolist(), found.true_areas.tolist()) == ([0.0, 0.5], [1.0, 1.0])
