r"""Scores of sound events [mesaros2016metrics]: F1 and error rate of events, and of segments of equal length."""

from __future__ import annotations

import math

from segmetry._base.exact import Threshold
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.time.event_counts import OneSided, error_rate, event_counts, f1_of_labels, segment_counts
from segmetry.metrics.time.event_matching import Ends, Matching
from segmetry.metrics.time.labelled_line import LINE_KINDS, TimeLine
from segmetry.segmentation.time_intervals import TimeIntervals

_CITATION = "mesaros2016metrics"
_A = (
    TimeIntervals([0, 4, 9], [3, 8, 12], classes=["dog", "car", "dog"]),
    TimeIntervals([0, 5, 9], [4, 8, 11], classes=["dog", "car", "cat"]),
)
_MATCHED = (
    "Events match if they have the same label, their onsets are at most collar seconds apart, and their offsets at "
    "most collar seconds or offset_share of the true length. Events without classes are all of one label. "
)
_LABELS = (
    "Counts are added over the data set, then F1 is taken for each label, then the mean over the labels that occur; "
    "details give F1, precision and recall of all labels together (overall)."
)


def _event_f1(collected: Collected, *, one_sided: OneSided = "zero") -> Combined:
    return f1_of_labels("event_based_f1", collected, one_sided)


def _segment_f1(collected: Collected, *, one_sided: OneSided = "zero") -> Combined:
    return f1_of_labels("segment_based_f1", collected, one_sided)


def _event_error_rate(collected: Collected) -> Combined:
    return error_rate("event_based_error_rate", collected)


def _segment_error_rate(collected: Collected) -> Combined:
    return error_rate("segment_based_error_rate", collected)


_EVENT_F1 = Accumulator(event_counts, _event_f1, mean_over_classes=True)
_EVENT_ER = Accumulator(event_counts, _event_error_rate)
_SEGMENT_F1 = Accumulator(segment_counts, _segment_f1, mean_over_classes=True)
_SEGMENT_ER = Accumulator(segment_counts, _segment_error_rate)


@metric(
    symbol=r"F_1^{\mathrm{event}}",
    family="time",
    order=30,
    needs="inputs",
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{2\,\mathrm{TP}_c}{N_{\mathrm{true},c} + N_{\mathrm{pred},c}}",
    summary="Event-based F1 of sound events: onsets and offsets within a collar, mean over labels.",
    citation=_CITATION,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    kinds=LINE_KINDS,
    compares_labels=True,
    notes=f"{_MATCHED}{_LABELS} Undefined without events.",
    examples=(Example(*_A, (2 / 3 + 0 + 0) / 3), Example(*_A, (2 / 3 + 1 + 0) / 3, {"collar": 1})),
    accumulator=_EVENT_F1,
)
def event_based_f1(
    true: TimeLine,
    pred: TimeLine,
    *,
    collar: Threshold = "0.2",
    offset_share: Threshold = "0.5",
    ends: Ends = "both",
    matching: Matching = "optimal",
    one_sided: OneSided = "zero",
) -> Score:
    return _EVENT_F1.score(
        true,
        pred,
        collar=collar,
        offset_share=offset_share,
        ends=ends,
        matching=matching,
        one_sided=one_sided,
    )


@metric(
    symbol=r"\mathrm{ER}^{\mathrm{event}}",
    family="time",
    order=40,
    needs="inputs",
    formula=r"\frac{S + D + I}{N_{\mathrm{true}}}",
    summary="Event-based error rate of sound events: substitutions, deletions and insertions over true events.",
    citation=_CITATION,
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    value_if_equal=0,
    kinds=LINE_KINDS,
    compares_labels=True,
    is_rate=True,
    notes=f"{_MATCHED}A substitution is a true and a predicted event that are left over and differ only in their "
    "label. Which events are left over may depend on the order of equally good matchings. Undefined without true "
    "events; sed_eval divides by 2.2e-16 then.",
    examples=(Example(*_A, 1), Example(*_A, 1 / 3, {"collar": 1})),
    accumulator=_EVENT_ER,
)
def event_based_error_rate(
    true: TimeLine,
    pred: TimeLine,
    *,
    collar: Threshold = "0.2",
    offset_share: Threshold = "0.5",
    ends: Ends = "both",
    matching: Matching = "optimal",
) -> Score:
    return _EVENT_ER.score(true, pred, collar=collar, offset_share=offset_share, ends=ends, matching=matching)


@metric(
    symbol=r"F_1^{\mathrm{segment}}",
    family="time",
    order=50,
    needs="inputs",
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{2\,\mathrm{TP}_c}{N_{\mathrm{true},c} + N_{\mathrm{pred},c}}",
    summary="Segment-based F1 of sound events: labels that are active in segments of equal length, mean over labels.",
    citation=_CITATION,
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    kinds=LINE_KINDS,
    compares_labels=True,
    notes=f"A label is active in each segment of resolution seconds that one of its events touches. {_LABELS} "
    "Undefined without events.",
    examples=(Example(*_A, (6 / 10 + 6 / 7 + 0) / 3),),
    accumulator=_SEGMENT_F1,
)
def segment_based_f1(
    true: TimeLine, pred: TimeLine, *, resolution: Threshold = 1, one_sided: OneSided = "zero"
) -> Score:
    return _SEGMENT_F1.score(true, pred, resolution=resolution, one_sided=one_sided)


@metric(
    symbol=r"\mathrm{ER}^{\mathrm{segment}}",
    family="time",
    order=60,
    needs="inputs",
    formula=r"\frac{S + D + I}{N_{\mathrm{true}}}",
    summary="Segment-based error rate of sound events: substitutions, deletions and insertions in segments of equal "
    "length, over active true labels.",
    citation=_CITATION,
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    value_if_equal=0,
    kinds=LINE_KINDS,
    compares_labels=True,
    is_rate=True,
    notes="In each segment, as many labels are substituted as are wrong on both sides; the rest is deleted or "
    "inserted. Undefined without true events; sed_eval divides by 2.2e-16 then.",
    examples=(Example(*_A, 5 / 10),),
    accumulator=_SEGMENT_ER,
)
def segment_based_error_rate(true: TimeLine, pred: TimeLine, *, resolution: Threshold = 1) -> Score:
    return _SEGMENT_ER.score(true, pred, resolution=resolution)
