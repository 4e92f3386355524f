"""Exactly rounded sums of many groups of numbers, as :func:`math.fsum` gives one by one, with operations on columns.

The numbers of groups of equal size are added column by column; TwoSum [knuth1997art] gives the rounding error of every
addition, and the errors are added up beside the sum. What both leave open is smaller than k² u² Σ|x| for k numbers
(u = 2⁻⁵³), so the rounded sum is certain unless the exact one is that close to the middle between two floats. The few
groups that are left, and very large ones, are summed by :func:`math.fsum`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray

LARGEST = 64
"""The most numbers of a group that is summed together with others."""
_UNIT = 2.0**-53


def group_sums(values: FloatArray, starts: IndexArray) -> FloatArray:
    """Return the exactly rounded sum of each group of consecutive numbers: ``starts[i] : starts[i + 1]`` is group i.

    >>> group_sums(np.array([1.0, 1e100, 1.0, -1e100, 2.0]), np.array([0, 0, 1, 4, 5])).tolist()
    [0.0, 1.0, 1.0, 2.0]
    """
    first, sizes = starts[:-1], np.diff(starts)
    totals: FloatArray = np.zeros(sizes.size)
    is_certain = sizes <= LARGEST
    for size in np.flatnonzero(np.bincount(sizes[is_certain])).tolist():
        if size:
            groups = np.flatnonzero(sizes == size)
            totals[groups], is_certain[groups] = _sums(values[first[groups, None] + np.arange(size)].T)
    rest = np.flatnonzero(~is_certain)
    if rest.size:
        bounds = zip(first[rest].tolist(), starts[rest + 1].tolist(), strict=True)
        totals[rest] = [math.fsum(values[start:stop].tolist()) for start, stop in bounds]
    return totals


def _sums(columns: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the sums of all columns added up, and where they are certain to be exactly rounded."""
    total = columns[0] + 0.0  # as in math.fsum, negative zeros add up to a positive one
    error, size = np.zeros_like(total), np.abs(total)
    for column in columns[1:]:
        total, part = _two_sum(total, column)
        error += part
        size += np.abs(column)
    rounded, left = _two_sum(total, error)
    distance = np.abs(left) + len(columns) ** 2 * _UNIT**2 * size
    half = np.spacing(np.nextafter(np.abs(rounded), 0)) / 2
    return rounded, (distance < half) | (distance == 0)


def _two_sum(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rounded sum, and what rounding it left."""
    total = first + second
    share = total - first
    return total, (first - (total - share)) + (second - share)
