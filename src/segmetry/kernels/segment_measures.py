"""Area, bounding box and perimeter of every segment of a label array, in one pass.

The perimeter is the *crack length*: the number of unit edges (2-D) or unit faces (3-D) between the segment and its
complement, the frame of the image included. A rectangle of a times b elements has perimeter 2(a + b), so that the
shape index perimeter / (4·sqrt(area)) of a square is 1.

One-pixel boundaries of the segments of an image, how many of their pixels are near those of another, label changes.

A pixel is in the boundary of a segment iff the pixel, its right neighbour, the one below and the one below to the right
are partly inside and partly outside of the segment, so that the boundary lies half a pixel towards the origin; only
neighbours inside the image count. This is ``seg2bmap`` of the Berkeley benchmark (Martin et al.), which DAVIS uses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base import IntArray
from segmetry.errors import InputError
from segmetry.kernels.backend import kernel
from segmetry.kernels.label_arrays import LabelNDArray, as_label_array, dense_labels, id_dtype, unsigned_view


class SegmentGeometry(NamedTuple):
    """One entry per label, in ascending order of the labels; the background is a label like any other."""

    labels: NDArray[Any]
    """The labels that occur: int64, or uint64 where the array is uint64."""
    area: NDArray[np.int64]
    """Number of elements."""
    box: NDArray[np.int64]
    """Bounding boxes, (labels, axes, 2): first index and last index + 1 along each axis."""
    perimeter: NDArray[np.int64]
    """Unit edges or faces between the segment and its complement, the frame included."""
    frame: NDArray[np.int64]
    """How many of these are on the frame: ``perimeter - frame`` leaves them out."""
    inner_pixels: NDArray[np.int64]
    """Elements with a neighbour along an axis that is not in the segment; outside the array nothing is."""


@kernel(lambda native, labels: _geometry_native(native, as_label_array(labels)))
def segment_geometry(labels: ArrayLike) -> SegmentGeometry:
    """Return area, box, perimeter and inner boundary of every label; the time does not depend on their values."""
    from scipy.ndimage import find_objects

    array = as_label_array(labels)
    ids, dense = dense_labels(array)

    def count(where: NDArray[np.intp]) -> NDArray[np.int64]:
        return np.bincount(where.ravel(), minlength=len(ids)).astype(np.int64)

    perimeter, frame = np.zeros((2, len(ids)), np.int64)
    boundary = np.zeros(array.shape, bool)
    for axis in range(array.ndim):
        lines, edges = np.moveaxis(dense, axis, 0), np.moveaxis(boundary, axis, 0)
        before, behind = lines[:-1], lines[1:]
        change = before != behind
        perimeter += count(before[change]) + count(behind[change])
        # An inner pixel has a neighbour outside of its segment: both sides of every change, and the frame.
        edges[:-1] |= change
        edges[1:] |= change
        if len(lines):
            frame += count(lines[0]) + count(lines[-1])
            edges[0] = edges[-1] = True
    corners = [[(side.start, side.stop) for side in slices] for slices in find_objects(dense + 1)] if ids.size else []
    box = np.array(corners, np.int64).reshape(len(ids), array.ndim, 2)
    return SegmentGeometry(ids, count(dense), box, perimeter + frame, frame, count(dense[boundary]))


def _geometry_native(kernels: ModuleType, labels: LabelNDArray) -> Any:
    if labels.ndim > 3:
        return NotImplemented
    # Geometry does not depend on the order of the axes: put the smallest stride last, where runs are read.
    order = sorted(range(labels.ndim), key=lambda axis: -abs(labels.strides[axis]))
    view = unsigned_view(labels).transpose(order)
    columns = {1: (2,), 2: (0, 2), 3: (0, 1, 2)}[labels.ndim]
    view = {1: view[None, None], 2: view[:, None], 3: view}[labels.ndim]
    unsigned_ids, table = kernels.segment_geometry(view, labels.ndim)

    ids = unsigned_ids.astype(view.dtype).view(labels.dtype).astype(id_dtype(labels))
    order_by_id = np.argsort(ids)
    table = table[order_by_id]
    area = np.ascontiguousarray(table[:, 0])
    box = np.empty((len(ids), labels.ndim, 2), np.int64)
    for column, axis in zip(columns, order, strict=True):
        box[:, axis, 0] = table[:, 1 + column]
        box[:, axis, 1] = table[:, 4 + column]
    perimeter, frame = table[:, 7].copy(), table[:, 8].copy()
    return SegmentGeometry(ids[order_by_id], area, box, perimeter, frame, area - table[:, 9])


class Boundaries(NamedTuple):
    """The boundary pixels of segments, as flat positions in ascending order."""

    offsets: IntArray
    """The pixels of segment ``i`` are ``points[offsets[i] : offsets[i + 1]]``."""
    points: IntArray

    @property
    def sizes(self) -> IntArray:
        """The number of boundary pixels of every segment."""
        return np.diff(self.offsets)


def _boundaries_native(native: ModuleType, labels: ArrayLike, ids: Sequence[int]) -> Boundaries:
    image, numbers = _image_and_numbers(labels, ids)
    as_unsigned = numbers.view(f"u{image.dtype.itemsize}").astype(np.uint64)
    return Boundaries(*native.label_boundaries(np.ascontiguousarray(unsigned_view(image)), as_unsigned))


def _image_and_numbers(labels: ArrayLike, ids: Sequence[int]) -> tuple[LabelNDArray, NDArray[Any]]:
    image = as_label_array(labels)
    if image.ndim != 2:
        raise InputError(f"boundaries of an image with {image.ndim} axes; expected 2")
    numbers = np.asarray(ids).astype(image.dtype)
    return image, numbers


@kernel(_boundaries_native)
def label_boundaries(labels: ArrayLike, ids: Sequence[int]) -> Boundaries:
    """Return the boundary pixels of these segments of an image."""
    image, numbers = _image_and_numbers(labels, ids)
    parts = [np.flatnonzero(_boundary_of_mask(image == number)) for number in numbers.tolist()]
    offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return Boundaries(offsets, np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, np.int64))


def _boundary_of_mask(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    boundary = np.zeros(mask.shape, bool)
    boundary[:, :-1] |= mask[:, :-1] != mask[:, 1:]
    boundary[:-1] |= mask[:-1] != mask[1:]
    boundary[:-1, :-1] |= mask[:-1, :-1] != mask[1:, 1:]
    return boundary


@kernel(
    lambda native, first, second, pairs, shape, radius: native.count_near(
        *first, *second, *map(np.ascontiguousarray, pairs), *shape, radius
    )
)
def count_near(
    first: Boundaries, second: Boundaries, pairs: tuple[IntArray, IntArray], shape: tuple[int, int], radius: int
) -> IntArray:
    """Return, for each pair of segments, how many pixels of the first are at most ``radius`` from one of the second."""
    near = {
        at: _near_points(second.points[second.offsets[at] : second.offsets[at + 1]], shape, radius)
        for at in set(pairs[1].tolist())
    }
    counts = [
        np.count_nonzero(near[b].ravel()[first.points[first.offsets[a] : first.offsets[a + 1]]])
        for a, b in zip(pairs[0].tolist(), pairs[1].tolist(), strict=True)
    ]
    return np.array(counts, dtype=np.int64)


def _near_points(points: IntArray, shape: tuple[int, int], radius: int) -> NDArray[np.bool_]:
    """Return the pixels at most ``radius`` from a point, by running sums over each row."""
    rows, length = shape
    near = np.zeros(shape, bool)
    row, column = np.divmod(points, max(length, 1))
    for step in range(-radius, radius + 1):
        reach = math.isqrt(radius * radius - step * step)
        inside = (row + step >= 0) & (row + step < rows)
        # +1 where a point begins to be near and -1 where it ends: the running sum counts the near points.
        edges = np.zeros((rows, length + 1), dtype=np.int64)
        np.add.at(edges, (row[inside] + step, np.maximum(column[inside] - reach, 0)), 1)
        np.add.at(edges, (row[inside] + step, np.minimum(column[inside] + reach + 1, length)), -1)
        near |= np.cumsum(edges, axis=1)[:, :length] > 0
    return near


def label_changes(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which elements have a neighbour along an axis (4 in 2-D, 6 in 3-D) with another label."""
    changes = np.zeros(labels.shape, dtype=bool)
    for axis in range(labels.ndim):
        lines, marked = np.moveaxis(labels, axis, 0), np.moveaxis(changes, axis, 0)
        differ = lines[1:] != lines[:-1]
        marked[1:] |= differ
        marked[:-1] |= differ
    return changes
