"""Boundary edits: least cost and then fewest edits, by trying all matchings; the identities of B and S."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.metrics.boundaries.test_point_matching import matchings
from tests.oracle import boundary_set


@given(pair=span_pairs(longest=16), n_t=st.integers(1, 6))
def test_the_edits_are_those_of_least_cost_and_of_equal_ones_the_fewest(pair: tuple[Spans, Spans], n_t: int) -> None:
    t, h = (boundary_set(result) for result in pair)
    missed, spurious = t - h, h - t
    least = min(
        (len(missed) + len(spurious) - 2 * len(pairs) + sum(Fraction(abs(a - b), n_t) for a, b in pairs), -len(pairs))
        for pairs in matchings(sorted(missed), set(spurious), n_t - 1)
    )
    result = sm.boundary_edits(*pair, n_t=n_t)
    assert (result.cost, -len(result.transposed)) == least
    assert result.matched == len(t & h)
    assert result.missed + len(result.transposed) == len(missed)
    assert result.spurious + len(result.transposed) == len(spurious)


@given(pair=span_pairs(), n_t=st.integers(1, 6))
def test_greedy_is_never_cheaper_and_equal_for_neighbours(pair: tuple[Spans, Spans], n_t: int) -> None:
    least, greedy = sm.boundary_edits(*pair, n_t=n_t), sm.boundary_edits(*pair, n_t=n_t, match="greedy")
    assert least.cost <= greedy.cost
    if n_t <= 2:
        assert least.cost == greedy.cost


@given(pair=span_pairs(), n_t=st.integers(1, 4))
def test_confusion_table_and_similarities_come_from_the_same_edits(pair: tuple[Spans, Spans], n_t: int) -> None:
    edits = sm.boundary_edits(*pair, n_t=n_t)
    b = sm.boundary_similarity(*pair, n_t=n_t)
    assert Fraction(b.numerator or 0) == edits.true_positives
    assert b.denominator == edits.true_positives + edits.cost
    s = sm.segmentation_similarity(*pair, n_t=n_t)
    assert Fraction(s.numerator or 0) == pair[0].n - 1 - edits.cost


def test_of_two_ways_that_cost_the_same_the_one_with_fewer_edits_is_taken() -> None:
    """Three transpositions of 4, or two of 1 and two additions: both cost 12/5, and B would be 1/5 or 2/5."""
    true, pred = Spans.from_boundaries([1, 4, 7], 12), Spans.from_boundaries([5, 8, 11], 12)
    result = sm.boundary_edits(true, pred, n_t=5)
    assert (result.spans.tolist(), result.additions, result.cost) == ([4, 4, 4], 0, Fraction(12, 5))
    assert sm.boundary_similarity(true, pred, n_t=5).value == 1 / 5
    greedy = sm.boundary_edits(true, pred, n_t=5, match="greedy")
    assert (greedy.spans.tolist(), greedy.additions, greedy.cost) == ([1, 1], 2, Fraction(12, 5))


@pytest.mark.parametrize("n_t", [0, -1, 2.0, "2", True])
def test_a_bad_reach_is_rejected(n_t: Any) -> None:
    line = Spans.from_masses([2, 2])
    with pytest.raises(OptionError, match="n_t is"):
        sm.boundary_similarity(line, line, n_t=n_t)


def test_an_unknown_way_to_match_is_rejected() -> None:
    line = Spans.from_masses([2, 2])
    with pytest.raises(OptionError, match="match is 'best'; expected 'optimal' or 'greedy'"):
        sm.segmentation_similarity(line, line, match="best")
