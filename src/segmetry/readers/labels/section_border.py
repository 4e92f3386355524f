"""Borders within the sections of a volume: voxels near a boundary are outside, as the CREMI challenge masks them.

A voxel of a section is on a border if one of its four neighbours there has another label; voxels at most ``distance``
from such a voxel, in the section and in voxels, become outside [funke2016cremi].
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import OptionError
from segmetry.segmentation.labels import LabelArray


def without_section_borders(array: LabelArray, distance: Fraction) -> LabelArray:
    """Return the labels with voxels near a border of their section outside; sections are the last two axes.

    >>> without_section_borders(LabelArray([[1, 1, 1, 2, 2, 2]]), Fraction(0)).labels.tolist()
    [[1, 1, 0, 0, 2, 2]]
    """
    if array.axes < 2:
        raise OptionError(f"section_border needs sections of two axes; found labels of {array.axes} axis")
    labels = np.asarray(array.labels)
    outside = array.outside[0] if array.outside else 0
    masked = labels.copy()
    for section in np.ndindex(labels.shape[:-2]):
        masked[section][_near_border(labels[section], distance)] = outside
    return array.with_labels(masked)


def _near_border(section: NDArray[Any], distance: Fraction) -> NDArray[np.bool_]:
    border = np.zeros(section.shape, dtype=np.bool_)
    for axis in (0, 1):
        first, second = (np.moveaxis(border, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
        labels = np.moveaxis(section, axis, 0)
        differs = labels[1:] != labels[:-1]
        first |= differs
        second |= differs
    if not border.any():
        return border
    from scipy.ndimage import distance_transform_edt

    at = distance_transform_edt(~border, return_distances=False, return_indices=True)
    squared = sum((index - place) ** 2 for index, place in zip(np.indices(section.shape), at, strict=True))
    near: NDArray[np.bool_] = squared * distance.denominator**2 <= distance.numerator**2
    return near
