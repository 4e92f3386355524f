"""WinPR: against listed windows, and the identities that only the padded windows satisfy."""

from __future__ import annotations

from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.oracle import boundary_set, window_counts


@given(pair=span_pairs(), k=st.integers(1, 25))
def test_the_table_equals_sums_over_listed_windows(pair: tuple[Spans, Spans], k: int) -> None:
    true, pred = pair
    counts = window_counts(true, pred, k, padded=True)
    gaps = [len(set(range(first + 1, first + k + 1)) & set(range(1, true.n))) for first in range(1 - k, true.n - 1)]
    result = sm.window_confusion(true, pred, k)
    assert result.tp == sum(min(r, c) for r, c in counts)
    assert result.fp == sum(max(0, c - r) for r, c in counts)
    assert result.fn == sum(max(0, r - c) for r, c in counts)
    assert result.tn == sum(s - max(r, c) for s, (r, c) in zip(gaps, counts, strict=False))


@given(pair=span_pairs(), k=st.integers(1, 25))
def test_every_gap_lies_in_k_windows(pair: tuple[Spans, Spans], k: int) -> None:
    true, pred = pair
    result = sm.window_confusion(true, pred, k)
    assert result.tp + result.fn == k * len(boundary_set(true))
    assert result.tp + result.fp == k * len(boundary_set(pred))
    assert result.tp + result.fp + result.fn + result.tn == k * (true.n - 1)
    swapped = sm.window_confusion(pred, true, k)
    assert (swapped.tp, swapped.fp, swapped.fn, swapped.tn) == (result.tp, result.fn, result.fp, result.tn)


@given(pair=span_pairs())
def test_with_k_1_it_is_the_confusion_table_of_the_boundaries(pair: tuple[Spans, Spans]) -> None:
    true, pred = pair
    t, h = boundary_set(true), boundary_set(pred)
    result = sm.window_confusion(true, pred, 1)
    assert (result.tp, result.fp, result.fn) == (len(t & h), len(h - t), len(t - h))
    assert result.tn == true.n - 1 - len(t | h)


def test_a_boundary_off_by_less_than_k_is_partly_right() -> None:
    true = Spans.from_boundaries([10], 20)
    values = [sm.winpr_f1(true, Spans.from_boundaries([10 + d], 20), k=4).value for d in range(6)]
    assert values == [1, 3 / 4, 1 / 2, 1 / 4, 0, 0]
