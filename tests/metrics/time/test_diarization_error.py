"""DER and JER against a count of every tick over Python sets, all maps of speakers tried, and worked numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.metrics.time.line_strategies import labelled_intervals, labels_at

TRUE = TimeIntervals.from_seconds([(0, 5), (3, 8)], classes=["ann", "bob"])
PRED = TimeIntervals.from_seconds([(0, 4), (4, 9)], classes=["1", "2"])


def scored_ticks(true: TimeIntervals, pred: TimeIntervals, collar: int, overlap: str, region: str) -> set[int]:
    if true.scored_pairs is not None:
        ticks = {at for start, stop in true.scored_pairs for at in range(start, stop)}
    else:
        ends = [end for side in ((true,) if region == "true" else (true, pred)) for end in (*side.starts, *side.stops)]
        ticks = set(range(min(ends), max(ends))) if ends else set()
    for end in (*true.starts.tolist(), *true.stops.tolist()):
        ticks -= set(range(end - collar, end + collar))
    return {at for at in ticks if overlap == "scored" or len(labels_at(true)[at]) < 2}


@given(
    labelled_intervals(scored=True),
    labelled_intervals(labels="123"),
    st.integers(0, 2),
    st.sampled_from(["scored", "skipped"]),
    st.sampled_from(["both", "true"]),
)
def test_der_is_the_count_of_every_tick_under_the_best_map(
    true: TimeIntervals, pred: TimeIntervals, collar: int, overlap: str, region: str
) -> None:
    ticks = scored_ticks(true, pred, collar, overlap, region)
    spoken, heard = labels_at(true), labels_at(pred)
    names = ["a", "b", "c"]
    fewest = min(
        sum(
            max(len(spoken[at]), len(heard[at]))
            - len(spoken[at] & {dict(zip("123", other, strict=True))[name] for name in heard[at]})
            for at in ticks
        )
        for other in permutations(names)
    )
    total = sum(len(spoken[at]) for at in ticks)
    score = sm.der(true, pred, collar=collar, overlap=overlap, region=region)
    if not total:
        assert not score.is_defined
        return
    assert (score.numerator, score.denominator) == (fewest, total)
    parts = [score.details[f"{name}_seconds"] for name in ("missed", "false_alarm", "confused")]
    assert sum(parts) == fewest
    assert parts[0] == sum(max(len(spoken[at]) - len(heard[at]), 0) for at in ticks)


@given(labelled_intervals(scored=True), labelled_intervals(labels="123"))
def test_jer_by_jaccard_is_the_least_over_all_maps(true: TimeIntervals, pred: TimeIntervals) -> None:
    ticks = scored_ticks(true, pred, 0, "scored", "both")

    def times(side: TimeIntervals, names: str) -> dict[str, set[int]]:
        return {name: {at for at in ticks if name in labels_at(side)[at]} for name in names}

    spoken, heard = times(true, "abc"), times(pred, "123")
    present = [name for name in spoken if spoken[name]]

    def error(name: str, other: str) -> float:
        return 1 - float(Fraction(len(spoken[name] & heard[other]), len(spoken[name] | heard[other])))

    score = sm.jer(true, pred, map_by="jaccard")
    if not present:
        assert not score.is_defined
        return
    least = min(sum(map(error, present, others)) for others in permutations("123", len(present)))
    assert score.value == pytest.approx(least / len(present), abs=1e-12)


def test_the_parts_of_a_worked_example() -> None:
    score = sm.der(TRUE, PRED)
    assert (score.numerator, score.denominator) == (3, 10)  # two seconds of overlap, a second after the end
    assert {name: score.details[f"{name}_rate"] for name in ("missed", "false_alarm", "confused")} == {
        "missed": 0.2,
        "false_alarm": 0.1,
        "confused": 0.0,
    }


def test_a_collar_is_on_each_side_or_the_whole_width() -> None:
    each, whole = (sm.der(TRUE, PRED, collar=1, collar_width=width) for width in ("each_side", "whole"))
    assert each.denominator == 2  # 1–2 and 6–7
    assert whole.denominator == 6
    assert sm.der(TRUE, PRED, collar="0.5", collar_width="each_side").to_dict() == whole.to_dict()


def test_turns_of_one_speaker_that_overlap_count_once() -> None:
    twice = TimeIntervals([0, 2], [4, 6], classes=["ann", "ann"])
    assert sm.der(twice, TimeIntervals([0], [6], classes=["1"])).to_dict()["denominator"] == 6


def test_spans_beside_intervals_in_other_ticks() -> None:
    pred = sm.Spans.from_seconds([(0, 4.0), (4, 9.25)], classes=["1", "2"])
    assert sm.der(TRUE, pred).numerator == Fraction(13, 4)


def test_recordings_in_other_ticks_are_added_exactly() -> None:
    lines = {name: TimeIntervals([0], [1], classes=["a"], tick=Fraction(1, int(name))) for name in ("3", "7", "10")}
    silent = {name: TimeIntervals([], [], classes=[], tick=line.tick) for name, line in lines.items()}
    score = sm.evaluate(lines, {**silent, "3": lines["3"]}, metrics=["der"], engine="serial").summary().scores["der"]
    total = Fraction(1, 3) + Fraction(1, 7) + Fraction(1, 10)
    assert (score["pooled"].numerator, score["pooled"].denominator) == (total - Fraction(1, 3), total)
    assert score["pooled"].details["true_time_seconds"] == float(total)


@pytest.mark.parametrize("option", [{"overlap": "x"}, {"region": "x"}, {"collar_width": "x"}, {"map_within": "x"}])
def test_an_unknown_word_is_an_error(option: dict[str, str]) -> None:
    with pytest.raises(OptionError, match=r"is 'x'; expected '\w+' or '\w+'"):
        sm.der(TRUE, PRED, **option)


def test_a_negative_collar_is_an_error() -> None:
    with pytest.raises(OptionError, match="collar is -1; expected a duration of 0 seconds or more"):
        sm.der(TRUE, PRED, collar=-1)
