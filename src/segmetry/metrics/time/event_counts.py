r"""The counts behind event-based and segment-based scores of sound events, by label, and the scores of their sums.

F1 of a label = 2 TP / (N_true + N_pred). The error rate is (S + D + I) / N_true over all labels: S substitutions, D
deletions and I insertions; of one label alone it is (FN + FP) / N_true.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Literal

import numpy as np

from segmetry._base.distinct_values import distinct
from segmetry._base.exact import IntArray, Threshold
from segmetry.errors import OptionError
from segmetry.kernels.interval_pairs import overlapping_pairs
from segmetry.metrics.accumulator import Collected, Column, Combined
from segmetry.metrics.score import Score
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
    missed, extra = (int(count.sum() - counts[0].sum()) - events.substituted for count in counts[1:])
    return _columns(events.names, counts, (events.substituted, missed, extra))


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
    return _columns(
        first.names,
        counts,
        (
            int((np.minimum(n_true, n_pred) * during).sum() - counts[0].sum()),
            int((np.maximum(n_true - n_pred, 0) * during).sum()),
            int((np.maximum(n_pred - n_true, 0) * during).sum()),
        ),
    )


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


def _columns(names: tuple[object, ...], counts: list[IntArray], errors: tuple[int, int, int]) -> dict[str, Column]:
    occurs = np.flatnonzero(counts[1] + counts[2])
    listed: list[Hashable] = [names[at] for at in occurs.tolist()]
    columns: dict[str, Column] = {"class": listed}
    columns |= {name: count[occurs] for name, count in zip(("tp", "true", "pred"), counts, strict=True)}
    return columns | {"errors": np.array([errors], dtype=np.int64)}


def f1_of_labels(key: str, collected: Collected, one_sided: OneSided) -> Combined:
    """Return the mean over labels of F1; ``overall`` among the details is the F1 of all events together."""
    if one_sided not in ("zero", "undefined", "zero_without_output"):
        raise OptionError(f"one_sided is {one_sided!r}; expected one of zero, undefined, zero_without_output")
    names, tp, true, pred = _sums(collected)
    classes: dict[Hashable, Score] = {}
    for name, hits, n_true, n_pred in zip(names, tp, true, pred, strict=True):
        if not n_true + n_pred:
            continue
        left_out = not (n_true and n_pred) and one_sided != "zero"
        if left_out and not (one_sided == "zero_without_output" and n_true):
            classes[name] = Score.undefined(key, ONE_SIDE)
        else:
            classes[name] = Score.of(key, 2 * hits, n_true + n_pred)
    values = [score.value for score in classes.values() if score.is_defined]
    total, n_true, n_pred = sum(tp), sum(true), sum(pred)
    details: dict[str, Any] = {}
    if n_true + n_pred:
        details["overall"] = 2 * total / (n_true + n_pred)
    for name, count in (("precision", n_pred), ("recall", n_true)):
        if count:
            details[name] = total / count
    reason = NO_EVENTS if not classes else ONE_SIDE
    value = Score.of(key, math.fsum(values), len(values), reason, **details)
    if value.is_defined:
        value = Score.of(key, math.fsum(values), len(values), reason, **details, class_mean=value.value)
    return Combined(value, classes)


def error_rate(key: str, collected: Collected) -> Combined:
    """Return (S + D + I) / N over all labels; the values of labels are (FN + FP) / N."""
    names, tp, true, pred = _sums(collected)
    substituted, missed, extra = (int(total) for total in collected.total("errors").tolist())
    n_true = sum(true)
    classes: dict[Hashable, Score] = {
        name: Score.of(key, of + found - 2 * hits, of, NO_TRUE_EVENTS)
        for name, hits, of, found in zip(names, tp, true, pred, strict=True)
        if of + found
    }
    values = [score.value for score in classes.values() if score.is_defined]
    details: dict[str, Any] = {"class_mean": math.fsum(values) / len(values)} if values else {}
    if n_true:
        parts = (("substitutions", substituted), ("deletions", missed), ("insertions", extra))
        details |= {name: count / n_true for name, count in parts}
        details["overall"] = (substituted + missed + extra) / n_true
    return Combined(Score.of(key, substituted + missed + extra, n_true, NO_TRUE_EVENTS, **details), classes)


def _sums(collected: Collected) -> tuple[tuple[Hashable, ...], list[int], list[int], list[int]]:
    names = collected.labels.get("class", ())
    sums = []
    for column in ("tp", "true", "pred"):
        total = np.zeros(len(names), dtype=np.int64)
        if names:
            np.add.at(total, collected.columns["class"], collected.columns[column] * collected.times_of(column))
        sums.append(total.tolist())
    return names, sums[0], sums[1], sums[2]
