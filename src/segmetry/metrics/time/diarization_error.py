r"""Diarization error rate [fiscus2006rich] and Jaccard error rate [ryant2019second].

One sweep over time: between two neighbouring ends of turns nothing changes, so the number of speakers on each side and
whether the time is scored are step functions, and everything is a sum over their steps, in whole ticks. Each predicted
speaker stands for at most one true speaker, by the map of the longest common time.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from segmetry._base import BoolArray, Column, FloatArray, IntArray, Threshold, check_choice, distinct, ratio
from segmetry.kernels import overlapping_pairs
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.time.label_pairs import LabelledLine, TimeLine, finer_ticks, seconds
from segmetry.segmentation import Spans, TimeIntervals

Width = Literal["each_side", "whole"]
Overlap = Literal["scored", "skipped"]
EvaluatedRegion = Literal["both", "true"]
MapWithin = Literal["scored", "region"]


@dataclass(frozen=True, eq=False)
class SpeakerTimes:
    """Durations in ticks of ``tick`` seconds.

    ``true_time`` counts a moment once for each true speaker; ``missed``, ``false_alarm`` and ``both`` are the sums of
    max(N_r − N_h, 0), max(N_h − N_r, 0) and min(N_r, N_h). ``together[r, h]`` is the scored time in which both speakers
    talk, ``together_in_region`` that of the whole evaluated region, collars and overlapped speech included. ``edges``
    are the ends of the steps of the line, ``during`` how much of each step counts.
    """

    true_time: int
    missed: int
    false_alarm: int
    both: int
    true_speakers: IntArray
    pred_speakers: IntArray
    together: IntArray
    together_in_region: IntArray
    edges: IntArray
    during: IntArray
    tick: Fraction


def speaker_times(
    true: TimeLine,
    pred: TimeLine,
    *,
    collar: Threshold = 0,
    collar_width: Width = "each_side",
    overlap: Overlap = "scored",
    region: EvaluatedRegion = "both",
) -> SpeakerTimes:
    """Return the durations that DER and JER are made of."""
    check_choice("collar_width", collar_width, Width)
    check_choice("overlap", overlap, Overlap)
    check_choice("region", region, EvaluatedRegion)
    # The collar of pyannote.metrics is the whole width, that of md-eval the width on each side.
    reach = seconds(collar, "collar") / (2 if collar_width == "whole" else 1)
    return _swept(true, pred, reach, overlap, region)


@lru_cache(maxsize=16)  # DER and JER of a recording need the same, and each thread has a recording
def _swept(true: TimeLine, pred: TimeLine, reach: Fraction, overlap: Overlap, region: EvaluatedRegion) -> SpeakerTimes:
    factor, (margin,) = finer_ticks(true.tick, reach)
    turns, guesses = LabelledLine.of(true, factor), LabelledLine.of(pred, factor)
    first, second = turns.united, guesses.united
    parts = _evaluated_parts(true, pred, region, factor)
    ends = np.concatenate((turns.starts, turns.stops) if margin else (turns.starts[:0],))
    zones = ends - margin, ends + margin
    edges = distinct(np.concatenate((first.starts, first.stops, second.starts, second.stops, *parts, *zones)))
    lengths = np.diff(edges)
    n_true, n_pred = (step_depth(edges, side.starts, side.stops) for side in (first, second))
    evaluated = step_depth(edges, *parts) > 0
    scored = evaluated & (step_depth(edges, *zones) == 0)
    if overlap == "skipped":
        scored &= n_true < 2
    during = np.where(scored, lengths, 0)
    return SpeakerTimes(
        true_time=int((n_true * during).sum()),
        missed=int((np.maximum(n_true - n_pred, 0) * during).sum()),
        false_alarm=int((np.maximum(n_pred - n_true, 0) * during).sum()),
        both=int((np.minimum(n_true, n_pred) * during).sum()),
        true_speakers=_talking_times(first, edges, during),
        pred_speakers=_talking_times(second, edges, during),
        together=_times_together(first, second, edges, during),
        together_in_region=_times_together(first, second, edges, np.where(evaluated, lengths, 0)),
        edges=edges,
        during=during,
        tick=true.tick / factor,
    )


@dataclass(frozen=True, eq=False)
class SpeakerSteps:
    """Maximal runs of time in which the same speakers talk on both sides, in ticks, and the speaker time that is wrong.

    ``true`` and ``pred`` are the speakers of each run.
    """

    starts: IntArray
    stops: IntArray
    true: list[set[Hashable]]
    pred: list[set[Hashable]]
    missed: IntArray
    confused: IntArray
    false: IntArray
    tick: Fraction


def speaker_steps(true: TimeLine, pred: TimeLine, *, map_within: MapWithin = "scored", **options: Any) -> SpeakerSteps:
    """Return when which speakers are wrong; the sums are those of :func:`diarization_errors`."""
    times = speaker_times(true, pred, **options)
    edges, during = times.edges, times.during
    factor = int(true.tick / times.tick)
    mapped = best_map(times.together if map_within == "scored" else times.together_in_region)
    sides = [LabelledLine.of(side, factor).united for side in (true, pred)]
    talks = []
    for side in sides:
        talking = np.zeros((len(side.names), max(edges.size - 1, 0)), dtype=bool)
        for at in range(len(side.names)):
            own = side.label == at
            talking[at] = step_depth(edges, side.starts[own], side.stops[own]) > 0
        talks.append(talking)
    right = (talks[0][mapped[0]] & talks[1][mapped[1]]).sum(axis=0)
    n_true, n_pred = (talking.sum(axis=0) for talking in talks)
    both = np.concatenate((*talks, (during > 0)[None])).astype(np.int8)
    new = np.ones(during.size, dtype=bool)
    new[1:] = (both[:, 1:] != both[:, :-1]).any(axis=0)
    first = np.flatnonzero(new)
    wrong = (np.maximum(n_true - n_pred, 0), np.minimum(n_true, n_pred) - right, np.maximum(n_pred - n_true, 0))
    missed, confused, false = (np.add.reduceat(part * during, first) if first.size else part for part in wrong)
    names = [
        [{side.names[one] for one in np.flatnonzero(talking[:, at]).tolist()} for at in first.tolist()]
        for side, talking in zip(sides, talks, strict=True)
    ]
    stops = edges[np.append(first[1:], max(edges.size - 1, 0))] if first.size else edges[:0]
    return SpeakerSteps(edges[first], stops, names[0], names[1], missed, confused, false, times.tick)


def _evaluated_parts(true: TimeLine, pred: TimeLine, region: EvaluatedRegion, factor: int) -> tuple[IntArray, IntArray]:
    """Return the parts of the line that are evaluated: those that are stated, else from the first to the last turn."""
    for side in (true, pred):
        if isinstance(side, TimeIntervals) and side.scored is not None:
            return side.scored[0] * factor, side.scored[1] * factor
    # Without a UEM md-eval evaluates from the first to the last turn of the reference, dscore those of both sides.
    sides = (true,) if region == "true" else (true, pred)
    starts, stops = (np.concatenate([getattr(side, name) for side in sides]) for name in ("starts", "stops"))
    if not starts.size:
        return starts, stops
    return starts.min(keepdims=True) * factor, stops.max(keepdims=True) * factor


def step_depth(edges: IntArray, starts: IntArray, stops: IntArray) -> IntArray:
    """Return how many of some intervals cover each step between neighbouring edges."""
    change = np.zeros(edges.size + 1, dtype=np.int64)
    np.add.at(change, np.searchsorted(edges, starts), 1)
    np.add.at(change, np.searchsorted(edges, stops), -1)
    return np.cumsum(change)[: max(edges.size - 1, 0)]


def _time_before(edges: IntArray, during: IntArray, points: IntArray) -> IntArray:
    """Return the counted time before each point, which is an edge."""
    return np.concatenate(([0], np.cumsum(during)))[np.searchsorted(edges, points)]


def _talking_times(side: LabelledLine, edges: IntArray, during: IntArray) -> IntArray:
    times = _time_before(edges, during, side.stops) - _time_before(edges, during, side.starts)
    total = np.zeros(len(side.names), dtype=np.int64)
    np.add.at(total, side.label, times)
    return total


def _times_together(first: LabelledLine, second: LabelledLine, edges: IntArray, during: IntArray) -> IntArray:
    at_first, at_second = overlapping_pairs(first.starts, first.stops, second.starts, second.stops)
    starts = np.maximum(first.starts[at_first], second.starts[at_second])
    stops = np.minimum(first.stops[at_first], second.stops[at_second])
    times = _time_before(edges, during, stops) - _time_before(edges, during, starts)
    total = np.zeros((len(first.names), len(second.names)), dtype=np.int64)
    np.add.at(total, (first.label[at_first], second.label[at_second]), times)
    return total


def best_map(gain: IntArray | FloatArray) -> tuple[IntArray, IntArray]:
    """Return the one-to-one map of rows to columns of the largest total gain, without pairs that gain nothing."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(gain, maximize=True)
    gains: BoolArray = gain[rows, columns] > 0
    return rows[gains].astype(np.int64), columns[gains].astype(np.int64)


