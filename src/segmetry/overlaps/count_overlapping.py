"""Count the overlaps of masks, sets and intervals, whose segments may overlap each other on one side.

The counts of polygons are areas, in halves of a square of the common precision.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, sum_by
from segmetry.errors import InputError
from segmetry.kernels import RunLengthMasks, intersect_run_lengths, overlapping_pairs, sizes, union_run_lengths, united
from segmetry.overlaps.build import crowd_flags, with_classes
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation import (
    Masks,
    Pieces,
    Polygons,
    Sets,
    TimeIntervals,
    covered,
    earlier_pieces,
    in_common_steps,
    pieces,
)


def count_masks(true: Masks, pred: Masks) -> OverlapTable:
    """Intersect the run lengths of both sides; elements outside are those not in the union of the other side."""
    row_true, row_pred, shared = intersect_run_lengths(true.run_lengths, pred.run_lengths, line=true.shape[0])
    true_union = union_run_lengths(true.run_lengths)
    pred_union = union_run_lengths(pred.run_lengths)
    true_order, pred_order = np.argsort(true.ids, kind="stable"), np.argsort(pred.ids, kind="stable")

    def side(masks: Masks, order: NDArray[np.intp], opposite_union: RunLengthMasks) -> Side:
        rows, _, inside = intersect_run_lengths(masks.run_lengths, opposite_union)
        covered = sum_by(rows, inside, masks.ids.size)
        ids = masks.ids[order]
        return Side(
            ids=ids,
            sizes=masks.sizes[order],
            outside=(masks.sizes - covered)[order],
            void=np.zeros(ids.size, dtype=np.int64),
            **crowd_flags(masks, ids),
            disjoint=masks.is_disjoint,
        )

    true_rank, pred_rank = np.argsort(true_order), np.argsort(pred_order)
    at_true, at_pred = true_rank[row_true], pred_rank[row_pred]
    order = np.lexsort((at_pred, at_true))
    covered_both = int(intersect_run_lengths(true_union, pred_union)[2].sum())
    covered_each = (int(sizes(union).sum()) for union in (true_union, pred_union))
    covered_any = sum(covered_each) - covered_both
    table = OverlapTable(
        true=side(true, true_order, pred_union),
        pred=side(pred, pred_order, true_union),
        row_true=at_true[order],
        row_pred=at_pred[order],
        shared=shared[order],
        background=BackgroundCounts(outside_outside=true.n_elements - covered_any),
        n_elements=true.n_elements,
    )
    return with_classes(table, true.classes, pred.classes)


def count_sets(true: Sets, pred: Sets) -> OverlapTable:
    """Look for every element of a true segment in the predicted ones."""
    preds_of: dict[Hashable, list[int]] = {}
    pred_ids, true_ids = sorted(pred.segments), sorted(true.segments)
    for position, segment in enumerate(pred_ids):
        for element in pred.segments[segment]:
            preds_of.setdefault(element, []).append(position)
    counts: dict[tuple[int, int], int] = {}
    for position, segment in enumerate(true_ids):
        for element in true.segments[segment]:
            for pred_position in preds_of.get(element, ()):
                counts[position, pred_position] = counts.get((position, pred_position), 0) + 1
    universe = true.universe or pred.universe or (true.elements | pred.elements)
    rows = sorted(counts)

    def side(sets: Sets, ids: list[int], opposite: Sets) -> Side:
        return Side(
            ids=np.array(ids, dtype=np.int64),
            sizes=np.array([len(sets.segments[segment]) for segment in ids], dtype=np.int64),
            outside=np.array([len(sets.segments[segment] - opposite.elements) for segment in ids], dtype=np.int64),
            void=np.zeros(len(ids), dtype=np.int64),
            disjoint=sets.is_disjoint,
        )

    table = OverlapTable(
        true=side(true, true_ids, pred),
        pred=side(pred, pred_ids, true),
        row_true=np.array([row[0] for row in rows], dtype=np.intp),
        row_pred=np.array([row[1] for row in rows], dtype=np.intp),
        shared=np.array([counts[row] for row in rows], dtype=np.int64),
        background=BackgroundCounts(outside_outside=len(universe - true.elements - pred.elements)),
        n_elements=len(universe),
    )
    return with_classes(table, true.classes, pred.classes)


def count_intervals(true: TimeIntervals, pred: TimeIntervals) -> OverlapTable:
    """Return the overlap table; intervals without a scored element are left out."""
    stated = true.scored if true.scored is not None else pred.scored
    whole = np.array([0], dtype=np.int64), np.array([true.n], dtype=np.int64)
    parts = whole if stated is None else stated
    lengths = [_covered(side.starts, side.stops, *parts) for side in (true, pred)]
    kept = [np.flatnonzero(length) for length in lengths]
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
        size = lengths[number][kept[number]]
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


def count_areas(true: Polygons, pred: Polygons) -> OverlapTable:
    """Intersect the polygons of two sides. The domain is the area that either side covers, as a map has no edge."""
    first, second = in_common_steps(true, pred)
    sizes = first.sizes, second.sizes  # raises for polygons that are too wide, before intersecting
    shared_pieces = pieces(first.geometries, second.geometries)
    disjoint = first.is_disjoint, second.is_disjoint
    inside = _inside(shared_pieces, first, "true", others_disjoint=disjoint[1])
    swapped = _swapped(shared_pieces) if disjoint[0] else pieces(second.geometries, first.geometries)
    inside_pred = _inside(swapped, second, "pred", others_disjoint=disjoint[0])
    kept = shared_pieces.shared > 0
    orders = np.argsort(first.ids, kind="stable"), np.argsort(second.ids, kind="stable")
    row_true, row_pred = (
        np.argsort(orders[0])[shared_pieces.first[kept]],
        np.argsort(orders[1])[shared_pieces.second[kept]],
    )
    rows = np.lexsort((row_pred, row_true))
    table = OverlapTable(
        true=_side(first, sizes[0], inside, orders[0], disjoint=disjoint[0]),
        pred=_side(second, sizes[1], inside_pred, orders[1], disjoint=disjoint[1]),
        row_true=row_true[rows],
        row_pred=row_pred[rows],
        shared=shared_pieces.shared[kept][rows],
        background=BackgroundCounts(),
        n_elements=_covered_area(first, second, shared_pieces, both_disjoint=all(disjoint)),
    )
    return with_classes(table, true.classes, pred.classes)


def covered_by(own: Polygons, segment: int, others: Polygons, members: list[int]) -> int:
    """Return the area of a polygon that some polygons of the other side cover."""
    both = in_common_steps(own, others)
    first = both[0].geometries[own.ids == segment]
    second = both[1].geometries[np.isin(others.ids, members)]
    return int(covered(pieces(first, second), 1)[0])


def _inside(shared_pieces: Pieces, own: Polygons, side: str, *, others_disjoint: bool) -> IntArray:
    """Return the area of every polygon that polygons of the other side cover."""
    count = own.ids.size
    if not others_disjoint:
        return covered(shared_pieces, count)
    total = sum_by(shared_pieces.first, shared_pieces.shared, count)
    over = np.flatnonzero(total > own.sizes)
    if over.size:  # thousands of slivers, each within the tolerance of an integer
        raise InputError(
            f"{side}: the parts of segment {own.ids[over[0]]} are too small to be counted; state a finer precision= "
            "(--precision)"
        )
    return total


def _swapped(both: Pieces) -> Pieces:
    order = np.lexsort((both.first, both.second))
    return Pieces(both.second[order], both.first[order], both.shapes[order], both.shared[order])


def _side(polygons: Polygons, sizes: IntArray, inside: IntArray, order: NDArray[np.intp], *, disjoint: bool) -> Side:
    return Side(
        ids=polygons.ids[order],
        sizes=sizes[order],
        outside=(sizes - inside)[order],
        void=np.zeros(order.size, dtype=np.int64),
        disjoint=disjoint,
    )


def _covered_area(true: Polygons, pred: Polygons, shared_pieces: Pieces, *, both_disjoint: bool) -> int:
    total = int(true.sizes.sum()) + int(pred.sizes.sum())
    if both_disjoint:
        return total - int(shared_pieces.shared.sum())
    everything = np.concatenate((true.geometries, pred.geometries))
    return total - int(covered(earlier_pieces(everything), everything.size).sum())
