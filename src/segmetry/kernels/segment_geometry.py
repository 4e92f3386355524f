"""Area, bounding box and perimeter of every segment of a label array, in one pass.

The perimeter is the *crack length*: the number of unit edges (2-D) or unit faces (3-D) between the segment and its
complement, the frame of the image included. A rectangle of a times b elements has perimeter 2(a + b), so that the
shape index perimeter / (4·sqrt(area)) of a square is 1.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry.kernels.backend import native
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


def segment_geometry(labels: ArrayLike) -> SegmentGeometry:
    """Return area, box, perimeter and inner boundary of every label.

    Any integer type, any strides, any number of axes; native code covers up to three. The cost follows the number of
    elements and of labels that occur, not the values of the labels.

    >>> geometry = segment_geometry([[0, 0, 0, 0], [0, 5, 5, 0], [0, 5, 5, 0], [0, 0, 0, 0]])
    >>> geometry.labels.tolist(), geometry.area.tolist(), geometry.perimeter.tolist()
    ([0, 5], [12, 4], [24, 8])
    >>> geometry.frame.tolist(), geometry.box[1].tolist()
    ([16, 0], [[1, 3], [1, 3]])
    """
    array = as_label_array(labels)
    if native is None or array.ndim > 3:
        return segment_geometry_numpy(array)
    return _segment_geometry_native(native, array)


def _segment_geometry_native(kernels: ModuleType, labels: LabelNDArray) -> SegmentGeometry:
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


def segment_geometry_numpy(labels: LabelNDArray) -> SegmentGeometry:
    """The twin of the native kernel, for any number of axes."""
    from scipy.ndimage import find_objects

    ids, dense = dense_labels(labels)

    def count(where: NDArray[np.intp]) -> NDArray[np.int64]:
        return np.bincount(where.ravel(), minlength=len(ids)).astype(np.int64)

    perimeter, frame = np.zeros((2, len(ids)), np.int64)
    boundary = np.zeros(labels.shape, bool)
    for axis in range(labels.ndim):
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
    box = np.array(corners, np.int64).reshape(len(ids), labels.ndim, 2)
    return SegmentGeometry(ids, count(dense), box, perimeter + frame, frame, count(dense[boundary]))
