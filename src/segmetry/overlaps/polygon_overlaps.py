"""Overlap tables of polygons: counts are areas, in halves of a square of the common precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, common_step, sum_by
from segmetry.errors import InputError
from segmetry.overlaps.build import with_classes
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation import Pieces, Polygons, covered, earlier_pieces, pieces


def count_areas(true: Polygons, pred: Polygons) -> OverlapTable:
    """Intersect the polygons of two sides. The domain is the area that either side covers, as a map has no edge."""
    step = common_step(true.precision, pred.precision)
    first, second = true.in_steps_of(step), pred.in_steps_of(step)
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
    step = common_step(own.precision, others.precision)
    first = own.in_steps_of(step).geometries[own.ids == segment]
    second = others.in_steps_of(step).geometries[np.isin(others.ids, members)]
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
