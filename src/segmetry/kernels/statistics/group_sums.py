"""Numbers in groups: their order by group, and the exactly rounded sum of each group, as :func:`math.fsum` gives it.

The numbers of a group are added one after the other; TwoSum [knuth1997art] gives the rounding error of every addition,
and the errors are added up apart. What both leave open is smaller than k² u² Σ|x| for k numbers (u = 2⁻⁵³), so
the rounded sum is certain unless the exact one is that close to the middle between two floats; then all parts are kept.
Without native kernels, groups of equal size are added column by column, and what is left by :func:`math.fsum`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IndexArray
from segmetry.kernels.backend import native

LARGEST = 64
"""The most numbers of a group that is summed together with others."""
_FEW = 64
"""The most numbers that Python sums as quickly as the native kernel."""
_UNIT = 2.0**-53  # the largest relative error of one rounded operation on doubles


def group_order(groups: IndexArray, n: int) -> tuple[IndexArray, IndexArray]:
    """Return the order of numbers by group, stable, and where each of the ``n`` groups starts in it (n + 1 places)."""
    if native is None:
        order = np.argsort(groups, kind="stable")
        return order, np.searchsorted(groups[order], np.arange(n + 1))
    order, starts = np.empty(groups.size, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    native.group_order(np.ascontiguousarray(groups, dtype=np.int64), order, starts)
    return order, starts


def rounded_sum(values: FloatArray) -> float:
    """Return the exactly rounded sum, :func:`math.fsum`."""
    if native is None or values.size <= _FEW:
        return math.fsum(values.tolist())
    return float(group_sums(values, np.array([0, values.size]))[0])


def group_sums(values: FloatArray, starts: IndexArray) -> FloatArray:
    """Return the exactly rounded sum of each group of consecutive numbers: ``starts[i] : starts[i + 1]`` is group i."""
    if native is None:
        return group_sums_numpy(values, starts)
    totals: FloatArray = np.empty(starts.size - 1)
    bounds = np.ascontiguousarray(starts, dtype=np.int64)
    native.exact_sums(np.ascontiguousarray(values, dtype=np.float64), bounds, totals)
    rest = np.flatnonzero(np.isnan(totals))
    if rest.size:
        totals[rest] = _one_by_one(values, starts, rest)
    return totals


def group_sums_numpy(values: FloatArray, starts: IndexArray) -> FloatArray:
    """The numpy twin of :func:`group_sums`."""
    first, sizes = starts[:-1], np.diff(starts)
    totals: FloatArray = np.zeros(sizes.size)
    is_certain = sizes <= LARGEST
    for size in np.flatnonzero(np.bincount(sizes[is_certain])).tolist():
        if size:
            groups = np.flatnonzero(sizes == size)
            with np.errstate(invalid="ignore", over="ignore"):  # such sums are not certain
                totals[groups], is_certain[groups] = _column_sums(values[first[groups, None] + np.arange(size)].T)
    rest = np.flatnonzero(~is_certain)
    totals[rest] = _one_by_one(values, starts, rest)
    return totals


def _one_by_one(values: FloatArray, starts: IndexArray, groups: IndexArray) -> list[float]:
    bounds = zip(starts[groups].tolist(), starts[groups + 1].tolist(), strict=True)
    return [math.fsum(values[start:stop].tolist()) for start, stop in bounds]


def _column_sums(columns: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the sums of all columns added up, and where they are certain to be exactly rounded."""
    total = columns[0] + 0.0  # as in math.fsum, negative zeros add up to a positive one
    error, size = np.zeros_like(total), np.abs(total)
    for column in columns[1:]:
        total, part = _two_sum(total, column)
        error += part
        size += np.abs(column)
    rounded, left = _two_sum(total, error)
    distance = np.abs(left) + len(columns) ** 2 * _UNIT**2 * size
    # Half the gap to the neighbour nearer to 0: at a power of two it is the smaller of the two gaps.
    half = np.spacing(np.nextafter(np.abs(rounded), 0)) / 2
    return rounded, (distance < half) | (distance == 0)


def _two_sum(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rounded sum, and what rounding it left."""
    total = first + second
    share = total - first
    return total, (first - (total - share)) + (second - share)
