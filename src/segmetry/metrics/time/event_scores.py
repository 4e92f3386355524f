r"""Scores of sound events [mesaros2016metrics]: F1 and error rate of events, and of segments of equal length."""

from __future__ import annotations

import math
from collections.abc import Callable

from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.metrics.time.event_counts import (
    OneSided,
    error_details,
    error_rate,
    event_counts,
    f1_details,
    f1_of_labels,
    segment_counts,
)
from segmetry.metrics.time.labelled_line import LINE_KINDS
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


def _f1(counts: Callable[..., dict[str, Column]]) -> Aggregation:
    return Aggregation(counts, of_items=("substituted",), describe=f1_details)


def _error_rate(counts: Callable[..., dict[str, Column]]) -> Aggregation:
    return Aggregation(counts, average=POOLED, of_items=("substituted",), describe=error_details)


@metric(
    symbol=r"F_1^{\mathrm{event}}",
    order=30,
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{2\,\mathrm{TP}_c}{N_{\mathrm{true},c} + N_{\mathrm{pred},c}}",
    summary="Event-based F1 of sound events: onsets and offsets within a collar, mean over labels.",
    citation=_CITATION,
    kinds=LINE_KINDS,
    compares_labels=True,
    notes=f"{_MATCHED}{_LABELS} Undefined without events.",
    examples=(Example(*_A, (2 / 3 + 0 + 0) / 3), Example(*_A, (2 / 3 + 1 + 0) / 3, {"collar": 1})),
    statistics=_f1(event_counts),
)
def event_based_f1(sums: Sums, *, one_sided: OneSided = "zero") -> Quotient:
    return f1_of_labels(sums, one_sided)


@metric(
    symbol=r"\mathrm{ER}^{\mathrm{event}}",
    formula=r"\frac{S + D + I}{N_{\mathrm{true}}}",
    summary="Event-based error rate of sound events: substitutions, deletions and insertions over true events.",
    citation=_CITATION,
    bounds=(0, math.inf),
    better="lower",
    value_if_equal=0,
    kinds=LINE_KINDS,
    compares_labels=True,
    is_rate=True,
    notes=f"{_MATCHED}A substitution is a true and a predicted event that are left over and differ only in their "
    "label. Which events are left over may depend on the order of equally good matchings. Undefined without true "
    "events; sed_eval divides by 2.2e-16 then.",
    examples=(Example(*_A, 1), Example(*_A, 1 / 3, {"collar": 1})),
    statistics=_error_rate(event_counts),
)
def event_based_error_rate(sums: Sums) -> Quotient:
    return error_rate(sums)


@metric(
    symbol=r"F_1^{\mathrm{segment}}",
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{2\,\mathrm{TP}_c}{N_{\mathrm{true},c} + N_{\mathrm{pred},c}}",
    summary="Segment-based F1 of sound events: labels that are active in segments of equal length, mean over labels.",
    citation=_CITATION,
    symmetric=True,
    kinds=LINE_KINDS,
    compares_labels=True,
    notes=f"A label is active in each segment of resolution seconds that one of its events touches. {_LABELS} "
    "Undefined without events.",
    examples=(Example(*_A, (6 / 10 + 6 / 7 + 0) / 3),),
    statistics=_f1(segment_counts),
)
def segment_based_f1(sums: Sums, *, one_sided: OneSided = "zero") -> Quotient:
    return f1_of_labels(sums, one_sided)


@metric(
    symbol=r"\mathrm{ER}^{\mathrm{segment}}",
    formula=r"\frac{S + D + I}{N_{\mathrm{true}}}",
    summary="Segment-based error rate of sound events: substitutions, deletions and insertions in segments of equal "
    "length, over active true labels.",
    citation=_CITATION,
    bounds=(0, math.inf),
    better="lower",
    value_if_equal=0,
    kinds=LINE_KINDS,
    compares_labels=True,
    is_rate=True,
    notes="In each segment, as many labels are substituted as are wrong on both sides; the rest is deleted or "
    "inserted. Undefined without true events; sed_eval divides by 2.2e-16 then.",
    examples=(Example(*_A, 5 / 10),),
    statistics=_error_rate(segment_counts),
)
def segment_based_error_rate(sums: Sums) -> Quotient:
    return error_rate(sums)
