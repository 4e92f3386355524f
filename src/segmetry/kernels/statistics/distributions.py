"""Statistics of a bootstrap distribution for intervals: moments, counts below a bound, and order statistics.

Values must not be NaN, except for the moments, which are NaN if a value is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.backend import native

SampleValues = NDArray[np.float64]


class Moments(NamedTuple):
    """The mean m, Σ (x − m)² and Σ (x − m)³."""

    mean: float
    squares: float
    cubes: float


def moments(values: SampleValues) -> Moments:
    """Return the first moments of at least one value.

    >>> moments(np.array([1.0, 2.0, 6.0]))
    Moments(mean=3.0, squares=14.0, cubes=18.0)
    """
    return (
        moments_numpy(values) if native is None else Moments(*native.moments(np.ascontiguousarray(values, np.float64)))
    )


def moments_numpy(values: SampleValues) -> Moments:
    """The numpy twin of :func:`moments`, added in the same order."""
    mean = values.mean()
    gaps = values - mean
    squares = gaps * gaps
    return Moments(float(mean), float(squares.sum()), float((squares * gaps).sum()))


def count_up_to(values: SampleValues, below: float, up_to: float) -> tuple[int, int]:
    """Count how many values are smaller than ``below``, and how many are not larger than ``up_to``.

    >>> count_up_to(np.array([1.0, 2.0, 2.0, 3.0]), 2.0, 2.0)
    (1, 3)
    """
    if native is None:
        return count_up_to_numpy(values, below, up_to)
    first, second = native.count_up_to(np.ascontiguousarray(values, np.float64), below, up_to)
    return first, second


def count_up_to_numpy(values: SampleValues, below: float, up_to: float) -> tuple[int, int]:
    """The numpy twin of :func:`count_up_to`."""
    return int(np.count_nonzero(values < below)), int(np.count_nonzero(values <= up_to))


def at_ranks(values: SampleValues, ranks: Sequence[int], low: float, high: float) -> list[float]:
    """Return the values at ascending ranks, 0 the smallest.

    Those of the lower half are searched among the values up to ``low``, the others among those from ``high`` on;
    where these are too few, among all.

    >>> at_ranks(np.array([5.0, 1.0, 4.0, 2.0]), [0, 3], low=1.5, high=9.0)
    [1.0, 5.0]
    """
    if native is None:
        return at_ranks_numpy(values, ranks, low, high)
    selected: list[float] = native.at_ranks(np.ascontiguousarray(values, np.float64), list(ranks), low, high)
    return selected


def at_ranks_numpy(values: SampleValues, ranks: Sequence[int], low: float, high: float) -> list[float]:
    """The numpy twin of :func:`at_ranks`."""
    size, selected = values.size, []
    lower, upper = ([rank for rank in ranks if (rank < size // 2) == is_low] for is_low in (True, False))
    if lower:
        # Interval ends are far out in the tails: a few per cent of the values are partitioned instead of all.
        tail = values[values <= low]
        ordered = np.partition(tail if tail.size > lower[-1] else values, lower)
        selected += ordered[lower].tolist()
    if upper:
        tail = values[values >= high]
        tail = tail if tail.size >= size - upper[0] else values
        places = [rank - (size - tail.size) for rank in upper]
        selected += np.partition(tail, places)[places].tolist()
    return selected
