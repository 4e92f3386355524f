"""Whether a PNG file is whole: every chunk with its checksum, and exactly as much data as the header declares.

Pillow fills what is missing with zeros, and zero is a label.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from segmetry.errors import FormatError
from segmetry.readers.parts.file_head import lookalike

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE = 0, 2, 3
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, 4: 2, 6: 4}
# First column, first row, step between columns, step between rows of the seven passes of an interlaced image.
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_PIECE = 1 << 16


class Header(NamedTuple):
    """What an image declares about itself."""

    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool

    @classmethod
    def of(cls, head: bytes, path: Path) -> Header:
        """The header at the beginning of a file."""
        if len(head) < 29 or not head.startswith(SIGNATURE) or head[12:16] != b"IHDR":
            raise FormatError(f"{path}: {lookalike(head) or 'not a PNG image, or its header is cut off'}")
        width, height, depth, colour = struct.unpack(">IIBB", head[16:26])
        if not width or not height:
            raise FormatError(f"{path}: declares a size of {width} × {height}; expected at least one pixel")
        if colour not in CHANNELS:
            raise FormatError(f"{path}: declares colour type {colour}, which PNG does not have")
        return cls(width, height, depth, colour, bool(head[28]))


def check_whole(path: Path, header: Header) -> None:
    """Refuse a file with a damaged chunk, or with more or less data than its header declares; memory is bounded."""
    bits = header.depth * CHANNELS[header.colour]
    needed = data_size(header.width, header.height, bits, interlaced=header.interlaced)
    inflate, found = zlib.decompressobj(), 0
    try:
        for content in _image_data(path):
            while content and found <= needed:
                found += len(inflate.decompress(content, _PIECE))
                content = inflate.unconsumed_tail
        while not inflate.eof and found <= needed:
            more = inflate.decompress(b"", _PIECE)
            if not more:
                break
            found += len(more)
    except zlib.error as problem:
        raise FormatError(f"{path}: damaged image: {problem}") from None
    if found != needed or not inflate.eof:
        raise FormatError(
            f"{path}: damaged image: its header declares {needed} bytes of data, it holds "
            f"{'more' if found > needed else found if found < needed else 'no end of them'}"
        )


def data_size(width: int, height: int, bits: int, *, interlaced: bool) -> int:
    """How many bytes the rows of an image have, each with the byte that names its filter.

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


def _image_data(path: Path) -> Iterator[bytes]:
    """The contents of the IDAT chunks; the checksum of every chunk is verified up to the end of the image."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(len(SIGNATURE))
        while True:
            head = file.read(8)
            if len(head) < 8:
                raise FormatError(f"{path}: damaged image: it is cut off")
            length, kind = struct.unpack(">I4s", head)
            if length > size:
                raise FormatError(f"{path}: damaged image: a chunk declares {length} bytes, the file has {size}")
            content, checksum = file.read(length), file.read(4)
            if len(checksum) < 4 or zlib.crc32(kind + content).to_bytes(4, "big") != checksum:
                raise FormatError(f"{path}: damaged image: the checksum of a chunk {kind!r} is wrong")
            if kind == b"IDAT":
                yield content
            if kind == b"IEND":
                return
