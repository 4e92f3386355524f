"""Integers as decimal digits of a fixed width: SQL reads each of them by its place, numpy reads all of them at once.

Zeros fill a number up to its width; a minus sign is its first character.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray

MOST_DIGITS = 20
"""The width of the longest number: 2⁶⁴ - 1, or -2⁶³."""
_ZERO, _MINUS = np.uint8(ord("0")), np.uint8(ord("-"))
_SHORT = 9
"""Numbers of at most so many digits fit into 32 bits, which are divided faster."""
_SURE = 18
"""Numbers of at most so many digits fit into 64 bits."""


def width_of(*numbers: int) -> int:
    """Return the number of characters that hold each of some numbers; for one of 2⁶³ or more that of the longest.

    >>> width_of(7, 300), width_of(-10, 10), width_of(2**63), width_of()
    (3, 3, 20, 1)
    """
    return max((MOST_DIGITS if number >= 2**63 else len(str(number)) for number in numbers), default=1)


def written(numbers: NDArray[Any], width: int) -> bytes:
    """Return integers as text of a fixed width each.

    >>> written(np.array([7, 300, 0]), 3)
    b'007300000'
    >>> written(np.array([-7]), 3)
    b'-07'
    """
    if width > _SURE or (numbers.size and int(numbers.min()) < 0):
        return "".join(f"{number:0{width}d}" for number in numbers.tolist()).encode()
    narrow = np.dtype(np.int32) if width <= _SHORT else numbers.dtype
    leading = numbers.astype(narrow, copy=False)[:, None] // _powers(width, narrow)  # 300: 3, 30, 300
    leading[:, 1:] -= 10 * leading[:, :-1]
    leading += _ZERO
    text: bytes = leading.astype(np.uint8).tobytes()
    return text


@cache
def _powers(width: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.array([10**power for power in range(width - 1, -1, -1)], dtype=dtype)


def read(text: bytes, width: int) -> NDArray[Any]:
    """Return the integers of such a text; anything else is a ValueError.

    They are int64, or uint64 where some are 2⁶³ or more, or Python's where some of these are also negative.

    >>> read(b"007300-12", 3).tolist(), read(b"18446744073709551615", 20).tolist()
    ([7, 300, -12], [18446744073709551615])
    """
    if not 1 <= width <= MOST_DIGITS or len(text) % width:
        raise ValueError(f"not numbers of {width} digits: {text[:80]!r}")
    characters = np.frombuffer(text, dtype=np.uint8).reshape(-1, width)
    negative = characters[:, 0] == _MINUS
    digits = characters - _ZERO
    digits[negative, 0] = 0
    if digits.size and int(digits.max()) > 9:
        raise ValueError(f"not numbers of {width} digits: {text[:80]!r}")
    if width > _SURE:
        return _read_long(text, width)
    numbers: IntArray = np.zeros(len(digits), dtype=np.int64)
    for place in range(width):
        numbers *= 10
        numbers += digits[:, place]
    return np.where(negative, -numbers, numbers) if negative.any() else numbers


def _read_long(text: bytes, width: int) -> NDArray[Any]:
    numbers = [int(text[at : at + width]) for at in range(0, len(text), width)]
    least, most = min(numbers, default=0), max(numbers, default=0)
    if least < -(2**63) or most >= 2**64:
        raise ValueError(f"not numbers of {width} digits: {text[:80]!r}")
    kind = np.int64 if most < 2**63 else np.uint64 if least >= 0 else object
    return np.array(numbers, dtype=kind)
