"""Distances are kept by how often they occur: the same numbers in less memory."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.geometry.matched_shapes import matched_shapes
from segmetry.geometry.surface_statistics import TalliedDistances, average_of, hausdorff_of, percentile_of
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