MapBy = Literal["time", "jaccard"]
PARTS = ("missed", "false_alarm", "confused", "true_time")
NO_SPEECH = "no true speech is scored"
_OPTIONS = (
    "Collars are left out around every start and end of a true turn. The time that is evaluated is that of the UEM; "
    "without one it lasts from the first to the last turn, of both sides or (region='true') of the truth. Turns of one "
    "speaker that overlap count once. Without classes every segment is a speaker of its own."
)
_A = (Spans.from_masses([4, 6], classes=["ann", "bob"]), Spans.from_masses([5, 5], classes=["1", "2"]))
_B = (TimeIntervals([0, 3], [5, 8], classes=["ann", "bob"]), TimeIntervals([0, 4], [4, 9], classes=["1", "2"]))


def diarization_errors(
    true: TimeLine,
    pred: TimeLine,
    *,
    collar: Threshold = 0,
    collar_width: Width = "each_side",
    overlap: Overlap = "scored",
    region: EvaluatedRegion = "both",
    map_within: MapWithin = "scored",
) -> dict[str, Column]:
    """Collect the speaker time of one recording: missed, false alarm, confused and true, in ticks of ``step``."""
    check_choice("map_within", map_within, MapWithin)
    times = speaker_times(true, pred, collar=collar, collar_width=collar_width, overlap=overlap, region=region)
    mapped = best_map(times.together if map_within == "scored" else times.together_in_region)
    correct = int(times.together[mapped].sum())
    return {
        "missed": np.array([times.missed]),
        "false_alarm": np.array([times.false_alarm]),
        "confused": np.array([times.both - correct]),
        "true_time": np.array([times.true_time]),
        "step": np.array([[times.tick.numerator, times.tick.denominator]]),
    }


