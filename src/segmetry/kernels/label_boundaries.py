"""One-pixel boundaries of the segments of an image, how many of their pixels are near those of another, label changes.

A pixel is in the boundary of a segment iff the pixel, its right neighbour, the one below and the one below to the right
are partly inside and partly outside of the segment, so that the boundary lies half a pixel towards the origin; only
neighbours inside the image count. This is ``seg2bmap`` of the Berkeley benchmark (Martin et al.), which DAVIS uses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base.exact import IntArray
from segmetry.errors import InputError
from segmetry.kernels.backend import native
from segmetry.kernels.label_arrays import as_label_array, unsigned_view


class Boundaries(NamedTuple):
    """The boundary pixels of segments, as flat positions in ascending order."""

    offsets: IntArray
    """The pixels of segment ``i`` are ``points[offsets[i] : offsets[i + 1]]``."""
    points: IntArray

    @property
    def sizes(self) -> IntArray:
        """The number of boundary pixels of every segment."""
        return np.diff(self.offsets)


def label_boundaries(labels: ArrayLike, ids: Sequence[int]) -> Boundaries:
    """Return the boundary pixels of these segments of an image.

    >>> label_boundaries([[1, 1, 0], [1, 1, 0], [0, 0, 0]], [1]).points.tolist()
    [1, 3, 4]
    """
    image = as_label_array(labels)
    if image.ndim != 2:
        raise InputError(f"boundaries of an image with {image.ndim} axes; expected 2")
    numbers = np.asarray(ids).astype(image.dtype)
    if native is None:
        return label_boundaries_numpy(image, numbers)
    as_unsigned = numbers.view(f"u{image.dtype.itemsize}").astype(np.uint64)
    return Boundaries(*native.label_boundaries(np.ascontiguousarray(unsigned_view(image)), as_unsigned))


def label_boundaries_numpy(image: NDArray[Any], ids: NDArray[Any]) -> Boundaries:
    """The numpy twin of :func:`label_boundaries`."""
    parts = [np.flatnonzero(_boundary_of_mask(image == number)) for number in ids.tolist()]
    offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return Boundaries(offsets, np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, np.int64))


def _boundary_of_mask(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    boundary = np.zeros(mask.shape, bool)
    boundary[:, :-1] |= mask[:, :-1] != mask[:, 1:]
    boundary[:-1] |= mask[:-1] != mask[1:]
    boundary[:-1, :-1] |= mask[:-1, :-1] != mask[1:, 1:]
    return boundary


def count_near(
    first: Boundaries, second: Boundaries, pairs: tuple[IntArray, IntArray], shape: tuple[int, int], radius: int
) -> IntArray:
    """Return, for each pair of segments, how many pixels of the first are at most ``radius`` from one of the second.

    >>> one, other = (label_boundaries([labels], [1]) for labels in ([1, 0, 0, 0, 0], [1, 1, 1, 1, 0]))
    >>> pair = np.array([0]), np.array([0])
    >>> [count_near(one, other, pair, (1, 5), radius).tolist() for radius in (2, 3)]
    [[0], [1]]
    """
    if native is None:
        return count_near_numpy(first, second, pairs, shape, radius)
    counts: IntArray = native.count_near(*first, *second, *map(np.ascontiguousarray, pairs), *shape, radius)
    return counts


def count_near_numpy(
    first: Boundaries, second: Boundaries, pairs: tuple[IntArray, IntArray], shape: tuple[int, int], radius: int
) -> IntArray:
    """The numpy twin of :func:`count_near`."""
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
    """Return which elements have a neighbour along an axis (4 in 2-D, 6 in 3-D) with another label.

    The frame of the array is not a change. This is the boundary of the BF score, of superpixel benchmarks and of
    trimaps.

    >>> label_changes(np.array([[1, 1, 2], [1, 1, 1]])).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    changes = np.zeros(labels.shape, dtype=bool)
    for axis in range(labels.ndim):
        lines, marked = np.moveaxis(labels, axis, 0), np.moveaxis(changes, axis, 0)
        differ = lines[1:] != lines[:-1]
        marked[1:] |= differ
        marked[:-1] |= differ
    return changes
