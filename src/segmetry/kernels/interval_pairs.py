"""Half-open intervals on a line: which ones overlap, and what they cover together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IndexArray, IntArray, range_positions, sum_by
from segmetry.kernels.backend import kernel


def overlapping_pairs(
    first_starts: IntArray, first_stops: IntArray, second_starts: IntArray, second_stops: IntArray
) -> tuple[IndexArray, IndexArray]:
    """Return the positions of all pairs, one interval of each list, that share something.

    Two intervals overlap if the second starts within the first, or the first within the second, but not both at once
    unless they start together. So each pair is found once, by searching the starts.
    """
    in_first = _starting_within(first_starts, first_stops, second_starts, "left")
    in_second = _starting_within(second_starts, second_stops, first_starts, "right")
    return np.concatenate((in_first[0], in_second[1])), np.concatenate((in_first[1], in_second[0]))


def _starting_within(starts: IntArray, stops: IntArray, points: IntArray, side: str) -> tuple[IndexArray, IndexArray]:
    """Return each interval with each point in it; with ``side="right"`` its own start does not count."""
    order = np.argsort(points, kind="stable")
    ranked = points[order]
    low = np.searchsorted(ranked, starts, side="left" if side == "left" else "right")
    high = np.searchsorted(ranked, stops, side="left")
    count = np.maximum(high - low, 0)
    return np.repeat(np.arange(starts.size), count), order[range_positions(low, count)]


def united(starts: IntArray, stops: IntArray, group: IntArray | None = None) -> tuple[IntArray, IntArray, IntArray]:
    """Return starts, stops and groups of the maximal intervals of each group; those that touch become one."""
    groups = np.zeros(starts.size, dtype=np.int64) if group is None else np.asarray(group, dtype=np.int64)
    if not starts.size:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    order = np.lexsort((starts, groups))
    first, last, groups = starts[order], stops[order], groups[order]
    # Groups side by side on one line, too far apart to touch: one running maximum serves all of them.
    shift = (int(last.max()) - int(first.min()) + 1) * np.cumsum(np.diff(groups, prepend=groups[:1]) != 0)
    reach = np.maximum.accumulate(last + shift)
    fresh = np.concatenate(([True], (first + shift)[1:] > reach[:-1]))
    begins = np.flatnonzero(fresh)
    ends = np.append(begins[1:], first.size) - 1
    return first[begins], (reach - shift)[ends], groups[begins]


class LineOverlaps(NamedTuple):
    """Positions of the spans of every pair that overlaps, in order, and the elements that the two share.

    ``true_outside`` and ``pred_outside`` count the elements of each span that are in no span of the other side.
    """

    row_true: IntArray
    row_pred: IntArray
    shared: IntArray
    true_outside: IntArray
    pred_outside: IntArray


StartsAndStops = tuple[IntArray, IntArray]
"""Starts and stops of disjoint spans in order."""


@kernel(lambda native, true, pred: LineOverlaps(*native.line_overlaps(*map(np.ascontiguousarray, (*true, *pred)))))
def line_overlaps(true: StartsAndStops, pred: StartsAndStops) -> LineOverlaps:
    """Return the overlaps of two sets of disjoint spans."""
    # Each side is sorted, so a stable sort merges them in linear time.
    edges = np.sort(np.concatenate([np.stack(side, axis=1).ravel() for side in (true, pred)]), kind="stable")
    left, lengths = edges[:-1], np.diff(edges)
    at_true, at_pred = _span_at(true, left), _span_at(pred, left)
    both = (at_true >= 0) & (at_pred >= 0) & (lengths > 0)
    row_true, row_pred, shared = at_true[both], at_pred[both], lengths[both]
    outside = (
        stops - starts - sum_by(rows, shared, starts.size)
        for (starts, stops), rows in ((true, row_true), (pred, row_pred))
    )
    return LineOverlaps(row_true, row_pred, shared, *outside)


def _span_at(spans: StartsAndStops, positions: IntArray) -> NDArray[np.intp]:
    """Return the index of the span that contains each position, -1 for a gap."""
    starts, stops = spans
    at = np.searchsorted(starts, positions, side="right") - 1
    if not starts.size:
        return at
    return np.where((at >= 0) & (positions < stops[at]), at, -1)
