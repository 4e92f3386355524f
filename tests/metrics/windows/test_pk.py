"""Pk: against listed windows, its identities, and what it cannot see."""

from __future__ import annotations

import math

from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.oracle import boundary_set, window_counts


@given(pair=span_pairs(), k=st.integers(1, 25), padded=st.booleans())
def test_pk_counts_windows_in_which_only_one_side_has_a_boundary(
    pair: tuple[Spans, Spans], k: int, padded: bool
) -> None:
    expected = window_counts(*pair, k, padded=padded)
    result = sm.pk(*pair, k=k, padded=padded)
    assert (result.numerator, result.denominator) == (sum((r == 0) != (c == 0) for r, c in expected), len(expected))
    assert result.is_defined == bool(expected)


@given(pair=span_pairs(), k=st.integers(1, 25), padded=st.booleans())
def test_pk_is_symmetric_for_a_given_k_and_at_most_window_diff(pair: tuple[Spans, Spans], k: int, padded: bool) -> None:
    result = sm.pk(*pair, k=k, padded=padded)
    assert result.to_dict() == sm.pk(*pair[::-1], k=k, padded=padded).to_dict()
    if result.is_defined:
        assert result.value <= sm.window_diff(*pair, k=k, padded=padded).value


@given(pair=span_pairs(shortest=2))
def test_with_k_1_pk_and_window_diff_are_the_hamming_distance_of_the_gaps(pair: tuple[Spans, Spans]) -> None:
    true, pred = pair
    hamming = len(boundary_set(true) ^ boundary_set(pred)) / (true.n - 1)
    for padded in (False, True):
        for key in (sm.pk, sm.window_diff):
            assert math.isclose(key(true, pred, k=1, padded=padded).value, hamming, rel_tol=1e-15)


def test_an_undefined_pk_says_why() -> None:
    one = Spans.from_masses([1])
    assert sm.pk(one, one).reason == "1 elements have no gap between them"
    two = Spans.from_masses([2])
    assert sm.pk(two, two, k=2).reason == "windows of k = 2 gaps do not fit 2 elements, which have 1"
    empty = Spans.from_masses([])
    assert not sm.pk(empty, empty, padded=True).is_defined
