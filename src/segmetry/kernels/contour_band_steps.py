"""The steps within distance d along each axis: tables that both band kernels use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import OptionError


class BandSteps(NamedTuple):
    """Squared lengths of 0, 1, 2, … steps along each axis, as far as they are within d, and d² itself.

    Integers for unit spacing, so that every comparison is exact. Otherwise float64, added from the last axis to the
    first; both kernels use these tables in this order and so decide on the same bits.
    """

    squares: list[NDArray[Any]]
    limit: int | float


def steps_within(d: float, spacing: Sequence[float] | None, shape: tuple[int, ...]) -> BandSteps:
    """Return the squared lengths along each axis of an array of this shape that are at most d².

    >>> steps = steps_within(2.5, None, (9, 2))
    >>> steps.limit, [square.tolist() for square in steps.squares]
    (6, [[0, 1, 4], [0, 1, 4]])
    >>> [square.tolist() for square in steps_within(3, (2, 1.5), (9, 9)).squares]
    [[0.0, 4.0], [0.0, 2.25, 9.0]]
    """
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
