"""Pr_error and its parts against listed windows."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.oracle import window_counts


@given(pair=span_pairs(), k=st.integers(1, 22), padded=st.booleans(), c_miss=st.sampled_from(["0", "1/3", "0.5", "1"]))
def test_rates_of_missed_and_spurious_windows(pair: tuple[Spans, Spans], k: int, padded: bool, c_miss: str) -> None:
    counts = window_counts(*pair, k, padded=padded)
    missed, holding = sum(c < r for r, c in counts), sum(r > 0 for r, _ in counts)
    alarms = sum(c > r for r, c in counts)
    miss, alarm = sm.pr_miss(*pair, k=k, padded=padded), sm.pr_false_alarm(*pair, k=k, padded=padded)
    assert (miss.numerator, miss.denominator) == (missed, holding)
    assert (alarm.numerator, alarm.denominator) == (alarms, len(counts))
    error = sm.pr_error(*pair, k=k, padded=padded, c_miss=c_miss)
    assert error.is_defined == (miss.is_defined and alarm.is_defined)
    if error.is_defined:
        weight = Fraction(c_miss)
        exact = weight * Fraction(missed, holding) + (1 - weight) * Fraction(alarms, len(counts))
        assert Fraction(error.numerator or 0) / Fraction(error.denominator or 1) == exact


def test_the_weight_is_a_share() -> None:
    true = Spans.from_masses([2, 2])
    with pytest.raises(OptionError, match=r"c_miss is 1\.5"):
        sm.pr_error(true, true, c_miss=1.5)


def test_undefined_says_what_is_missing() -> None:
    blank = Spans.from_masses([4])
    assert sm.pr_miss(blank, blank).reason == "no window contains a true boundary"
    assert sm.pr_error(Spans.from_masses([1]), Spans.from_masses([1])).reason == "1 elements have no gap between them"
