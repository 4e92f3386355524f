"""Check that a PNG file is complete: every checksum, and exactly as much data as the header declares.

Pillow fills missing data with zeros, and zero is a label.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from segmetry.errors import FormatError
from segmetry.readers.parts.file_head import lookalike
from segmetry.readers.parts.inflate import crc32

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE = 0, 2, 3
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, 4: 2, 6: 4}
# First column, first row, step between columns, step between rows of the seven passes of an interlaced image.
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_PIECE = 1 << 16


class DamagedChunkError(ValueError):
    """A chunk that is cut off or whose checksum is wrong."""


class Header(NamedTuple):
    """The header of an image: its size, bit depth, colour type and whether it is interlaced."""

    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool

    @classmethod
    def of(cls, head: bytes, path: Path) -> Header:
        """Return the header at the beginning of a file."""
        if len(head) < 29 or not head.startswith(SIGNATURE) or head[12:16] != b"IHDR":
            raise FormatError(f"{path}: {lookalike(head) or 'not a PNG image, or its header is cut off'}")
        width, height, depth, colour = struct.unpack(">IIBB", head[16:26])
        if not width or not height:
            raise FormatError(f"{path}: declares a size of {width} × {height}; expected at least one pixel")
        if colour not in CHANNELS:
            raise FormatError(f"{path}: declares colour type {colour}, which PNG does not have")
        return cls(width, height, depth, colour, bool(head[28]))


def check_complete(path: Path, header: Header) -> None:
    """Refuse a file with a damaged chunk, or with more or less data than its header declares; memory is bounded."""
    bits = header.depth * CHANNELS[header.colour]
    declared = data_size(header.width, header.height, bits, interlaced=header.interlaced)
    inflate, size = zlib.decompressobj(), 0
    try:
        with path.open("rb") as file:
            for kind, content in chunks(file):
                while kind == b"IDAT" and content and size <= declared:
                    size += len(inflate.decompress(content, _PIECE))
                    content = inflate.unconsumed_tail
        while not inflate.eof and size <= declared:
            more = inflate.decompress(b"", _PIECE)
            if not more:
                break
            size += len(more)
    except (zlib.error, DamagedChunkError) as problem:
        raise FormatError(f"{path}: damaged image: {problem}") from None
    if size == declared and inflate.eof:
        return
    amount = "more" if size > declared else size if size < declared else "no end of them"
    raise FormatError(f"{path}: damaged image: its header declares {declared} bytes of data, it contains {amount}")


def chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and content of every chunk up to the end of the image; a wrong checksum raises DamagedChunkError."""
    checksum_of = crc32()
    size = file.seek(0, os.SEEK_END)
    file.seek(len(SIGNATURE))
    kind = b""
    while kind != b"IEND":
        head = file.read(8)
        if len(head) < 8:
            raise DamagedChunkError("it is cut off")
        length, kind = struct.unpack(">I4s", head)
        if length > size:
            raise DamagedChunkError(f"a chunk declares {length} bytes, the file has {size}")
        content, checksum = file.read(length), file.read(4)
        if len(checksum) < 4 or checksum_of(content, checksum_of(kind, 0)).to_bytes(4, "big") != checksum:
            raise DamagedChunkError(f"the checksum of a chunk {kind!r} is wrong")
        yield kind, content


def data_size(width: int, height: int, bits: int, *, interlaced: bool) -> int:
    """Return the number of bytes in the rows of an image, including the filter byte of each row.

    >>> data_size(3, 2, 8, interlaced=False), data_size(3, 2, 8, interlaced=True)
    (8, 10)
    """
    passes = _ADAM7 if interlaced else ((0, 0, 1, 1),)
    total = 0
    for column, row, across, down in passes:
        columns, rows = -((column - width) // across), -((row - height) // down)
        if columns > 0 and rows > 0:
            total += rows * (1 + (columns * bits + 7) // 8)
    return total
