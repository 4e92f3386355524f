"""The overlaps of the spans of two sides of a line: one walk along both, in linear time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray, sum_by
from segmetry.kernels.backend import native


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


def line_overlaps(true: StartsAndStops, pred: StartsAndStops) -> LineOverlaps:
    """Return the overlaps of two sets of disjoint spans.

    >>> pairs = line_overlaps((np.array([0, 4]), np.array([3, 9])), (np.array([2]), np.array([6])))
    >>> [column.tolist() for column in pairs]
    [[0, 1], [0, 0], [1, 2], [2, 3], [1]]
    """
    if native is None:
        return line_overlaps_numpy(true, pred)
    return LineOverlaps(*native.line_overlaps(*map(np.ascontiguousarray, (*true, *pred))))


def line_overlaps_numpy(true: StartsAndStops, pred: StartsAndStops) -> LineOverlaps:
    """The numpy twin of :func:`line_overlaps`: each piece between two edges is in at most one span per side."""
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
