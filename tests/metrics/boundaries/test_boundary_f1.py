"""Boundary precision, recall and F1 against the largest of all matchings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.metrics.boundaries.test_point_matching import matchings
from tests.oracle import boundary_set


@given(pair=span_pairs(longest=14), tolerance=st.integers(0, 4))
def test_counts_are_those_of_a_largest_matching(pair: tuple[Spans, Spans], tolerance: int) -> None:
    t, h = (boundary_set(result) for result in pair)
    largest = max(len(result) for result in matchings(sorted(t), set(h), tolerance))
    precision, recall = (
        sm.boundary_precision(*pair, tolerance=tolerance),
        sm.boundary_recall(*pair, tolerance=tolerance),
    )
    f1 = sm.boundary_f1(*pair, tolerance=tolerance)
    assert (precision.numerator, precision.denominator) == (largest, len(h))
    assert (recall.numerator, recall.denominator) == (largest, len(t))
    assert (f1.numerator, f1.denominator) == (2 * largest, len(t) + len(h))


def test_a_greedy_pass_by_distance_would_match_one_pair_fewer() -> None:
    true, pred = Spans.from_boundaries([1, 3], 6), Spans.from_boundaries([3, 5], 6)
    assert sm.boundary_f1(true, pred, tolerance=2).value == 1


@pytest.mark.parametrize("tolerance", [-1, 0.5, "1", True])
def test_a_bad_tolerance_is_rejected(tolerance: Any) -> None:
    line = Spans.from_masses([2, 2])
    with pytest.raises(OptionError, match="tolerance is"):
        sm.boundary_f1(line, line, tolerance=tolerance)
