"""Compressed COCO strings, written number by number as the format says."""

from __future__ import annotations

from collections.abc import Iterable


def encode_coco_counts(counts: Iterable[int]) -> bytes:
    """Return the string of some counts: five bits a character, 32 where a number continues, 16 of the last its sign."""
    listed = [int(count) for count in counts]
    text = bytearray()
    for at, count in enumerate(listed):
        number = count - listed[at - 2] if at > 2 else count
        while True:
            digit, number = number & 31, number >> 5
            more = number != (-1 if digit & 16 else 0)
            text.append(48 + digit + 32 * more)
            if not more:
                break
    return bytes(text)
