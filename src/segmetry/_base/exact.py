"""Exact numbers: thresholds as fractions, ratios rounded once, integer arrays that never overflow.

Every decision in segmetry compares integers. These helpers keep int64 arrays where the products provably
fit and fall back to Python integers where they might not, so the answer is the same and the common case fast.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import OptionError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]
Threshold = int | float | str | Decimal | Fraction
Number = int | float | Fraction
Column = NDArray[Any] | Sequence[Hashable]
"""An array of numbers whose first axis are rows, or a list of classes."""
ColumnsOfItem = Mapping[str, Column]
"""What an item contributes to a metric, by name."""

# Half of the range of int64, so that two such products can still be added or subtracted.
_SAFE_PRODUCT = 2**62
# Integers up to here are floats, and IEEE division rounds their quotient correctly; beyond, Python's integers divide.
_EXACT_IN_FLOAT = 2**53


def fraction(value: Threshold, name: str = "threshold") -> Fraction:
    """Read a threshold as the decimal or fraction that was written, not as its binary neighbour."""
    if isinstance(value, bool):
        raise OptionError(f"{name} is {value!r}; expected a number such as 0.5 or '2/3'")
    if isinstance(value, Rational):
        return Fraction(value.numerator, value.denominator)
    try:
        # repr is the shortest decimal that reads back as this float: 0.1 becomes 1/10, not 3602879701896397/2**55.
        return _as_written(repr(float(value)) if isinstance(value, float | np.floating) else str(value).strip())
    except (ValueError, InvalidOperation, ZeroDivisionError):
        raise OptionError(f"{name} is {value!r}; expected a number such as 0.5 or '2/3'") from None


@lru_cache(maxsize=256)
def _as_written(text: str) -> Fraction:
    return Fraction(text)


def fraction_in(
    value: Threshold, name: str, low: Threshold, high: Threshold | None, *, open_low: bool = False
) -> Fraction:
    """Read a threshold that must be in an interval; ``high=None`` means no upper end."""
    number, least = fraction(value, name), fraction(low)
    too_low = number <= least if open_low else number < least
    if too_low or (high is not None and number > fraction(high)):
        left = "(" if open_low else "["
        raise OptionError(
            f"{name} is {value}; expected a number in {left}{low}, {'∞)' if high is None else f'{high}]'}"
        )
    return number


def common_step(first: Fraction, second: Fraction) -> Fraction:
    """Return the largest length of which both are integer multiples."""
    return Fraction(
        math.gcd(first.numerator * second.denominator, second.numerator * first.denominator),
        first.denominator * second.denominator,
    )


def products_fit(*factors: int) -> bool:
    """Return whether the product of these magnitudes fits into int64 with room for one addition."""
    return math.prod(factors) < _SAFE_PRODUCT


def widest(*arrays: IntArray) -> int:
    """Return the largest magnitude in some integer arrays, 0 for empty ones."""
    return max((max(int(a.max()), -int(a.min())) for a in arrays if a.size), default=0)


def magnitude_bound(*arrays: IntArray) -> int:
    """Return a bound of all magnitudes in integer arrays, less than twice the largest.

    Of non-negative numbers it is the bitwise OR, found in half the time of the largest and the smallest.
    """
    bits = 0
    for array in arrays:
        bits |= int(np.bitwise_or.reduce(array, axis=None))
    return bits if bits >= 0 else widest(*arrays)


def as_python_ints(values: IntArray) -> NDArray[np.object_]:
    """Return the same numbers as Python integers, for arithmetic beyond int64."""
    wide = np.empty(values.shape, dtype=object)
    wide[...] = values.tolist()
    return wide


def ratio(numerator: IntArray, denominator: IntArray) -> FloatArray:
    """Return correctly rounded quotients of integers or Fractions; NaN where the denominator is 0."""
    are_ints = numerator.dtype != object and denominator.dtype != object
    if are_ints and magnitude_bound(numerator, denominator) < _EXACT_IN_FLOAT:
        if denominator.all():
            return np.divide(numerator, denominator, dtype=np.float64)
        quotient: FloatArray = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
        return np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    pairs = zip(numerator.tolist(), denominator.tolist(), strict=True)
    quotients = [above / below if below else math.nan for above, below in pairs]
    return np.array(quotients, dtype=np.float64)  # a quotient of Fractions is one


def exact_sum(numerator: Iterable[int], denominator: Iterable[int]) -> Fraction:
    """Return the exact sum of some quotients, added pairwise so that the numbers stay small as long as possible."""
    terms = [Fraction(int(top), int(bottom)) for top, bottom in zip(numerator, denominator, strict=True)]
    while len(terms) > 1:
        paired = [first + second for first, second in zip(terms[::2], terms[1::2], strict=False)]
        terms = paired + terms[len(paired) * 2 :]
    return terms[0] if terms else Fraction(0)


def sum_by(index: NDArray[np.intp], values: IntArray, count: int) -> IntArray:
    """Return the exact sum of the values of each group: int64, or Python integers where it might not fit."""
    total = values.sum(dtype=np.float64)
    if total < _EXACT_IN_FLOAT // 2:
        return np.bincount(index, weights=values, minlength=count).astype(np.int64)
    if not products_fit(int(total)):
        values = as_python_ints(values)  # type: ignore[assignment]
    sums = np.zeros(count, dtype=values.dtype)
    np.add.at(sums, index, values)
    return sums


ScalarType = TypeVar("ScalarType", bound=np.generic)


def distinct(values: NDArray[ScalarType]) -> NDArray[ScalarType]:
    """Return the distinct values in ascending order, by sorting.

    ``numpy.unique`` looks values up in a hash table from numpy 2.3 on. Its time grows faster than its input once the
    table has left the caches: thirty times for ten times as many edges of spans.
    """
    ordered = np.sort(values, axis=None)
    return ordered[is_new(ordered)]


def is_new(*columns: NDArray[Any]) -> BoolArray:
    """Return which rows differ from the row before; the first row does."""
    differs = np.ones(columns[0].size, dtype=bool)
    np.not_equal(columns[0][1:], columns[0][:-1], out=differs[1:])
    for column in columns[1:]:
        differs[1:] |= column[1:] != column[:-1]
    return differs


def range_positions(starts: IndexArray, lengths: IndexArray) -> IndexArray:
    """Return the numbers from each start on, as many as its length, one range after the other."""
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1]) if ends.size else 0) + np.repeat(starts - ends + lengths, lengths)