def _second_details(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, float]:
    totals = {name: sums[name][0, 0] for name in PARTS}
    details = {f"{name}_seconds": float(total) for name, total in totals.items()}
    if totals["true_time"]:
        details |= {f"{name}_rate": float(totals[name] / totals["true_time"]) for name in PARTS[:3]}
    return details


@metric(
    order=10,
    aliases=("diarization_error_rate",),
    formula=r"\mathrm{DER} = \frac{\int \max(N_r, N_h) - N_{\mathrm{correct}}\,dt}{\int N_r\,dt}",
    summary="Diarization error rate: speaker time that is missed, falsely detected or given to the wrong speaker, over "
    "the true speaker time.",
    citation=("fiscus2006rich", "bredin2017pyannote"),
    bounds=(0, math.inf),
    better="lower",
    notes=f"Exact: durations are whole ticks. {_OPTIONS} Undefined without true speech; pyannote.metrics writes 0 or "
    "1. Over a data set the durations of all recordings are added first.",
    is_rate=True,
    examples=(Example(*_A, 0.1), Example(*_B, 0.3), Example(*_A, 0, {"collar": 1})),
    statistics=Aggregation(diarization_errors, average=POOLED, unit="step", describe=_second_details),
)
def der(sums: Sums) -> Quotient:
    return Quotient(sums["missed"] + sums["false_alarm"] + sums["confused"], sums["true_time"], NO_SPEECH)


def speaker_errors(
    true: TimeLine,
    pred: TimeLine,
    *,
    collar: Threshold = 0,
    collar_width: Width = "each_side",
    overlap: Overlap = "scored",
    region: EvaluatedRegion = "both",
    map_by: MapBy = "time",
) -> dict[str, Column]:
    """Collect one minus the Jaccard index of each true speaker and its partner, and the number of true speakers."""
    check_choice("map_by", map_by, MapBy)
    times = speaker_times(true, pred, collar=collar, collar_width=collar_width, overlap=overlap, region=region)
    kept, heard = np.flatnonzero(times.true_speakers), np.flatnonzero(times.pred_speakers)
    together = times.together[np.ix_(kept, heard)]
    unions = times.true_speakers[kept][:, None] + times.pred_speakers[heard][None, :] - together
    rows, columns = best_map(together if map_by == "time" else together / unions)
    shared, either = np.zeros(kept.size, dtype=np.int64), times.true_speakers[kept].copy()
    shared[rows], either[rows] = together[rows, columns], unions[rows, columns]
    return {"error": ratio(either - shared, either), "speakers": np.array([kept.size])}


@metric(
    aliases=("jaccard_error_rate",),
    formula=r"\mathrm{JER} = \frac{1}{|T|}\sum_{t\in T} 1 - \frac{|t\cap m(t)|}{|t\cup m(t)|}",
    summary="Jaccard error rate: the mean over true speakers of one minus the Jaccard index with the speaker that they "
    "are mapped to; 1 for a speaker without a partner.",
    citation="ryant2019second",
    better="lower",
    notes=f"{_OPTIONS} A true speaker without scored time does not count. Undefined without true speech. Over a data "
    "set it is the mean over the speakers of all recordings.",
    examples=(Example(*_A, (1 / 5 + 1 / 6) / 2), Example(*_B, (1 / 5 + 2 / 6) / 2)),
    statistics=Aggregation(speaker_errors, average=POOLED),
)
def jer(sums: Sums) -> Quotient:
    return Quotient(sums["error"], sums["speakers"], NO_SPEECH)
