"""Overlaps of intervals that may overlap on either side; what is not scored does not count."""

from __future__ import annotations

import numpy as np

from segmetry._base.exact import IntArray, sum_by
from segmetry.kernels.interval_pairs import overlapping_pairs, united
from segmetry.overlaps.build import with_classes
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation.time_intervals import TimeIntervals


def count_intervals(true: TimeIntervals, pred: TimeIntervals) -> OverlapTable:
    """Return the overlap table; intervals without a scored element are left out.

    >>> table = count_intervals(TimeIntervals([0, 2], [4, 6], n=8), TimeIntervals([3], [8]))
    >>> table.shared.tolist(), table.pred.outside.tolist(), table.n_elements
    ([1, 3], [2], 8)
    """
    stated = true.scored if true.scored is not None else pred.scored
    whole = np.array([0], dtype=np.int64), np.array([true.n], dtype=np.int64)
    parts = whole if stated is None else stated
    sizes = [_covered(side.starts, side.stops, *parts) for side in (true, pred)]
    kept = [np.flatnonzero(size) for size in sizes]
    ends = [(side.starts[at], side.stops[at]) for side, at in zip((true, pred), kept, strict=True)]
    at_true, at_pred = overlapping_pairs(*ends[0], *ends[1])
    starts = np.maximum(ends[0][0][at_true], ends[1][0][at_pred])
    stops = np.minimum(ends[0][1][at_true], ends[1][1][at_pred])
    shared = _covered(starts, stops, *parts)
    order = np.lexsort((at_pred, at_true))
    rows = order[shared[order] > 0]
    unions = [united(*pair)[:2] for pair in ends]
    either = united(*(np.concatenate([pair[at] for pair in ends]) for at in (0, 1)))[:2]
    n = int((parts[1] - parts[0]).sum())

    def side(number: int) -> Side:
        size = sizes[number][kept[number]]
        return Side(
            ids=kept[number].astype(np.int64) + 1,
            sizes=size,
            outside=size - _shared_with(ends[number], unions[1 - number], parts),
            void=np.zeros(size.size, dtype=np.int64),
            disjoint=(true, pred)[number].is_disjoint,
        )

    table = OverlapTable(
        true=side(0),
        pred=side(1),
        row_true=at_true[rows],
        row_pred=at_pred[rows],
        shared=shared[rows],
        background=BackgroundCounts(outside_outside=n - int(_covered(*either, *parts).sum())),
        n_elements=n,
    )
    return with_classes(table, true.classes, pred.classes)


def _covered(starts: IntArray, stops: IntArray, part_starts: IntArray, part_stops: IntArray) -> IntArray:
    """Return how many elements of each interval are in one of some disjoint parts."""

    def before(points: IntArray) -> IntArray:
        lengths = part_stops - part_starts
        at = np.searchsorted(part_starts, points, side="right")
        whole = np.concatenate(([0], np.cumsum(lengths)))[at]
        last = np.maximum(at - 1, 0)
        beyond = np.maximum(part_stops[last] - points, 0) if part_stops.size else np.zeros(points.size, dtype=np.int64)
        return whole - np.where(at > 0, beyond, 0)

    return before(stops) - before(starts)


def _shared_with(
    ends: tuple[IntArray, IntArray], union: tuple[IntArray, IntArray], parts: tuple[IntArray, IntArray]
) -> IntArray:
    """Return how many scored elements of each interval are in the union of the other side."""
    rows, columns = overlapping_pairs(*ends, *union)
    starts, stops = np.maximum(ends[0][rows], union[0][columns]), np.minimum(ends[1][rows], union[1][columns])
    return sum_by(rows, _covered(starts, stops, *parts), ends[0].size)
