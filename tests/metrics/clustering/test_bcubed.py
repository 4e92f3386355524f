"""BCubed against its definition element by element, and the worked numbers of the linear chapter."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.overlaps.cross_table import BACKGROUNDS
from segmetry.testing.strategies import void_pairs
from tests.oracle import as_partitions, as_sets, void_elements


@given(pair=void_pairs(), background=st.sampled_from(sorted(BACKGROUNDS)))
def test_mean_over_elements(pair: tuple[sm.LabelArray, sm.LabelArray], background: str) -> None:
    true, pred = as_partitions(*pair, background)
    values = []
    for element in frozenset().union(*true):
        t, h = next(b for b in true if element in b), next(b for b in pred if element in b)
        values.append(
            (Fraction(len(t & h), len(h)), Fraction(len(t & h), len(t)), Fraction(2 * len(t & h), len(t) + len(h)))
        )
    _check(sm.overlap(*pair), background, "elements", values)


@given(pair=void_pairs(), background=st.sampled_from(sorted(BACKGROUNDS)))
def test_mean_over_overlapping_pairs_collapses(pair: tuple[sm.LabelArray, sm.LabelArray], background: str) -> None:
    true, pred = as_partitions(*pair, background)
    cells = [(t, h) for t in true for h in pred if t & h]
    values = [
        (Fraction(len(t & h), len(h)), Fraction(len(t & h), len(t)), Fraction(2 * len(t & h), len(t) + len(h)))
        for t, h in cells
    ]
    table = sm.overlap(*pair)
    _check(table, background, "pairs", values)
    if cells:
        options = {"over": "pairs", "background": background}
        assert sm.bcubed_precision(table, **options).value == pytest.approx(len(pred) / len(cells))
        assert sm.bcubed_recall(table, **options).value == pytest.approx(len(true) / len(cells))


@given(pair=void_pairs(), over=st.sampled_from(("elements", "pairs")))
def test_whole_segments_of_partial_partitions(pair: tuple[sm.LabelArray, sm.LabelArray], over: str) -> None:
    """|t| and |h| are whole segments without their void elements, and the mean is over what both sides cover."""
    void = void_elements(pair[0]) | void_elements(pair[1])
    true, pred = ([segment - void for segment in as_sets(side).values()] for side in pair)
    values = []
    for t, h in product(true, pred):
        if shared := len(t & h):
            value = Fraction(shared, len(h)), Fraction(shared, len(t)), Fraction(2 * shared, len(t) + len(h))
            values += [value] * (1 if over == "pairs" else shared)
    _check(sm.overlap(*pair), "common", over, values, blocks="whole")


def test_an_element_beyond_the_truth_under_each_reading() -> None:
    true, pred = [[1, 1, 1, 0]], [[1, 1, 1, 1]]
    assert sm.bcubed_precision(true, pred).value == 5 / 8
    assert sm.bcubed_precision(true, pred, background="common").value == 1.0
    assert sm.bcubed_precision(true, pred, background="common", blocks="whole").value == 3 / 4
    with pytest.raises(OptionError, match="blocks is 'half'; expected 'counted' or 'whole'"):
        sm.bcubed_recall(true, pred, blocks="half")


def _check(
    table: sm.OverlapTable,
    background: str,
    over: str,
    values: list[tuple[Fraction, Fraction, Fraction]],
    blocks: str = "counted",
) -> None:
    options = {"over": over, "background": background, "blocks": blocks}
    result = [getattr(sm, f"bcubed_{name}")(table, **options).value for name in ("precision", "recall", "f1")]
    result.append(sm.bcubed_f1(table, average="means", **options).value)
    if not values:
        assert all(map(math.isnan, result))
        return
    p, r, f = (float(sum(column) / len(values)) for column in zip(*values, strict=True))
    assert result == pytest.approx([p, r, f, 2 * p * r / (p + r)], rel=1e-14)


@pytest.mark.parametrize(
    ("true", "pred", "pairs", "elements", "of_means"),
    [
        ([5, 3, 5], [4, 4, 5], (3 / 4, 3 / 4, 0.742063), (0.884615, 0.876923, 0.873016), 0.880752),
        ([4, 4, 5], [5, 1, 2, 5], (4 / 5, 3 / 5, 0.635556), (0.876923, 0.807692, 0.808547), 0.840885),
        ([2, 3, 3, 1, 3, 6, 3], [2, 6, 4, 2, 4, 3], (3 / 4, 7 / 8, 0.736310), (0.785714, 0.873016, 0.770068), 0.827068),
        ([3, 1], [1, 3], (2 / 3, 2 / 3, 5 / 9), (2 / 3, 2 / 3, 7 / 12), 2 / 3),
        ([9, 1], [5, 5], (2 / 3, 2 / 3, 0.5397), (0.84, 0.5556, 0.6190), 0.6688),
        ([2, 8], [10], (1 / 2, 1, 0.6111), (0.68, 1, 0.7778), 0.8095),
        ([1, 1, 8], [8, 1, 1], (0.6, 0.6, 0.3278), (0.675, 0.675, 0.5389), 0.675),
        ([10], [10], (1, 1, 1), (1, 1, 1), 1),
        ([1] * 10, [1] * 10, (1, 1, 1), (1, 1, 1), 1),
        ([1], [1], (1, 1, 1), (1, 1, 1), 1),
        ([10], [1] * 10, (1, 0.1, 0.1818), (1, 0.1, 0.1818), 0.1818),
        ([1] * 10, [10], (0.1, 1, 0.1818), (0.1, 1, 0.1818), 0.1818),
    ],
)
def test_worked_numbers(
    true: list[int], pred: list[int], pairs: tuple[float, ...], elements: tuple[float, ...], of_means: float
) -> None:
    sides = sm.Spans.from_masses(true), sm.Spans.from_masses(pred)
    for over, expected in (("pairs", pairs), ("elements", elements)):
        result = [getattr(sm, f"bcubed_{name}")(*sides, over=over).value for name in ("precision", "recall", "f1")]
        assert result == pytest.approx(expected, abs=6e-5)
    assert sm.bcubed_f1(*sides, average="means").value == pytest.approx(of_means, abs=6e-5)


def test_two_to_the_forty_elements() -> None:
    n = 2**40
    table = sm.OverlapTable.from_rows([(1, 1, n // 2), (2, 1, n // 2)])
    assert (sm.bcubed_precision(table).value, sm.bcubed_recall(table).value) == (0.5, 1.0)
    assert sm.elm_precision(table).value == float(Fraction(n // 2 - 1, n - 1))


def test_unknown_choices_are_rejected() -> None:
    with pytest.raises(OptionError, match="over is 'clusters'; expected 'elements' or 'pairs'"):
        sm.bcubed_recall([[1, 2]], [[1, 1]], over="clusters")
    with pytest.raises(OptionError, match="average is 'micro'"):
        sm.bcubed_f1([[1, 2]], [[1, 1]], average="micro")
