"""ELM against its definition element by element, and the worked numbers of the linear chapter."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.overlaps.cross_table import BACKGROUNDS
from segmetry.testing.strategies import void_pairs
from tests.oracle import as_partitions

KEYS = ("elm_precision", "elm_recall", "elm_f1")


@given(pair=void_pairs(), background=st.sampled_from(sorted(BACKGROUNDS)))
def test_mean_over_elements_without_themselves(pair: tuple[sm.LabelArray, sm.LabelArray], background: str) -> None:
    true, pred = as_partitions(*pair, background)
    values = []
    for element in frozenset().union(*true):
        t = next(b for b in true if element in b) - {element}
        h = next(b for b in pred if element in b) - {element}
        right, extra, lost = len(t & h), len(h - t), len(t - h)
        values.append(
            (
                Fraction(right, len(h)) if h else Fraction(1),
                Fraction(right, len(t)) if t else Fraction(1),
                Fraction(2 * right, 2 * right + extra + lost) if t or h else Fraction(1),
            )
        )
    result = [getattr(sm, key)(sm.overlap(*pair), background=background).value for key in KEYS]
    if not values:
        assert all(map(math.isnan, result))
    else:
        assert result == pytest.approx(
            [float(sum(column) / len(values)) for column in zip(*values, strict=True)], rel=1e-14
        )


@pytest.mark.parametrize(
    ("true", "pred", "expected"),
    [
        ([5, 3, 5], [4, 4, 5], (11 / 13, 11 / 13, 379 / 455)),
        ([4, 4, 5], [5, 1, 2, 5], (0.846154, 0.743590, 0.725275)),
        ([2, 3, 3, 1, 3, 6, 3], [2, 6, 4, 2, 4, 3], (0.733333, 0.847619, 0.690249)),
        ([6, 6], [12], (5 / 11, 1, 5 / 8)),
        ([6, 6], [5, 7], (5 / 6, 5 / 6, 245 / 297)),
        ([10], [10], (1, 1, 1)),
        ([10], [1] * 10, (1, 0, 0)),
        ([1] * 10, [10], (0, 1, 0)),
        ([1] * 10, [1] * 10, (1, 1, 1)),
        ([1], [1], (1, 1, 1)),
        ([1, 1], [2], (0, 1, 0)),
        ([2], [1, 1], (1, 0, 0)),
    ],
)
def test_worked_numbers(true: list[int], pred: list[int], expected: tuple[float, ...]) -> None:
    pair = sm.Spans.from_masses(true), sm.Spans.from_masses(pred)
    assert [getattr(sm, key)(*pair).value for key in KEYS] == pytest.approx(expected, abs=1e-6)
