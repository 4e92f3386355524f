"""Intervals of a line that may overlap: construction, ticks, and their overlap table against Python sets."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

import segmetry as sm
from segmetry.errors import SpanError
from segmetry.segmentation.seconds import MOST_DECIMALS, common_tick, decimals, exact_seconds
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.metrics.time.line_strategies import labelled_intervals
from tests.oracle import as_sets, overlap_rows


@given(labelled_intervals(scored=True), labelled_intervals())
def test_the_overlap_table_is_that_of_the_sets_of_scored_elements(true: TimeIntervals, pred: TimeIntervals) -> None:
    parts = true.scored_pairs
    kept = frozenset(at for start, stop in parts or [(0, true.n)] for at in range(start, stop))
    sides = [
        {number: elements & kept for number, elements in as_sets(side).items() if elements & kept}
        for side in (true, pred)
    ]
    table = sm.overlap(true, pred)
    ids = zip(table.true.ids[table.row_true], table.pred.ids[table.row_pred], table.shared, strict=True)
    assert [tuple(map(int, row)) for row in ids] == overlap_rows(*sides)
    for side, own, other in ((table.true, *sides), (table.pred, *sides[::-1])):
        covered = frozenset[object]().union(*other.values())
        assert dict(zip(side.ids.tolist(), side.sizes.tolist(), strict=True)) == {i: len(s) for i, s in own.items()}
        assert side.outside.tolist() == [len(own[number] - covered) for number in sorted(own)]
    assert table.n_elements == len(kept)


def test_seconds_become_exact_ticks() -> None:
    line = TimeIntervals.from_seconds([(0.1, 0.3), (0.2, 1.25)], classes=["a", "b"], end=2, scored=[(0, 1)])
    assert (line.tick, line.n, line.starts.tolist()) == (Fraction(1, 100), 200, [10, 20])
    assert line.rescaled(10).scored_pairs == [(0, 1000)]


def test_intervals_are_sorted_with_their_classes() -> None:
    line = TimeIntervals([4, 0, 4], [9, 5, 6], classes=["late", "first", "short"])
    assert line.class_list == ["first", "short", "late"]


def test_touching_intervals_are_disjoint() -> None:
    assert TimeIntervals([0, 2], [2, 3]).is_disjoint and not TimeIntervals([0, 1], [2, 3]).is_disjoint


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: TimeIntervals([3], [2]), "is empty; expected start < stop"),
        (lambda: TimeIntervals([0], [5], 4), "is outside the sequence"),
        (lambda: TimeIntervals([0], [5], classes=[]), "0 classes for 1 intervals"),
        (lambda: TimeIntervals([0, 1], [5]), "2 starts and 1 stops"),
        (lambda: TimeIntervals([0], [5], tick=0), "tick is 0; expected a positive duration"),
        (lambda: TimeIntervals.from_seconds([(0, "1/3")]), "has no finite decimal; round it first"),
    ],
)
def test_what_is_wrong_is_one_error(make: object, words: str) -> None:
    with pytest.raises(SpanError, match=words):
        make()  # type: ignore[operator]


def test_the_example_of_decimals() -> None:
    assert (decimals(1), decimals(4), decimals(3) > MOST_DECIMALS) == (0, 2, True)


def test_the_example_of_common_tick() -> None:
    assert common_tick([Fraction(1, 2), Fraction(3, 100)]) == Fraction(1, 100)


def test_the_example_of_exact_seconds() -> None:
    assert (exact_seconds(0.1), exact_seconds("2.50"), exact_seconds(3)) == (
        Fraction(1, 10),
        Fraction(5, 2),
        Fraction(3, 1),
    )
