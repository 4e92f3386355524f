"""The window machinery, native and numpy, against listed windows; and window sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry._base.exact import IntArray
from segmetry.errors import OptionError
from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.window_counts import (
    LineWindows,
    sum_line_windows,
    sum_windows,
)
from segmetry.metrics.windows.sliding_windows import slide_windows, window_size
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.oracle import window_counts


@given(pair=span_pairs(), k=st.integers(1, 25), padded=st.booleans())
def test_sums_over_windows_equal_sums_over_listed_windows(pair: tuple[Spans, Spans], k: int, padded: bool) -> None:
    listed = window_counts(*pair, k, padded=padded)
    expected = (
        sum((r == 0) != (c == 0) for r, c in listed),
        sum(r != c for r, c in listed),
        sum(abs(r - c) for r, c in listed),
        sum(min(r, c) for r, c in listed),
        sum(c < r for r, c in listed),
        sum(c > r for r, c in listed),
        sum(r > 0 for r, _ in listed),
    )
    result = slide_windows(*pair, k, padded=padded)
    assert len(result) == len(listed)
    assert tuple(result.sums) == expected
    assert numpy_twin(sum_windows)(result.true, result.pred, result.start, result.stop, result.k) == expected


@given(st.lists(st.tuples(span_pairs(), st.integers(0, 9), st.booleans()), max_size=5))
def test_sums_of_many_lines_are_those_of_each_line(lines: list[tuple[tuple[Spans, Spans], int, bool]]) -> None:
    each = [slide_windows(*pair, k or None, padded=padded) for pair, k, padded in lines]

    def column(values: list[int]) -> IntArray:
        return np.array(values, dtype=np.int64)

    def side(boundaries: list[IntArray]) -> tuple[IntArray, IntArray]:
        return np.concatenate([column([]), *boundaries]), np.cumsum([0, *(part.size for part in boundaries)])

    together = LineWindows(
        *side([one.true for one in each]),
        *side([one.pred for one in each]),
        column([one.start for one in each]),
        column([one.stop for one in each]),
        column([one.k for one in each]),
    )
    expected = [list(one.sums) for one in each]
    assert sum_line_windows(together).tolist() == expected
    assert numpy_twin(sum_line_windows)(together).tolist() == expected


@given(pair=span_pairs(), k=st.integers(1, 25), padded=st.booleans())
def test_stretches_are_the_windows_in_order(pair: tuple[Spans, Spans], k: int, padded: bool) -> None:
    result = slide_windows(*pair, k, padded=padded)
    firsts, lengths, in_true, in_pred = result.runs()
    counts = np.stack((in_true, in_pred), axis=1)
    assert [tuple(row) for row in np.repeat(counts, lengths, axis=0).tolist()] == window_counts(*pair, k, padded=padded)
    assert firsts.tolist() == (result.start + np.cumsum(lengths) - lengths).tolist()


def test_the_cost_does_not_depend_on_the_length_where_boundaries_are_few() -> None:
    n = 10**15
    true, pred = Spans.from_boundaries([10**14], n), Spans.from_boundaries([10**14 + 7, 9 * 10**14], n)
    result = slide_windows(true, pred, 100, padded=True)
    assert result.sums.unequal == 7 + 7 + 100
    assert len(result) == n + 100 - 2


def test_sums_beyond_64_bits_are_exact() -> None:
    n = 2**61
    pred = Spans.from_boundaries(range(1, 17), n)
    assert slide_windows(Spans.from_masses([n]), pred, n - 1, padded=True).sums.difference == 16 * (n - 1)


@pytest.mark.parametrize(
    ("masses", "ours", "segeval", "nltk"),
    [
        ([5, 3, 5], 2, 2, 3),
        ([2, 3, 3, 1, 3, 6, 3], 2, 2, 2),
        ([6, 6], 3, 3, 6),
        ([10], 5, 5, 4),
        ([1] * 10, 1, 2, 0),
        ([1, 1], 1, 2, 0),
        ([2], 1, 2, 0),
        ([1], 1, 2, 0),
        ([5], 2, 2, 2),
        ([7], 4, 4, 3),
    ],
)
def test_default_window_sizes_are_those_of_the_spec_and_of_the_packages(
    masses: list[int], ours: int, segeval: int, nltk: int
) -> None:
    true = Spans.from_masses(masses)
    assert (window_size(true), window_size(true, "segeval"), window_size(true, "nltk")) == (ours, segeval, nltk)


def test_the_default_rounds_half_to_even() -> None:
    assert [window_size(Spans.from_masses([n])) for n in (3, 5, 7, 9)] == [2, 2, 4, 4]


def test_a_window_size_counts_segments_of_the_filled_line() -> None:
    partial = Spans.from_spans([(2, 5), (7, 9)], n=10)
    assert window_size(partial) == window_size(Spans.from_masses([2, 3, 2, 2, 1])) == 1


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "half", "Segeval", [2]])
def test_a_bad_window_size_is_rejected(k: Any) -> None:
    with pytest.raises(OptionError, match=r"k is .*; expected"):
        slide_windows(Spans.from_masses([2, 2]), Spans.from_masses([4]), k)


def test_a_numpy_integer_is_a_window_size() -> None:
    assert window_size(Spans.from_masses([9]), np.int64(3)) == 3  # type: ignore[arg-type]
