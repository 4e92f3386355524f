"""The numpy and scipy twins of the band kernels, for any number of axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.contour_band_steps import BandSteps
from segmetry.kernels.label_arrays import LabelNDArray, dense_labels


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
