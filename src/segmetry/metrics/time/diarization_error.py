r"""Diarization error rate [fiscus2006rich] and Jaccard error rate [ryant2019second].

DER = Σ (missed + false alarm + confused speaker time) / Σ true speaker time, where each predicted speaker stands for at
most one true speaker, by the map of the longest common time. JER is the mean over true speakers of one minus the
Jaccard index of the speaker and its partner. Over several recordings the sums are taken first.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np

from segmetry._base.exact import Threshold, ratio
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.metrics.time.labelled_line import LINE_KINDS, TimeLine
from segmetry.metrics.time.speaker_times import EvaluatedRegion, MapWithin, Overlap, Width, best_map, speaker_times
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals

MapBy = Literal["time", "jaccard"]
PARTS = ("missed", "false_alarm", "confused", "true_time")
NO_SPEECH = "no true speech is scored"
_OPTIONS = (
    "Collars are left out around every start and end of a true turn. The time that is evaluated is that of the UEM; "
    "without one it lasts from the first to the last turn, of both sides or (region='true') of the truth. Turns of one "
    "speaker that overlap count once. Without classes every segment is a speaker of its own."
)
_A = (
    Spans.from_masses([4, 6], classes=["ann", "bob"]),
    Spans.from_masses([5, 5], classes=["1", "2"]),
)
_B = (
    TimeIntervals([0, 3], [5, 8], classes=["ann", "bob"]),
    TimeIntervals([0, 4], [4, 9], classes=["1", "2"]),
)


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
    if map_within not in ("scored", "region"):
        raise OptionError(f"map_within is {map_within!r}; expected one of scored, region")
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


def _seconds(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, float]:
    totals = {name: sums[name][0, 0] for name in PARTS}
    details = {f"{name}_seconds": float(total) for name, total in totals.items()}
    if totals["true_time"]:
        details |= {f"{name}_rate": float(totals[name] / totals["true_time"]) for name in PARTS[:3]}
    return details


@metric(
    symbol=r"\mathrm{DER}",
    order=10,
    aliases=("diarization_error_rate",),
    formula=r"\mathrm{DER} = \frac{\int \max(N_r, N_h) - N_{\mathrm{correct}}\,dt}{\int N_r\,dt}",
    summary="Diarization error rate: speaker time that is missed, falsely detected or given to the wrong speaker, over "
    "the true speaker time.",
    citation=("fiscus2006rich", "bredin2017pyannote"),
    bounds=(0, math.inf),
    better="lower",
    value_if_equal=0,
    kinds=LINE_KINDS,
    notes=f"Exact: durations are whole ticks. {_OPTIONS} Undefined without true speech; pyannote.metrics writes 0 or "
    "1. Over a data set the durations of all recordings are added first.",
    is_rate=True,
    examples=(Example(*_A, 0.1), Example(*_B, 0.3), Example(*_A, 0, {"collar": 1})),
    statistics=Aggregation(diarization_errors, average=POOLED, unit="step", describe=_seconds),
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
    if map_by not in ("time", "jaccard"):
        raise OptionError(f"map_by is {map_by!r}; expected one of time, jaccard")
    times = speaker_times(true, pred, collar=collar, collar_width=collar_width, overlap=overlap, region=region)
    kept, heard = np.flatnonzero(times.true_speakers), np.flatnonzero(times.pred_speakers)
    together = times.together[np.ix_(kept, heard)]
    unions = times.true_speakers[kept][:, None] + times.pred_speakers[heard][None, :] - together
    rows, columns = best_map(together if map_by == "time" else together / unions)
    shared, either = np.zeros(kept.size, dtype=np.int64), times.true_speakers[kept].copy()
    shared[rows], either[rows] = together[rows, columns], unions[rows, columns]
    return {"error": ratio(either - shared, either), "speakers": np.array([kept.size])}


@metric(
    symbol=r"\mathrm{JER}",
    aliases=("jaccard_error_rate",),
    formula=r"\mathrm{JER} = \frac{1}{|T|}\sum_{t\in T} 1 - \frac{|t\cap m(t)|}{|t\cup m(t)|}",
    summary="Jaccard error rate: the mean over true speakers of one minus the Jaccard index with the speaker that they "
    "are mapped to; 1 for a speaker without a partner.",
    citation="ryant2019second",
    better="lower",
    value_if_equal=0,
    kinds=LINE_KINDS,
    notes=f"{_OPTIONS} A true speaker without scored time does not count. Undefined without true speech. Over a data "
    "set it is the mean over the speakers of all recordings.",
    examples=(Example(*_A, (1 / 5 + 1 / 6) / 2), Example(*_B, (1 / 5 + 2 / 6) / 2)),
    statistics=Aggregation(speaker_errors, average=POOLED),
)
def jer(sums: Sums) -> Quotient:
    return Quotient(sums["error"], sums["speakers"], NO_SPEECH)
