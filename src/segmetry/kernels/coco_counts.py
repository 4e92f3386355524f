"""The compressed run-length strings of COCO, in numpy; this version also explains what is wrong with a string.

The format, as pycocotools writes it: a number is a sequence of characters ``'0' + d`` with ``0 <= d < 64``. Each has
five bits, lowest first; bit 32 of ``d`` means that the number continues, bit 16 of the last one is the sign. From the
fourth count on, the difference to the count two before is written instead of the count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LARGEST_COUNT = (1 << 59) - 1
"""Counts beyond this, and numbers of more than the twelve characters it needs, are refused as overflow."""

_MOST_CHARACTERS = 12


def decode_coco_counts_numpy(encoded: bytes) -> NDArray[np.int64]:
    """The numpy twin of :func:`segmetry.kernels.run_length_masks.decode_coco_counts`.

    >>> decode_coco_counts_numpy(b"52P")
    Traceback (most recent call last):
    ValueError: byte 3: the string ends inside a number
    """
    if not isinstance(encoded, bytes):
        raise TypeError(f"a compressed mask is {type(encoded).__name__}; expected bytes")
    digits = np.frombuffer(encoded, np.uint8).astype(np.int64) - 48
    foreign = np.flatnonzero((digits < 0) | (digits > 63))
    usable = digits[: foreign[0]] if len(foreign) else digits
    lasts = np.flatnonzero(usable & 32 == 0)
    firsts = np.concatenate(([0], lasts[:-1] + 1))[: len(lasts)]
    lengths = lasts - firsts + 1
    # Faults are reported in the order of the string, so only numbers before one that is too long are checked.
    long = np.flatnonzero(lengths > _MOST_CHARACTERS)
    whole = int(long[0]) if len(long) else len(lasts)
    counts = _counts(_numbers(usable, firsts[:whole], lengths[:whole]))
    _refuse_bad_counts(counts, firsts)
    rest = int(firsts[whole]) if len(long) else (int(lasts[-1]) + 1 if len(lasts) else 0)
    if len(long) or len(usable) - rest > _MOST_CHARACTERS:
        raise ValueError(f"byte {rest}: overflow, a number of more than {_MOST_CHARACTERS} characters")
    if len(foreign):
        character = bytes([encoded[foreign[0]]])
        raise ValueError(f"byte {foreign[0]}: {character!r} is none of the characters '0' to 'o'")
    if rest < len(usable):
        raise ValueError(f"byte {len(encoded)}: the string ends inside a number")
    return counts


def _numbers(digits: NDArray[np.int64], firsts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.int64]:
    if len(firsts) == 0:
        return np.empty(0, np.int64)
    used = digits[: firsts[-1] + lengths[-1]]
    shifts = 5 * (np.arange(len(used)) - np.repeat(firsts, lengths))
    numbers = np.add.reduceat((used & 31) << shifts, firsts)
    negative = used[firsts + lengths - 1] & 16 != 0
    return numbers - np.where(negative, np.int64(1) << (5 * lengths), 0)


def _counts(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    counts = numbers.copy()
    counts[1::2] = np.cumsum(numbers[1::2])
    counts[2::2] = np.cumsum(numbers[2::2])
    return counts


def _refuse_bad_counts(counts: NDArray[np.int64], firsts: NDArray[np.intp]) -> None:
    # A sum can only wrap after a count that is refused here, because every number is within 2^59 of zero.
    bad = np.flatnonzero((counts < 0) | (counts > LARGEST_COUNT))
    if len(bad) == 0:
        return
    count = int(counts[bad[0]])
    if count < 0:
        raise ValueError(f"byte {firsts[bad[0]]}: the count becomes {count}; expected 0 or more")
    raise ValueError(f"byte {firsts[bad[0]]}: overflow, the count becomes {count}; expected at most {LARGEST_COUNT}")


def encode_coco_counts_numpy(counts: NDArray[np.int64]) -> bytes:
    """The numpy twin of :func:`segmetry.kernels.run_length_masks.encode_coco_counts`.

    >>> encode_coco_counts_numpy(np.array([0, 1000]))
    b'0Xo0'
    """
    bad = np.flatnonzero((counts < 0) | (counts > LARGEST_COUNT))
    if len(bad):
        raise ValueError(f"count {bad[0]} is {counts[bad[0]]}; expected 0 to {LARGEST_COUNT}")
    numbers = counts.astype(np.int64)
    numbers[3:] -= counts[1:-2]
    magnitude = np.where(numbers < 0, ~numbers, numbers)
    lengths = np.ones(len(numbers), np.int64)
    for characters in range(1, _MOST_CHARACTERS + 1):
        lengths += magnitude >> (5 * characters - 1) != 0
    place = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    digits = (np.repeat(numbers, lengths) >> (5 * place)) & 31
    digits |= np.where(place < np.repeat(lengths, lengths) - 1, 32, 0)
    return (digits + 48).astype(np.uint8).tobytes()
