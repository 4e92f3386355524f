"""Integers as decimal digits of a fixed width: SQL reads each of them by its place, numpy reads all of them at once.

Zeros fill a number up to its width; a minus sign is its first character.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
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
_POWERS = 10 ** np.arange(1, 19, dtype=np.int64)


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
    rest: NDArray[Any] = numbers.astype(np.uint32 if width <= _SHORT else np.uint64)
    text = np.empty((numbers.size, width), dtype=np.uint8)
    for place in range(width - 1, 0, -1):
        leading = rest // 10
        text[:, place] = rest - 10 * leading
        rest = leading
    text[:, 0] = rest
    text += _ZERO
    return text.tobytes()


def widths_of(numbers: IntArray, counts: IntArray) -> IntArray:
    """Return :func:`width_of` of the first ``counts[0]`` numbers, of the next ``counts[1]``, and so on.

    >>> widths_of(np.array([7, 300, -10, 10]), np.array([2, 0, 2])).tolist()
    [3, 1, 3]
    """
    widths: IntArray = np.ones(counts.size, dtype=np.int64)
    some = np.flatnonzero(counts)
    if not some.size:
        return widths
    starts = (np.cumsum(counts) - counts)[some]
    least, most = np.minimum.reduceat(numbers, starts), np.maximum.reduceat(numbers, starts)
    widths[some] += np.searchsorted(_POWERS, most, side="right")
    for at in np.flatnonzero(least < 0).tolist():
        widths[some[at]] = width_of(int(least[at]), int(most[at]))
    return widths


def written_parts(numbers: IntArray, counts: IntArray, widths: IntArray) -> list[bytes]:
    """Return the text of the first ``counts[0]`` numbers, in ``widths[0]`` characters each, and so on.

    >>> written_parts(np.array([7, 300, 0]), np.array([2, 1]), np.array([3, 2]))
    [b'007300', b'00']
    """
    if int(widths.min(initial=MOST_DIGITS)) == int(widths.max(initial=0)):
        return _cut(written(numbers, int(widths[0])), (counts * widths).tolist())
    parts = [b""] * counts.size
    width_of_number = np.repeat(widths.astype(np.uint8), counts)
    for width in np.unique(widths).tolist():
        text = written(numbers[width_of_number == width], width)
        chosen = np.flatnonzero(widths == width)
        for at, part in zip(chosen.tolist(), _cut(text, (counts[chosen] * width).tolist()), strict=True):
            parts[at] = part
    return parts


def _cut(text: bytes, lengths: list[int]) -> list[bytes]:
    """Return the parts of a text that have these lengths."""
    return [text[start:stop] for start, stop in pairwise(accumulate(lengths, initial=0))]


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
