"""WindowDiff against listed windows; only its padded form tells all segmentations apart."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.metrics.windows.sliding_windows import slide_windows
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.oracle import window_counts


@given(pair=span_pairs(), k=st.integers(1, 25), padded=st.booleans())
def test_window_diff_counts_windows_with_different_numbers(pair: tuple[Spans, Spans], k: int, padded: bool) -> None:
    expected = window_counts(*pair, k, padded=padded)
    result = sm.window_diff(*pair, k=k, padded=padded)
    assert (result.numerator, result.denominator) == (sum(r != c for r, c in expected), len(expected))
    weighted = sm.window_diff(*pair, k=k, padded=padded, weighted=True)
    assert (weighted.numerator, weighted.denominator) == (sum(abs(r - c) for r, c in expected), len(expected))


@pytest.mark.slow
def test_only_padded_window_diff_is_zero_exactly_when_the_segmentations_are_equal() -> None:
    """Both orders of a pair count; that they give the same is checked for the shorter ones."""
    zeros: Counter[str] = Counter()
    for n in range(2, 8):
        for true, pred in combinations([Spans.from_boundaries(cuts, n) for cuts in subsets(range(1, n))], 2):
            for k in range(1, n):
                zeros["compared"] += 2
                for name, padded in (("", False), ("padded ", True)):
                    both = slide_windows(true, pred, k, padded=padded).sums
                    assert n > 5 or slide_windows(pred, true, k, padded=padded).sums[:2] == both[:2]
                    zeros[f"{name}window_diff"] += 2 * (not both.unequal)
                    zeros[f"{name}pk"] += 2 * (not both.one_empty)
    assert zeros == {
        "compared": 30_306,
        "window_diff": 1_732,
        "pk": 16_046,
        "padded pk": 1_896,
        "padded window_diff": 0,
    }


def subsets(gaps: range) -> list[list[int]]:
    return [list(chosen) for size in range(len(gaps) + 1) for chosen in combinations(gaps, size)]


def test_k_may_exceed_the_gaps_when_padded() -> None:
    true, pred = Spans.from_masses([1, 1]), Spans.from_masses([2])
    assert sm.window_diff(true, pred, k=50, padded=True).value == 1
    assert not sm.window_diff(true, pred, k=50).is_defined
