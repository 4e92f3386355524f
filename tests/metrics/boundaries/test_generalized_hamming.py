"""Generalized Hamming distance against the full table of the edit distance between the two boundary lists."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.oracle import boundary_set

costs = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(7)])


@given(pair=span_pairs(longest=30), insert=costs, delete=costs, shift=costs)
def test_the_cost_is_the_least_of_all_edits(
    pair: tuple[Spans, Spans], insert: Fraction, delete: Fraction, shift: Fraction
) -> None:
    true, pred = (sorted(boundary_set(result)) for result in pair)
    row = [insert * at for at in range(len(true) + 1)]
    for done, place in enumerate(pred, start=1):
        before, row = row, [delete * done]
        for at, target in enumerate(true, start=1):
            moved = before[at - 1] + shift * abs(place - target)
            row.append(min(moved, before[at] + delete, row[-1] + insert))
    result = sm.generalized_hamming(*pair, insert=insert, delete=delete, shift=shift)
    assert result.numerator == row[-1]


@pytest.mark.parametrize(
    ("true", "pred", "insert", "delete", "shift", "distance"),
    [
        ("1100100000", "1100010000", 1, 1, 0.5, 0.5),
        ("1100100000", "1100000001", 1, 1, 0.5, 2),
        ("011", "110", 1, 1, 0.5, 1),
        ("1", "0", 1, 1, 0.5, 1),
        ("111", "000", 1, 1, 0.5, 3),
        ("000", "111", 1, 2, 0.5, 6),
    ],
)
def test_the_published_examples(true: str, pred: str, insert: int, delete: int, shift: float, distance: float) -> None:
    """Strings of gaps."""
    lines = [
        Spans.from_boundaries([gap for gap, bit in enumerate(bits, start=1) if bit == "1"], len(bits) + 1)
        for bits in (true, pred)
    ]
    assert sm.generalized_hamming(*lines, insert=insert, delete=delete, shift=shift).value == distance


@pytest.mark.parametrize(("distance", "cost"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 4), (9, 4)])
def test_a_boundary_is_shifted_as_long_as_that_is_cheaper_than_two_edits(distance: int, cost: int) -> None:
    true, pred = Spans.from_boundaries([2], 20), Spans.from_boundaries([2 + distance], 20)
    assert sm.generalized_hamming(true, pred).value == cost
    assert sm.generalized_hamming(true, pred).details["shifts"] == (distance < 4)


def test_a_negative_cost_is_rejected() -> None:
    line = Spans.from_masses([2, 2])
    with pytest.raises(OptionError, match="shift is -1"):
        sm.generalized_hamming(line, line, shift=-1)
