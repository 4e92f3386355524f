"""Purity and coverage against the largest intersections of sets."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.overlaps.cross_table import BACKGROUNDS
from segmetry.testing.strategies import void_pairs
from tests.oracle import as_partitions


@given(pair=void_pairs(), background=st.sampled_from(sorted(BACKGROUNDS)))
def test_largest_intersections_are_added_up(pair: tuple[sm.LabelArray, sm.LabelArray], background: str) -> None:
    true, pred = as_partitions(*pair, background)
    n, table = sum(map(len, true)), sm.overlap(*pair)
    purity, coverage = sm.purity(table, background=background), sm.coverage(table, background=background)
    assert purity.denominator == coverage.denominator == n
    assert purity.numerator == sum(max(len(t & h) for t in true) for h in pred)
    assert coverage.numerator == sum(max(len(t & h) for h in pred) for t in true)
    assert purity.is_defined == coverage.is_defined == (n > 0)


@pytest.mark.parametrize(
    ("true", "pred", "purity", "coverage"),
    [
        ([5, 3, 5], [4, 4, 5], 12 / 13, 12 / 13),
        ([4, 4, 5], [5, 1, 2, 5], 12 / 13, 11 / 13),
        ([2, 3, 3, 1, 3, 6, 3], [2, 6, 4, 2, 4, 3], 17 / 21, 19 / 21),
        ([10], [1] * 10, 1.0, 0.1),
        ([1] * 10, [10], 0.1, 1.0),
    ],
)
def test_worked_numbers(true: list[int], pred: list[int], purity: float, coverage: float) -> None:
    pair = sm.Spans.from_masses(true), sm.Spans.from_masses(pred)
    assert (sm.purity(*pair).value, sm.coverage(*pair).value) == (purity, coverage)
