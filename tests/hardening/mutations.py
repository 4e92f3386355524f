"""Damage to a file: pieces cut off, taken out, doubled or exchanged, bits flipped, numbers replaced by extreme ones."""

from __future__ import annotations

import random

from tests.hardening.structures import restructured

EXTREME = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**64 - 1)
LONGEST = 2**17
"""A file with more bytes is not damaged again: a part that is repeated thousands of times twice fills the memory."""
DIGITS = (b"0", b"-1", b"4294967296", b"9223372036854775808", b"1e999", b"NaN", b"null", b"[]", b'""')


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The content cut off, with some bits flipped, or with a piece taken out or doubled."""
    if not content:  # of a part inside of a file
        return content
    kind = chance.randrange(4)
    if kind == 0:
        return content[: chance.randrange(len(content))]
    if kind == 1:
        start, stop = sorted(chance.randrange(len(content) + 1) for _ in range(2))
        return content[:start] + (content[start:stop] * 2 if chance.random() < 0.5 else b"") + content[stop:]
    found = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 8])):
        found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def mutated(content: bytes, chance: random.Random) -> bytes:
    """The content damaged once or a few times, also by extreme numbers, and in its parts rather than its bytes."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        if not content:
            return content
        kind = chance.randrange(8)
        if kind < 2:
            content = damaged(content, chance)
        elif kind == 2:
            content = _with_number(content, chance)
        elif kind == 3:
            content = _with_text(content, chance)
        elif kind == 4:
            content = _exchanged(content, chance)
        else:
            content = restructured(content, chance, damaged)
        if len(content) > LONGEST:
            break
    return content


def _with_number(content: bytes, chance: random.Random) -> bytes:
    width = chance.choice((1, 2, 4, 8))
    number = (chance.choice(EXTREME) % 256**width).to_bytes(width, chance.choice(("little", "big")))  # type: ignore[arg-type]
    at = chance.randrange(len(content))
    return content[:at] + number + content[at + width :]


def _with_text(content: bytes, chance: random.Random) -> bytes:
    """The content with a run of digits replaced, if it has any."""
    at = chance.randrange(len(content))
    while at < len(content) and not content[at : at + 1].isdigit():
        at += 1
    stop = at
    while stop < len(content) and content[stop : stop + 1].isdigit():
        stop += 1
    return content[:at] + chance.choice(DIGITS) + content[stop:]


def _exchanged(content: bytes, chance: random.Random) -> bytes:
    """The content with a piece copied over another place."""
    length = chance.randrange(1, min(64, len(content)) + 1)
    source, target = (chance.randrange(len(content)) for _ in range(2))
    return content[:target] + content[source : source + length] + content[target + length :]
