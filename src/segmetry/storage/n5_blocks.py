"""Blocks of an N5 data set: big-endian elements, the first axis fastest, each block after a header with its own size.

An N5 data set of x, y and z is presented as an array of z, y and x, as zarr and the viewers of the field do.
[N5 specification, version 4]
"""

from __future__ import annotations

import math
import struct
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import translate_errors
from segmetry.errors import FormatError
from segmetry.storage.chunk_grid import ChunkGrid
from segmetry.storage.decompression import Buffer, decompressed

COMPRESSORS = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma", "zstd": "zstd", "blosc": "blosc", "lz4": "lz4 blocks"}
"""Compressors of N5 by the names of ours; ``raw`` is none."""
_LZ4_MAGIC = b"LZ4Block"
_LZ4_HEADER = 21


@dataclass(frozen=True, eq=False)
class N5Blocks(ChunkGrid):
    """A data set of N5; ``compressor`` is one of :data:`COMPRESSORS`, or None."""

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: np.dtype[Any]
    compressor: str | None

    @abstractmethod
    def file_of(self, name: str) -> Path | None:
        """Return the file of a block; None if it is absent."""

    def name_of(self, place: tuple[int, ...]) -> str:
        """Return the path of a block inside the data set: one folder for each axis, x first."""
        return "/".join(str(at) for at in reversed(place))

    def chunk(self, place: tuple[int, ...]) -> NDArray[Any] | None:
        file = self.file_of(self.name_of(place))
        if file is None:
            return None
        expected = tuple(
            min(step, length - at * step) for at, step, length in zip(place, self.chunks, self.shape, strict=True)
        )
        with translate_errors(file, "block"):
            content = file.read_bytes()
            shape, body = self._header(content, str(file))
            if any(
                found < needed or found > step for found, needed, step in zip(shape, expected, self.chunks, strict=True)
            ):
                raise FormatError(f"{file}: a block of {shape}; expected {expected}")
            n_bytes = math.prod(shape) * self.dtype.itemsize
            plain = _plain(body, self.compressor, n_bytes, str(file))
            if len(plain) != n_bytes:
                raise FormatError(f"{file}: {len(plain)} bytes of elements; expected {n_bytes}")
            return np.frombuffer(plain, dtype=self.dtype.newbyteorder(">")).reshape(shape).astype(self.dtype)

    def _header(self, content: bytes, where: str) -> tuple[tuple[int, ...], bytes]:
        """Return the shape of a block, in our order of axes, and what follows its header."""
        ndim = len(self.shape)
        length = 4 + 4 * ndim
        if len(content) < length:
            raise FormatError(f"{where}: {len(content)} bytes are less than the header of a block: it is cut off")
        mode, axes = struct.unpack(">HH", content[:4])
        if mode != 0 or axes != ndim:
            raise FormatError(f"{where}: a block of mode {mode} with {axes} axes; expected mode 0 with {ndim}")
        return struct.unpack(f">{ndim}I", content[4:length])[::-1], content[length:]


def _plain(body: bytes, compressor: str | None, n_bytes: int, where: str) -> Buffer:
    if compressor is None:
        return body
    own = COMPRESSORS[compressor]
    return _lz4_blocks(body, n_bytes, where) if own == "lz4 blocks" else decompressed(body, own, n_bytes, where)


def _lz4_blocks(body: bytes, n_bytes: int, where: str) -> bytes:
    """Decompress the stream of lz4-java: a magic word, a token, both sizes and a checksum before every block."""
    parts, at, total = list[bytes](), 0, 0
    while total < n_bytes:
        head = body[at : at + _LZ4_HEADER]
        if len(head) < _LZ4_HEADER or not head.startswith(_LZ4_MAGIC):
            raise FormatError(f"{where}: the chunk is cut off, or not a stream of LZ4 blocks")
        packed, plain = struct.unpack("<II", head[9:17])
        block = body[at + _LZ4_HEADER : at + _LZ4_HEADER + packed]
        if len(block) != packed or not 0 < plain <= n_bytes - total:
            raise FormatError(f"{where}: an LZ4 block declares {packed} bytes for {plain}")
        is_stored = head[8] & 0xF0 == 0x10
        sized = plain.to_bytes(4, "little") + block
        parts.append(block if is_stored else bytes(decompressed(sized, "lz4", plain, where)))
        at, total = at + _LZ4_HEADER + packed, total + plain
    return b"".join(parts)
