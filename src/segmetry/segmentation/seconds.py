"""Times as exact numbers: seconds become integer multiples of one tick.

A float such as 0.1 is not a tenth; the decimals that Python prints for it are, and are taken as the time. The *tick* of
some times is the largest power of ten, at most 1, of which all of them are integer multiples.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from segmetry._base import fraction
from segmetry.errors import SpanError

# A fraction such as 1/3 has no finite decimal; this many digits are beyond any clock.
MOST_DECIMALS = 30


@lru_cache(maxsize=1024)
def decimals(denominator: int) -> int:
    """Return the decimals of a reduced fraction with this denominator; over MOST_DECIMALS if they never end."""
    power = 1
    for count in range(MOST_DECIMALS + 1):
        if power % denominator == 0:
            return count
        power *= 10
    return MOST_DECIMALS + 1


def common_tick(times: Iterable[Fraction]) -> Fraction:
    """Return the largest power of ten, at most 1, of which all times are integer multiples."""
    return Fraction(
        1, 10 ** max((decimals(denominator) for denominator in {time.denominator for time in times}), default=0)
    )


def exact_seconds(value: Any, name: str = "time") -> Fraction:
    """Return a time as the decimal that is written: a float as Python prints it."""
    number = fraction(value.item() if hasattr(value, "item") else value, name)
    if decimals(number.denominator) > MOST_DECIMALS:
        raise SpanError(f"{name} is {number}, which has no finite decimal; round it first")
    return number
