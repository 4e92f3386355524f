"""Check the header and the block table of a Blosc chunk: its decoder trusts them and may read outside the chunk.

Layout [Blosc chunk format, version 2]: versions, flags and type size in a byte each, then the sizes of the content, of
a block and of the chunk as 32-bit numbers; unless the content is stored as it is, the offset of every block; a block is
one or several streams, each after its size.
"""

from __future__ import annotations

import struct

from segmetry.errors import FormatError

HEADER = 16
_STORED, _UNSPLIT = 0x2, 0x10
_LEAST_SPLIT, _MOST_SPLITS = 128, 16
"""Streams of a block: one for every byte of an element, if they are at least this long and at most this many."""


def check_blosc(chunk: bytes, where: str) -> None:
    """Raise an error for a chunk whose header or block table points outside it.

    >>> check_blosc(bytes(16), "chunk")
    Traceback (most recent call last):
    segmetry.errors.FormatError: chunk: damaged Blosc chunk: it declares a length of 0 bytes and has 16
    """
    if len(chunk) < HEADER:
        raise _damaged(where, f"{len(chunk)} bytes are less than a header")
    _, _, flags, element = chunk[:4]
    content, block, length = struct.unpack("<3I", chunk[4:HEADER])
    if length != len(chunk):
        raise _damaged(where, f"it declares a length of {length} bytes and has {len(chunk)}")
    if flags & _STORED:
        if content + HEADER != length:
            raise _damaged(where, f"{content} bytes are stored in {length}")
        return
    if not content:
        return
    if not (0 < block <= content and element):
        raise _damaged(where, f"blocks of {block} bytes in elements of {element}")
    count = -(-content // block)
    table = HEADER + 4 * count
    if table > length:
        raise _damaged(where, f"a table of {count} blocks in {length} bytes")
    for at, start in enumerate(struct.unpack(f"<{count}I", chunk[HEADER:table])):
        _check_block(chunk, at, start, flags, element, min(block, content - at * block), block, where)


def _check_block(
    chunk: bytes, at: int, start: int, flags: int, element: int, size: int, whole: int, where: str
) -> None:
    """Follow the streams of a block: each has its size before it and ends inside the chunk."""
    splits = element if not flags & _UNSPLIT and element <= _MOST_SPLITS and whole // element >= _LEAST_SPLIT else 1
    splits = splits if size == whole else 1  # the last block is not split if it is shorter
    place = start
    for _ in range(splits):
        if not HEADER <= place <= len(chunk) - 4:
            raise _damaged(where, f"block {at} begins at byte {place} of {len(chunk)}")
        length = int.from_bytes(chunk[place : place + 4], "little", signed=True)
        place += 4 + length
        if length < 0 or place > len(chunk):
            raise _damaged(where, f"block {at} ends at byte {place} of {len(chunk)}")


def _damaged(where: str, words: str) -> FormatError:
    return FormatError(f"{where}: damaged Blosc chunk: {words}")
