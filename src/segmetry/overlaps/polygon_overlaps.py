"""The overlap table of two sides of polygons: its counts are areas, in halves of a square of the common precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray, common_step, sum_by
from segmetry.errors import InputError
from segmetry.overlaps.build import with_classes
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation.polygon_areas import Pieces, covered, earlier_pieces, pieces
from segmetry.segmentation.polygons import Polygons


def count_areas(true: Polygons, pred: Polygons) -> OverlapTable:
    """Intersect every two polygons that touch. The domain is what either side covers: a map has no edge."""
    step = common_step(true.precision, pred.precision)
    first, second = true.in_steps_of(step), pred.in_steps_of(step)
    sizes = first.sizes, second.sizes  # refuses polygons that are too wide before anything is cut
    found = pieces(first.geometries, second.geometries)
    disjoint = first.is_disjoint, second.is_disjoint
    inside = _inside(found, first, "true", others_disjoint=disjoint[1])
    turned = _turned(found) if disjoint[0] else pieces(second.geometries, first.geometries)
    inside_pred = _inside(turned, second, "pred", others_disjoint=disjoint[0])
    whole = found.shared > 0
    orders = np.argsort(first.ids, kind="stable"), np.argsort(second.ids, kind="stable")
    row_true, row_pred = np.argsort(orders[0])[found.first[whole]], np.argsort(orders[1])[found.second[whole]]
    rows = np.lexsort((row_pred, row_true))
    table = OverlapTable(
        true=_side(first, sizes[0], inside, orders[0], disjoint=disjoint[0]),
        pred=_side(second, sizes[1], inside_pred, orders[1], disjoint=disjoint[1]),
        row_true=row_true[rows],
        row_pred=row_pred[rows],
        shared=found.shared[whole][rows],
        nowhere=BackgroundCounts(),
        n_elements=_together(first, second, found, both_disjoint=all(disjoint)),
    )
    return with_classes(table, true.classes, pred.classes)


def covered_by(own: Polygons, segment: int, others: Polygons, members: list[int]) -> int:
    """How much of a polygon some of the other side cover together."""
    step = common_step(own.precision, others.precision)
    first = own.in_steps_of(step).geometries[own.ids == segment]
    second = others.in_steps_of(step).geometries[np.isin(others.ids, members)]
    return int(covered(pieces(first, second), 1)[0])


def _inside(found: Pieces, own: Polygons, side: str, *, others_disjoint: bool) -> IntArray:
    """How much of every polygon lies in those of the other side."""
    count = own.ids.size
    if not others_disjoint:
        return covered(found, count)
    total = sum_by(found.first, found.shared, count)
    over = np.flatnonzero(total > own.sizes)
    if over.size:  # thousands of slivers, each within the tolerance of a whole number
        raise InputError(
            f"{side}: the parts of segment {own.ids[over[0]]} are too small to be counted; state a finer precision= "
            "(--precision)"
        )
    return total


def _turned(found: Pieces) -> Pieces:
    order = np.lexsort((found.first, found.second))
    return Pieces(found.second[order], found.first[order], found.shapes[order], found.shared[order])


def _side(found: Polygons, sizes: IntArray, inside: IntArray, order: NDArray[np.intp], *, disjoint: bool) -> Side:
    return Side(
        ids=found.ids[order],
        sizes=sizes[order],
        outside=(sizes - inside)[order],
        void=np.zeros(order.size, dtype=np.int64),
        disjoint=disjoint,
    )


def _together(true: Polygons, pred: Polygons, found: Pieces, *, both_disjoint: bool) -> int:
    """The area that polygons of either side cover."""
    total = int(true.sizes.sum()) + int(pred.sizes.sum())
    if both_disjoint:
        return total - int(found.shared.sum())
    everything = np.concatenate((true.geometries, pred.geometries))
    return total - int(covered(earlier_pieces(everything), everything.size).sum())
