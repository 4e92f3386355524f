r"""The counts behind event-based and segment-based scores of sound events, by label, and the scores of their sums.

F1 of a label = 2 TP / (N_true + N_pred). The error rate is (S + D + I) / N_true over all labels: S substitutions, D
deletions and I insertions; of one label alone it is (FN + FP) / N_true.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np

from segmetry._base.exact import IntArray, Threshold, distinct
from segmetry.errors import OptionError
from segmetry.kernels.interval_pairs import overlapping_pairs
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.metrics.time.event_matching import Ends, Matching, labelled_events, match_events
from segmetry.metrics.time.labelled_line import LabelledLine, TimeLine, finer_ticks, seconds
from segmetry.metrics.time.speaker_times import step_depth

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
    return _columns(events.names, counts, events.substituted)


def segment_counts(true: TimeLine, pred: TimeLine, *, resolution: Threshold = 1) -> dict[str, Column]:
    """Collect the same of segments of equal length: a label is active in those that one of its events touches."""
    length = seconds(resolution, "resolution")
    if not length:
        raise OptionError(f"resolution is {resolution!r}; expected a positive number of seconds")
    factor, (size,) = finer_ticks(true.tick, length)
    sides = labelled_events(true, pred, factor)
    first, second = (
        LabelledLine(side.starts // size, -(-side.stops // size), side.label, side.names).united for side in sides
    )
    edges = distinct(np.concatenate((first.starts, first.stops, second.starts, second.stops)))
    n_true, n_pred = (step_depth(edges, side.starts, side.stops) for side in (first, second))
    during = np.diff(edges)
    counts = [_active_on_both(first, second), *(_active(side) for side in (first, second))]
    return _columns(first.names, counts, int((np.minimum(n_true, n_pred) * during).sum() - counts[0].sum()))


def _active(side: LabelledLine) -> IntArray:
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


def _columns(names: tuple[object, ...], counts: list[IntArray], substituted: int) -> dict[str, Column]:
    occurs = np.flatnonzero(counts[1] + counts[2])
    listed: list[Hashable] = [names[at] for at in occurs.tolist()]
    columns: dict[str, Column] = {"class": listed}
    columns |= {name: count[occurs] for name, count in zip(("tp", "true", "pred"), counts, strict=True)}
    return columns | {"substituted": np.array([substituted])}


def f1_of_labels(sums: Sums, one_sided: OneSided) -> Quotient:
    """Return F1 of every label."""
    if one_sided not in ("zero", "undefined", "zero_without_output"):
        raise OptionError(f"one_sided is {one_sided!r}; expected one of zero, undefined, zero_without_output")
    true, pred = sums["true"], sums["pred"]
    counted = {
        "zero": true + pred > 0,
        "undefined": (true > 0) & (pred > 0),
        "zero_without_output": true > 0,
    }[one_sided]
    occurs = true + pred > 0
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
