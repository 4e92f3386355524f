"""Scores of sound events against counts over Python sets, and worked numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.metrics.time.line_strategies import labelled_intervals, labels_at

TRUE = TimeIntervals.from_seconds([(0, 3), (4, 8), (9, 12)], classes=["dog", "car", "dog"])
PRED = TimeIntervals.from_seconds([(0, 4), (5, 8), (9, 11)], classes=["dog", "car", "cat"])


@given(labelled_intervals(), labelled_intervals(), st.integers(1, 3))
def test_segments_are_counted_one_by_one(true: TimeIntervals, pred: TimeIntervals, size: int) -> None:
    segments = range(0, true.n, size)

    def active(side: TimeIntervals) -> list[set[object]]:
        return [set().union(*labels_at(side)[at : at + size]) for at in segments]

    pairs = list(zip(active(true), active(pred), strict=True))
    n_true, n_pred, hits = (
        sum(len(part) for part in parts)
        for parts in ([t for t, _ in pairs], [p for _, p in pairs], [t & p for t, p in pairs])
    )
    f1, rate = (
        sm.segment_based_f1(true, pred, resolution=size),
        sm.segment_based_error_rate(true, pred, resolution=size),
    )
    if n_true + n_pred:
        assert f1.details["overall"] == float(Fraction(2 * hits, n_true + n_pred))
    if n_true:
        wrong = sum(max(len(t), len(p)) - len(t & p) for t, p in pairs)
        assert (rate.numerator, rate.denominator) == (wrong, n_true)


@given(labelled_intervals(labels="ab"), labelled_intervals(labels="ab"), st.integers(0, 2))
def test_as_many_events_match_as_can(true: TimeIntervals, pred: TimeIntervals, collar: int) -> None:
    def listed(side: TimeIntervals) -> list[tuple[int, int, object]]:
        return list(zip(side.starts.tolist(), side.stops.tolist(), side.class_list or [], strict=True))

    def fits(t: tuple[int, int, object], p: tuple[int, int, object]) -> bool:
        late = abs(t[1] - p[1])
        return t[2] == p[2] and abs(t[0] - p[0]) <= collar and (late <= collar or 2 * late <= t[1] - t[0])

    truths, guesses = listed(true), listed(pred)
    padded = [*guesses, *[(99, 100, "none")] * len(truths)]
    most = max(sum(map(fits, truths, order)) for order in permutations(padded, len(truths))) if truths else 0
    score = sm.event_based_f1(true, pred, collar=collar)
    if truths or guesses:
        assert score.details["overall"] == float(Fraction(2 * most, len(truths) + len(guesses)))


def test_a_worked_example() -> None:
    assert sm.event_based_error_rate(TRUE, PRED).details == {
        "class_mean": pytest.approx((1 / 2 + 2) / 2),
        "substitutions": pytest.approx(1 / 3),
        "deletions": pytest.approx(1 / 3),
        "insertions": pytest.approx(1 / 3),
        "overall": 1.0,
    }
    assert sm.event_based_f1(TRUE, PRED, ends="offset").details["overall"] == pytest.approx(2 / 3)


def test_events_without_classes_are_of_one_label() -> None:
    true, pred = sm.Spans.from_masses([3, 4]), sm.Spans.from_masses([3, 4])
    assert sm.event_based_f1(true, pred).value == 1 and sm.segment_based_f1(true, pred).value == 1


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"matching": "x"}, "matching is 'x'; expected 'optimal' or 'greedy'"),
        ({"ends": "x"}, "ends is 'x'; expected one of both, onset, offset"),
        ({"one_sided": "x"}, "one_sided is 'x'; expected one of zero, undefined, zero_without_output"),
    ],
)
def test_an_unknown_word_is_an_error(option: dict[str, str], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        sm.event_based_f1(TRUE, PRED, **option)


def test_segments_have_a_length() -> None:
    with pytest.raises(OptionError, match="resolution is 0; expected a positive number of seconds"):
        sm.segment_based_f1(TRUE, PRED, resolution=0)
