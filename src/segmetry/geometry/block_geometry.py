"""Area, box and perimeter of every segment of a label array, block by block if it is a stored array.

A block counts the edges of its own frame as part of the perimeter. Where two blocks meet that is right for two
different labels and counts equal ones twice too often, so every block keeps its last plane along each axis until its
neighbour is read, and equal labels across the border are subtracted. Memory holds one block and about as many planes
as the array has axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, is_new
from segmetry.kernels import LabelNDArray, SegmentGeometry, count_pairs, id_dtype, segment_geometry
from segmetry.overlaps import BlockPlan, Ids, plan_of
from segmetry.segmentation import LabelArray
from segmetry.storage import Region

# Columns of GeometrySums.numbers.
AREA, PERIMETER, FRAME, INTERIOR = range(4)


def label_geometry(array: LabelArray, *, pixels: bool = True) -> SegmentGeometry:
    """Return the geometry of every label. Counting boundary ``pixels`` reads the neighbours of every block again."""
    plan = plan_of(array, array)
    if plan is None:
        return segment_geometry(array.labels)
    total: list[GeometrySums] = []
    faces: dict[tuple[int, int], LabelNDArray] = {}
    for number in range(len(plan)):
        box = plan.box(number)
        labels = array.read(box)
        total.append(_sums_inside(labels, box))
        total += _frame_sums(labels, box, array)
        total += _border_sums(labels, plan, number, faces)
        if pixels:
            total.append(_interior_sums(array, box))
        total = [added(total)]
    ((ids, numbers, low, high),) = total
    return SegmentGeometry(
        labels=ids,
        area=numbers[:, AREA],
        box=np.stack((low, high), axis=-1),
        perimeter=numbers[:, PERIMETER],
        frame=numbers[:, FRAME],
        inner_pixels=numbers[:, AREA] - numbers[:, INTERIOR],
    )


class GeometrySums(NamedTuple):
    """Counts and boxes of labels, sorted by label."""

    ids: Ids
    numbers: IntArray
    low: IntArray
    high: IntArray

    @classmethod
    def of(cls, ids: Ids, column: int, counts: IntArray, axes: int) -> GeometrySums:
        """Return one count per label, without boxes."""
        numbers = np.zeros((ids.size, 4), np.int64)
        numbers[:, column] = counts
        limits = np.iinfo(np.int64)
        # Neutral for the minimum and maximum by which boxes are added.
        low, high = np.full((ids.size, axes), limits.max), np.full((ids.size, axes), limits.min)
        return cls(ids, numbers, low, high)


def added(parts: list[GeometrySums]) -> GeometrySums:
    """Add the sums of several parts."""
    ids, numbers, low, high = (np.concatenate(column) for column in zip(*parts, strict=True))
    if not ids.size:
        return parts[0]
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    first = np.flatnonzero(is_new(ids))
    return GeometrySums(
        ids[first],
        np.add.reduceat(numbers[order], first),
        np.minimum.reduceat(low[order], first),
        np.maximum.reduceat(high[order], first),
    )


def _sums_inside(labels: LabelNDArray, box: Region) -> GeometrySums:
    geometry = segment_geometry(labels)
    start = np.array([part.start for part in box])
    numbers = np.zeros((geometry.labels.size, 4), np.int64)
    numbers[:, AREA], numbers[:, PERIMETER] = geometry.area, geometry.perimeter
    return GeometrySums(geometry.labels, numbers, geometry.box[..., 0] + start, geometry.box[..., 1] + start)


def _plane_at(labels: LabelNDArray, axis: int, at: int) -> LabelNDArray:
    return labels[(slice(None),) * axis + (at,)]


def _column_sums(labels: LabelNDArray, column: int, axes: int) -> GeometrySums:
    counted = count_pairs(labels, labels)
    return GeometrySums.of(counted.true_labels, column, counted.counts, axes)


def _frame_sums(labels: LabelNDArray, box: Region, array: LabelArray) -> list[GeometrySums]:
    """Count the elements on the frame of the whole array."""
    ends = [
        _plane_at(labels, axis, at)
        for axis, (part, length) in enumerate(zip(box, array.domain, strict=True))
        for at, on_frame in ((0, part.start == 0), (-1, part.stop == length))
        if on_frame
    ]
    return [_column_sums(np.atleast_1d(plane), FRAME, array.axes) for plane in ends]


def _border_sums(
    labels: LabelNDArray, plan: BlockPlan, number: int, faces: dict[tuple[int, int], LabelNDArray]
) -> list[GeometrySums]:
    """Subtract equal labels on both sides of the borders to earlier blocks; their edges were counted on both."""
    sums, place = [], np.unravel_index(number, plan.counts)
    for axis, at in enumerate(place):
        if at > 0:
            before = faces.pop((axis, number))
            counted = count_pairs(before, np.atleast_1d(_plane_at(labels, axis, 0)))
            same = counted.true_labels == counted.pred_labels
            # Each of the two blocks counted this edge as part of its own frame.
            sums.append(GeometrySums.of(counted.true_labels[same], PERIMETER, -2 * counted.counts[same], labels.ndim))
        if at + 1 < plan.counts[axis]:
            behind = number + int(np.prod(plan.counts[axis + 1 :], dtype=np.int64))
            # A copy: a view would keep the whole block in memory.
            faces[axis, behind] = np.array(np.atleast_1d(_plane_at(labels, axis, -1)))
    return sums


def _interior_sums(array: LabelArray, box: Region) -> GeometrySums:
    """Count the elements all of whose neighbours along the axes are in the same segment."""
    wide = tuple(
        slice(max(0, p.start - 1), min(length, p.stop + 1)) for p, length in zip(box, array.domain, strict=True)
    )
    around = array.read(wide)
    core = tuple(slice(p.start - w.start, p.stop - w.start) for p, w in zip(box, wide, strict=True))
    labels = around[core]
    same: NDArray[np.bool_] = np.ones(labels.shape, dtype=bool)
    for axis, (part, length) in enumerate(zip(box, array.domain, strict=True)):
        for step, on_frame, at in ((-1, part.start == 0, 0), (1, part.stop == length, -1)):
            lines = slice(None, None)
            if on_frame:
                _plane_at(same, axis, at)[...] = False
                lines = slice(1, None) if step < 0 else slice(None, -1)
            here = (slice(None),) * axis + (lines,)
            own = core[axis].start + (1 if on_frame and step < 0 else 0)
            until = core[axis].stop - (1 if on_frame and step > 0 else 0)
            shifted = (*core[:axis], slice(own + step, until + step), *core[axis + 1 :])
            same[here] &= labels[here] == around[shifted]
    # Pairs of label and flag, counted in one pass by the kernel of overlaps.
    counted = count_pairs(labels, same)
    inside = counted.pred_labels == 1
    return GeometrySums.of(
        counted.true_labels[inside].astype(id_dtype(labels)), INTERIOR, counted.counts[inside], labels.ndim
    )
