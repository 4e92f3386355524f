r"""Scores of sound events [mesaros2016metrics]: F1 and error rate of events, and of segments of equal length.

Events are matched one to one: same label, onset within a collar, offset within a collar or a share of the length, which
is compared as a fraction. The error rate adds substitutions, deletions and insertions over all labels; that of one
label alone has no substitutions.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Literal

import numpy as np

from segmetry._base import BoolArray, Column, IndexArray, IntArray, Threshold, check_choice, distinct, fraction_in
from segmetry.kernels import overlapping_pairs
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.time.diarization_error import step_depth
from segmetry.metrics.time.label_pairs import LabelledLine, TimeLine, finer_ticks, positive_seconds, seconds
from segmetry.segmentation import TimeIntervals

Matching = Literal["optimal", "greedy"]
Ends = Literal["both", "onset", "offset"]
UNLABELLED = "event"


@dataclass(frozen=True, eq=False)
class MatchedEvents:
    """The events of both sides with the label of each, the matched pairs, and how many others are substitutions."""

    names: tuple[object, ...]
    true: IntArray
    pred: IntArray
    matched: IntArray
    """The label of each matched pair."""
    substituted: int


def labelled_events(true: TimeLine, pred: TimeLine, factor: int = 1) -> tuple[LabelledLine, LabelledLine]:
    """Return both sides with labels numbered alike; events without classes are all of one label."""
    sides = [LabelledLine.of(line, factor) for line in (true, pred)]
    names: tuple[Hashable, ...] = (UNLABELLED,)
    codes = [np.zeros(side.starts.size, dtype=np.int64) for side in sides]
    if true.classes is not None and pred.classes is not None:
        names = tuple(sorted({*sides[0].names, *sides[1].names}, key=str))
        place = {name: at for at, name in enumerate(names)}
        codes = [np.array([place[name] for name in side.names], dtype=np.int64)[side.label] for side in sides]
    first, second = (
        LabelledLine(side.starts, side.stops, code, names) for side, code in zip(sides, codes, strict=True)
    )
    return first, second


def match_events(
    true: TimeLine, pred: TimeLine, *, collar: Threshold, offset_share: Threshold, ends: Ends, matching: Matching
) -> MatchedEvents:
    """Match the events of two sides."""
    check_choice("matching", matching, Matching)
    check_choice("ends", ends, Ends)
    factor, (margin,) = finer_ticks(true.tick, seconds(collar, "collar"))
    first, second = labelled_events(true, pred, factor)
    close = _close_in_time(first, second, margin, fraction_in(offset_share, "offset_share", 0, None), ends)
    same = close & (first.label[:, None] == second.label[None, :])
    # sed_eval offers both; optimal matches at least as many events.
    rows, columns = _match_greedily(same) if matching == "greedy" else _match_most(same)
    left_true, left_pred = np.ones(first.starts.size, dtype=bool), np.ones(second.starts.size, dtype=bool)
    left_true[rows], left_pred[columns] = False, False
    return MatchedEvents(
        first.names,
        first.label,
        second.label,
        first.label[rows],
        _match_greedily(close[np.ix_(left_true, left_pred)])[0].size,
    )


def _close_in_time(first: LabelledLine, second: LabelledLine, margin: int, share: Fraction, ends: Ends) -> BoolArray:
    close = np.ones((first.starts.size, second.starts.size), dtype=bool)
    if ends != "offset":
        close &= np.abs(first.starts[:, None] - second.starts[None, :]) <= margin
    if ends != "onset":
        away = np.abs(first.stops[:, None] - second.stops[None, :])
        lengths = (first.stops - first.starts)[:, None]
        close &= (away <= margin) | (away * share.denominator <= lengths * share.numerator)
    return close


def _match_greedily(hits: BoolArray) -> tuple[IndexArray, IndexArray]:
    """Match each true event, in order, with the first predicted event that is still free."""
    free = np.ones(hits.shape[1], dtype=bool)
    rows, columns = [], []
    for row in np.flatnonzero(hits.any(axis=1)).tolist():
        candidates = np.flatnonzero(hits[row] & free)
        if candidates.size:
            free[candidates[0]] = False
            rows.append(row)
            columns.append(int(candidates[0]))
    return np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)


def _match_most(hits: BoolArray) -> tuple[IndexArray, IndexArray]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not hits.any():
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    partner = maximum_bipartite_matching(csr_array(hits), perm_type="column")
    rows = np.flatnonzero(partner >= 0)
    return rows, partner[rows].astype(np.intp)


OneSided = Literal["zero", "undefined", "zero_without_output"]
NO_EVENTS = "no events on either side"
NO_TRUE_EVENTS = "no true events"
ONE_SIDE = "the label occurs on one side only"


def event_counts(
    true: TimeLine,
    pred: TimeLine,
    *,
    collar: Threshold = "0.2",
    offset_share: Threshold = "0.5",
    ends: Ends = "both",
    matching: Matching = "optimal",
) -> dict[str, Column]:
    """Collect matched, true and predicted events by label, and the substitutions of one recording."""
    events = match_events(true, pred, collar=collar, offset_share=offset_share, ends=ends, matching=matching)
    counts = [
        np.bincount(labels, minlength=len(events.names)).astype(np.int64)
        for labels in (events.matched, events.true, events.pred)
    ]
    return _label_columns(events.names, counts, events.substituted)


def segment_counts(true: TimeLine, pred: TimeLine, *, resolution: Threshold = 1) -> dict[str, Column]:
    """Collect the same of segments of equal length: a label is active in those that one of its events touches."""
    factor, (size,) = finer_ticks(true.tick, positive_seconds(resolution, "resolution"))
    sides = labelled_events(true, pred, factor)
    first, second = (
        LabelledLine(side.starts // size, -(-side.stops // size), side.label, side.names).united for side in sides
    )
    edges = distinct(np.concatenate((first.starts, first.stops, second.starts, second.stops)))
    n_true, n_pred = (step_depth(edges, side.starts, side.stops) for side in (first, second))
    during = np.diff(edges)
    counts = [_active_on_both(first, second), *(_active_segments(side) for side in (first, second))]
    return _label_columns(first.names, counts, int((np.minimum(n_true, n_pred) * during).sum() - counts[0].sum()))


def _active_segments(side: LabelledLine) -> IntArray:
    total = np.zeros(len(side.names), dtype=np.int64)
    np.add.at(total, side.label, side.stops - side.starts)
    return total


def _active_on_both(first: LabelledLine, second: LabelledLine) -> IntArray:
    rows, columns = overlapping_pairs(first.starts, first.stops, second.starts, second.stops)
    same = first.label[rows] == second.label[columns]
    rows, columns = rows[same], columns[same]
    shared = np.minimum(first.stops[rows], second.stops[columns]) - np.maximum(
        first.starts[rows], second.starts[columns]
    )
    total = np.zeros(len(first.names), dtype=np.int64)
    np.add.at(total, first.label[rows], shared)
    return total


def _label_columns(names: tuple[object, ...], counts: list[IntArray], substituted: int) -> dict[str, Column]:
    occurs = np.flatnonzero(counts[1] + counts[2])
    listed: list[Hashable] = [names[at] for at in occurs.tolist()]
    columns: dict[str, Column] = {"class": listed}
    columns |= {name: count[occurs] for name, count in zip(("tp", "true", "pred"), counts, strict=True)}
    return columns | {"substituted": np.array([substituted])}


def f1_of_labels(sums: Sums, one_sided: OneSided) -> Quotient:
    """Return F1 of every label."""
    check_choice("one_sided", one_sided, OneSided)
    true, pred = sums["true"], sums["pred"]
    occurs = true + pred > 0
    counted = {"zero": occurs, "undefined": (true > 0) & (pred > 0), "zero_without_output": true > 0}[one_sided]
    reason = ONE_SIDE if np.any(occurs) else NO_EVENTS
    return Quotient(2 * sums["tp"], np.where(counted, true + pred, 0), reason, occurs=occurs)


def f1_details(quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, float]:
    """Return F1 of all events together (``overall``), precision and recall."""
    tp, n_true, n_pred = (int(sums[name].sum()) for name in ("tp", "true", "pred"))
    parts = {"overall": (2 * tp, n_true + n_pred), "precision": (tp, n_pred), "recall": (tp, n_true)}
    return {name: top / bottom for name, (top, bottom) in parts.items() if bottom} | _class_mean(quotient)


def error_rate(sums: Sums) -> Quotient:
    """Return (S + D + I) / N over all labels, where a substitution is one error; (FN + FP) / N of each label."""
    wrong = sums["true"] + sums["pred"] - 2 * sums["tp"]
    if not sums.is_by_class:
        wrong = wrong - sums["substituted"]
    return Quotient(wrong, sums["true"], NO_TRUE_EVENTS, occurs=sums["true"] + sums["pred"] > 0)


def error_details(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, float]:
    """Return the rates of the three kinds of errors, their sum, and the mean over labels."""
    details = {} if sums.of_classes is None else _class_mean(sums.of_classes[1])
    tp, n_true, n_pred, substituted = (int(sums[name][0, 0]) for name in ("tp", "true", "pred", "substituted"))
    if n_true:
        parts = {"substitutions": substituted, "deletions": n_true - tp - substituted}
        parts |= {"insertions": n_pred - tp - substituted, "overall": n_true + n_pred - 2 * tp - substituted}
        details |= {name: count / n_true for name, count in parts.items()}
    return details


def _class_mean(quotient: Quotient) -> dict[str, float]:
    values = quotient.values[:, 0]
    defined = values[~np.isnan(values)].tolist()
    return {"class_mean": math.fsum(defined) / len(defined)} if defined else {}


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


_F1 = partial(Aggregation, of_items=("substituted",), describe=f1_details)
_RATE = partial(Aggregation, average=POOLED, of_items=("substituted",), describe=error_details)
_event_score = partial(metric, citation="mesaros2016metrics", compares_labels=True)


@_event_score(
    symbol=r"F_1^{\mathrm{event}}",
    order=30,
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{2\,\mathrm{TP}_c}{N_{\mathrm{true},c} + N_{\mathrm{pred},c}}",
    summary="Event-based F1 of sound events: onsets and offsets within a collar, mean over labels.",
    notes=f"{_MATCHED}{_LABELS} Undefined without events.",
    examples=(Example(*_A, (2 / 3 + 0 + 0) / 3), Example(*_A, (2 / 3 + 1 + 0) / 3, {"collar": 1})),
    statistics=_F1(event_counts),
)
def event_based_f1(sums: Sums, *, one_sided: OneSided = "zero") -> Quotient:
    return f1_of_labels(sums, one_sided)


@_event_score(
    symbol=r"\mathrm{ER}^{\mathrm{event}}",
    formula=r"\frac{S + D + I}{N_{\mathrm{true}}}",
    summary="Event-based error rate of sound events: substitutions, deletions and insertions over true events.",
    bounds=(0, math.inf),
    better="lower",
    is_rate=True,
    notes=f"{_MATCHED}A substitution is a true and a predicted event that are left over and differ only in their "
    "label. Which events are left over may depend on the order of equally good matchings. Undefined without true "
    "events; sed_eval divides by 2.2e-16 then.",
    examples=(Example(*_A, 1), Example(*_A, 1 / 3, {"collar": 1})),
    statistics=_RATE(event_counts),
)
def event_based_error_rate(sums: Sums) -> Quotient:
    return error_rate(sums)


@_event_score(
    symbol=r"F_1^{\mathrm{segment}}",
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{2\,\mathrm{TP}_c}{N_{\mathrm{true},c} + N_{\mathrm{pred},c}}",
    summary="Segment-based F1 of sound events: labels that are active in segments of equal length, mean over labels.",
    symmetric=True,
    notes=f"A label is active in each segment of resolution seconds that one of its events touches. {_LABELS} "
    "Undefined without events.",
    examples=(Example(*_A, (6 / 10 + 6 / 7 + 0) / 3),),
    statistics=_F1(segment_counts),
)
def segment_based_f1(sums: Sums, *, one_sided: OneSided = "zero") -> Quotient:
    return f1_of_labels(sums, one_sided)


@_event_score(
    symbol=r"\mathrm{ER}^{\mathrm{segment}}",
    formula=r"\frac{S + D + I}{N_{\mathrm{true}}}",
    summary="Segment-based error rate of sound events: substitutions, deletions and insertions in segments of equal "
    "length, over active true labels.",
    bounds=(0, math.inf),
    better="lower",
    is_rate=True,
    notes="In each segment, as many labels are substituted as are wrong on both sides; the rest is deleted or "
    "inserted. Undefined without true events; sed_eval divides by 2.2e-16 then.",
    examples=(Example(*_A, 5 / 10),),
    statistics=_RATE(segment_counts),
)
def segment_based_error_rate(sums: Sums) -> Quotient:
    return error_rate(sums)
