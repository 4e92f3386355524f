"""The band along the contour of every segment, for all segments of a label array at once (boundary IoU).

An element is in the band iff it is within distance d of the nearest position that is not in its own segment;
positions just outside the array are in no segment. For one mask and chessboard distance this is the mask minus d
erosions with a 3×3 square after padding with zeros, the definition of Cheng et al., "Boundary IoU: Improving
Object-Centric Image Segmentation Evaluation", CVPR 2021.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry.errors import OptionError
from segmetry.kernels.backend import native
from segmetry.kernels.label_arrays import LabelNDArray, as_label_array, dense_labels, unsigned_view

_MOST_STEPS = np.iinfo(np.int16).max
"""The native 3-D kernels count steps along an axis in int16."""


class BandSteps(NamedTuple):
    """Squared lengths of 0, 1, 2, … steps along each axis, as far as they are within d, and d² itself.

    Integers for unit spacing, so that comparisons are exact; else float64, added from the last axis on by both kernels.
    """

    squares: list[NDArray[Any]]
    limit: int | float


def steps_within(d: float, spacing: Sequence[float] | None, shape: tuple[int, ...]) -> BandSteps:
    """Return the squared lengths along each axis of an array of this shape that are at most d²."""
    lengths = [1.0] * len(shape) if spacing is None else [float(length) for length in spacing]
    if len(lengths) != len(shape) or not all(0 < length < math.inf for length in lengths):
        raise OptionError(f"spacing is {spacing!r}, expected {len(shape)} positive numbers, one per axis of the labels")
    # No element is more than n steps from the outside of an axis of length n.
    counts = [np.arange(size + 1) for size in shape]
    if all(length == 1 for length in lengths):
        limit = math.floor(Fraction(d) ** 2)
        return BandSteps([count[: math.isqrt(limit) + 1] ** 2 for count in counts], limit)
    squared_distance = float(d) * float(d)
    squares = [(length * count) ** 2 for length, count in zip(lengths, counts, strict=True)]
    return BandSteps([square[square <= squared_distance] for square in squares], squared_distance)


def boundary_band(
    labels: ArrayLike,
    d: float,
    *,
    metric: Literal["euclidean", "chessboard"] = "euclidean",
    spacing: Sequence[float] | None = None,
) -> NDArray[np.bool_]:
    """Return True where the nearest element outside of the element's own segment is at most ``d`` away.

    Distances go between element centres. ``metric="euclidean"`` is exact: it compares squared distances, as integers
    unless ``spacing`` gives the axes other lengths than 1. ``metric="chessboard"`` takes an integer ``d``.
    Any number of axes; native code covers up to three.
    """
    array = as_label_array(labels)
    if not 0 <= d < math.inf:
        raise OptionError(f"d is {d}, expected a finite distance of 0 or more")
    if metric == "chessboard":
        if spacing is not None:
            raise OptionError("spacing has no meaning for the chessboard metric; leave it out or use 'euclidean'")
        if d != int(d):
            raise OptionError(f"d is {d}, expected an integer number of steps for the chessboard metric")
        return _chessboard_band(array, int(d))
    if metric != "euclidean":
        raise OptionError(f"metric is {metric!r}, expected 'euclidean' or 'chessboard'")
    return _euclidean_band(array, steps_within(d, spacing, array.shape))


def _covered_by_frame(shape: tuple[int, ...], steps: Sequence[int]) -> bool:
    """Return whether every element is within these steps of the frame: of an axis of n, (n + 1) // 2 steps suffice."""
    return any((size + 1) // 2 <= step for size, step in zip(shape, steps, strict=True))


def _chessboard_band(labels: LabelNDArray, d: int) -> NDArray[np.bool_]:
    if d == 0:
        return np.zeros(labels.shape, bool)
    if _covered_by_frame(labels.shape, [d] * labels.ndim):
        return np.ones(labels.shape, bool)
    if native is None or labels.ndim > 3 or (labels.ndim == 3 and d > _MOST_STEPS):
        return chessboard_band_numpy(labels, d)
    if labels.ndim < 3:
        return _band_2d_native(native, labels, np.full(d + 1, d), d)
    band = np.empty(labels.shape, np.uint8)
    native.band_3d_chessboard(np.ascontiguousarray(unsigned_view(labels)), d, band)
    return band.view(bool)


def _euclidean_band(labels: LabelNDArray, steps: BandSteps) -> NDArray[np.bool_]:
    farthest = [len(square) - 1 for square in steps.squares]
    if _covered_by_frame(labels.shape, farthest):
        return np.ones(labels.shape, bool)
    if native is None or labels.ndim > 3 or (labels.ndim == 3 and max(farthest) > _MOST_STEPS):
        return euclidean_band_numpy(labels, steps)
    if labels.ndim < 3:
        *first, last = steps.squares
        # How many steps along the first axis are left after g along the last: squares ascend, so they can be counted.
        along = first[0] if first else last[:1]
        reach = np.array([np.count_nonzero(square + along <= steps.limit) - 1 for square in last])
        return _band_2d_native(native, labels, reach, len(along) - 1)
    return _band_3d_native(native, labels, steps)


def _band_2d_native(kernels: ModuleType, labels: LabelNDArray, reach: NDArray[Any], farthest: int) -> NDArray[np.bool_]:
    if labels.ndim == 1:
        # One axis as the first of two: no element reaches along it but by a change of label.
        band = _band_2d_native(kernels, labels[:, None], np.full(1, -1), len(reach) - 1)
        return band[:, 0]
    small = max(farthest, int(reach.max())) <= _MOST_STEPS
    band = np.empty(labels.shape, np.uint8)
    table = reach.astype(np.int16 if small else np.int32)
    kernels.band_2d(np.ascontiguousarray(unsigned_view(labels)), table, farthest, band)
    return band.view(bool)


def _band_3d_native(kernels: ModuleType, labels: LabelNDArray, steps: BandSteps) -> NDArray[np.bool_]:
    band = np.empty(labels.shape, np.uint8)
    # At most 32767 steps: d² < 2³⁰, and the largest sum formed, beyond + d², is below 2³¹.
    exact = isinstance(steps.limit, int)
    tables = [square.astype(np.int32 if exact else np.float64) for square in steps.squares]
    beyond = steps.limit + 1 if exact else math.inf
    kernels.band_3d_euclidean(np.ascontiguousarray(unsigned_view(labels)), *tables, steps.limit, beyond, band)
    return band.view(bool)


def chessboard_band_numpy(labels: LabelNDArray, d: int) -> NDArray[np.bool_]:
    """Return the elements whose window contains several labels or extends beyond the array."""
    from scipy.ndimage import maximum_filter, minimum_filter

    # scipy filters in float64, which cannot distinguish large ids; their positions among the ids are small.
    _, dense = dense_labels(labels)
    size = 2 * d + 1
    band: NDArray[np.bool_] = minimum_filter(dense, size) != maximum_filter(dense, size)
    for axis in range(labels.ndim):
        lines = np.moveaxis(band, axis, 0)
        lines[:d] = True
        lines[-d:] = True
    return band


def euclidean_band_numpy(labels: LabelNDArray, steps: BandSteps) -> NDArray[np.bool_]:
    """Return the band, segment by segment with scipy for unit spacing, axis by axis otherwise; both are exact."""
    if isinstance(steps.limit, int):
        return _unit_band(labels, steps.limit)
    return _spaced_band(labels, steps.squares, steps.limit)


def _unit_band(labels: LabelNDArray, limit: int) -> NDArray[np.bool_]:
    """Squared distances, as integers, to the nearest element scipy finds in the box of each segment and a margin of 1.

    Any element beyond the margin is farther away than the margin's own element in the same direction.
    """
    from scipy.ndimage import distance_transform_edt, find_objects

    _, dense = dense_labels(labels)
    band = np.zeros(labels.shape, bool)
    inside = (slice(1, -1),) * labels.ndim
    for segment, box in enumerate(find_objects(dense + 1)):
        mask = np.pad(dense[box] == segment, 1)
        nearest: NDArray[Any] = distance_transform_edt(mask, return_distances=False, return_indices=True)
        own = np.ogrid[tuple(slice(size) for size in mask.shape)]
        squared = sum((there.astype(np.int64) - here) ** 2 for there, here in zip(nearest, own, strict=True))
        band[box] |= (mask & (squared <= limit))[inside]
    return band


def _spaced_band(labels: LabelNDArray, squares: list[NDArray[Any]], limit: float) -> NDArray[np.bool_]:
    """The smallest squared distance axis by axis, the last first.

    With E(p) the distance over the axes done so far, the next is the minimum over k of the squared length of k steps
    plus E(p + k), or plus 0 if the label at p + k differs (proof in native/bands.cpp). Rounding is monotone,
    so that the minimum of rounded sums is the rounded minimum.
    """
    _, dense = dense_labels(labels)
    nearest = np.full(labels.shape, math.inf)
    for axis in reversed(range(labels.ndim)):
        line, before = np.moveaxis(dense, axis, 0), np.moveaxis(nearest, axis, 0)
        after = before.copy()
        for k, square in enumerate(squares[axis].tolist()[1:], start=1):
            np.minimum(after[:k], square, out=after[:k])
            np.minimum(after[-k:], square, out=after[-k:])
            same = line[k:] == line[:-k]
            np.minimum(after[:-k], np.where(same, before[k:], 0) + square, out=after[:-k])
            np.minimum(after[k:], np.where(same, before[:-k], 0) + square, out=after[k:])
        nearest = np.moveaxis(after, 0, axis)
    return nearest <= limit
