"""Windows of lines where boundaries are many: the native kernel counts eight at a time, and numpy every stretch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry._base.exact import IntArray
from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.window_counts import LineWindows, sum_line_windows, sum_windows

BLOCK = 255 * 8
"""The windows that the native kernel counts at a time."""
LARGEST = 127
"""The largest window whose boundaries it counts in a byte."""


def _boundaries(n: int, share: float, seed: int) -> IntArray:
    return np.flatnonzero(np.random.default_rng(seed).random(n) < share).astype(np.int64, copy=False)


@given(
    shares=st.tuples(*2 * [st.sampled_from([0, 0.2, 0.5, 0.9, 1])]),
    seed=st.integers(0, 99),
    k=st.integers(0, LARGEST) | st.sampled_from([0, 1, 7, 8, 9, LARGEST, LARGEST + 1, 300]),
    start=st.integers(-200, 200),
    n_windows=st.integers(0, 5000) | st.sampled_from([BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + 8, 2 * BLOCK]),
    far=st.sampled_from([0, 2**58, -(2**58)]),
)
def test_sums_are_those_of_the_numpy_twin(
    shares: tuple[float, float], seed: int, k: int, start: int, n_windows: int, far: int
) -> None:
    true, pred = (_boundaries(4000, share, seed + side) + far for side, share in enumerate(shares))
    window = start + far, start + far + n_windows, k
    assert sum_windows(true, pred, *window) == numpy_twin(sum_windows)(true, pred, *window)


@pytest.mark.parametrize("k", [1, 2, LARGEST - 1, LARGEST, LARGEST + 1])
def test_windows_full_of_boundaries_on_one_side_differ_by_their_size(k: int) -> None:
    every, none = np.arange(1, 3 * BLOCK), np.zeros(0, np.int64)
    n = 3 * BLOCK - k
    assert sum_windows(every, none, 0, n, k) == (n, n, n * k, 0, n, 0, n)
    assert sum_windows(none, every, 0, n, k) == (n, n, n * k, 0, 0, n, 0)
    assert sum_windows(every, every, 0, n, k) == (0, 0, 0, n * k, 0, 0, n)


def test_lines_with_many_and_with_few_boundaries_stand_beside_each_other() -> None:
    sides = [
        [_boundaries(5000, share, seed) for share in shares] for seed, shares in enumerate([(0.5, 0, 1, 0.01)] * 2)
    ]
    sizes, starts, stops = np.array([10, 3, 127, 300]), np.array([0, -2, 5, 0]), np.array([4990, 4999, 2045, 4700])
    columns = [part for side in sides for part in (np.concatenate(side), np.cumsum([0, *(one.size for one in side)]))]
    lines = list(zip(*sides, starts.tolist(), stops.tolist(), sizes.tolist(), strict=True))
    expected = [list(numpy_twin(sum_windows)(*line)) for line in lines]
    assert sum_line_windows(LineWindows(*columns, starts, stops, sizes)).tolist() == expected


def test_the_example_of_sum_line_windows() -> None:
    one = [np.array(column) for column in ([5, 8], [0, 2], [4, 8], [0, 2], [0], [11], [2])]
    assert sum_line_windows(LineWindows(*one)).tolist() == [[2, 2, 2, 3, 1, 1, 4]]
