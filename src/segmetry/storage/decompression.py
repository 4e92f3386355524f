"""Decompress stored bytes to no more than a known number of them, whatever the bytes declare.

Large buffers come from a pool: the system clears every page of memory it hands out for the first time, which takes
longer than decompressing a chunk of labels into memory the process has already. A buffer returns to the pool when the
last array that uses it is gone.

Blosc trusts the header and the block table of a chunk and may read outside it, so both are checked first. Layout [Blosc
chunk format, version 2]: versions, flags and type size in a byte each, then the sizes of the content, of a block and of
the chunk as 32-bit numbers; unless the content is stored as it is, the offset of every block; a block is one or several
streams, each after its size.

The LZW decoder of imagecodecs takes any first code after a clear code for a byte, and copies from memory that nobody
has written if it is none; so the codes are read first. Layout [TIFF 6.0, section 13].
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import import_optional
from segmetry.errors import FormatError

ByteArray = NDArray[np.uint8]

LEAST_POOLED = 2**20
MOST_FREE = 2**26
"""Most bytes of free buffers of one size."""
_free: dict[int, list[ByteArray]] = {}


class _Lent:
    """Keeps a buffer as long as an array uses its memory."""

    def __init__(self, buffer: ByteArray) -> None:
        self.buffer = buffer
        self.__array_interface__: dict[str, Any] = buffer.__array_interface__

    def __del__(self) -> None:
        free = _free.setdefault(self.buffer.size, [])
        if (len(free) + 1) * self.buffer.size <= MOST_FREE:
            free.append(self.buffer)


def buffer_of(size: int) -> ByteArray:
    """Return a buffer of uninitialised bytes."""
    if size < LEAST_POOLED:
        return np.empty(size, dtype=np.uint8)
    try:
        buffer = _free[size].pop()
    except (KeyError, IndexError):  # not tested first: another thread may be quicker
        buffer = np.empty(size, dtype=np.uint8)
    return np.asarray(_Lent(buffer))


HEADER = 16
_STORED, _UNSPLIT = 0x2, 0x10
_LEAST_SPLIT, _MOST_SPLITS = 128, 16
"""Streams of a block: one for every byte of an element, if they are at least this long and at most this many."""


def check_blosc(chunk: bytes, where: str) -> None:
    """Raise an error for a chunk whose header or block table points outside it."""
    if len(chunk) < HEADER:
        raise _damaged_blosc(where, f"{len(chunk)} bytes are less than a header")
    _, _, flags, element = chunk[:4]
    content, block, length = struct.unpack("<3I", chunk[4:HEADER])
    if length != len(chunk):
        raise _damaged_blosc(where, f"it declares a length of {length} bytes and has {len(chunk)}")
    if flags & _STORED:
        if content + HEADER != length:
            raise _damaged_blosc(where, f"{content} bytes are stored in {length}")
        return
    if not content:
        return
    if not (0 < block <= content and element):
        raise _damaged_blosc(where, f"blocks of {block} bytes in elements of {element}")
    count = -(-content // block)
    table = HEADER + 4 * count
    if table > length:
        raise _damaged_blosc(where, f"a table of {count} blocks in {length} bytes")
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
            raise _damaged_blosc(where, f"block {at} begins at byte {place} of {len(chunk)}")
        length = int.from_bytes(chunk[place : place + 4], "little", signed=True)
        place += 4 + length
        if length < 0 or place > len(chunk):
            raise _damaged_blosc(where, f"block {at} ends at byte {place} of {len(chunk)}")


_CLEAR, _END = 256, 257
_WIDTHS = np.array([9] + [9] * 253 + [10] * 512 + [11] * 1024 + [12] * 3073)
"""Bits of the codes that follow a clear code, as many as the decoder's table has room for."""
_STOPS = np.cumsum(_WIDTHS)
_STARTS, _MASKS = _STOPS - _WIDTHS, (1 << _WIDTHS) - 1


def check_lzw(data: bytes, where: str) -> None:
    """Raise an error for LZW data of TIFF in which a clear code is not followed by a byte."""
    if len(data) < 2 or data[0] != 0x80 or data[1] & 0x80:
        raise FormatError(
            f"{where}: damaged LZW data: it does not begin with a clear code, as it does from TIFF 6.0 on"
        )
    padded = np.frombuffer(data + b"\0\0", dtype=np.uint8).astype(np.int32)
    words = padded[:-2] << 16 | padded[1:-1] << 8 | padded[2:]
    begin, end, window = 9, 8 * len(data), 32
    while n := min(int(np.searchsorted(_STOPS, end - begin, side="right")), window):
        bits = begin + _STARTS[:n]
        codes = words[bits >> 3] >> (24 - (bits & 7) - _WIDTHS[:n]) & _MASKS[:n]
        if codes[0] > _END:
            raise FormatError(
                f"{where}: damaged LZW data: code {codes[0]} at bit {begin} follows a clear code; expected a byte"
            )
        signs = np.flatnonzero(codes >> 1 == _CLEAR >> 1)
        if signs.size:
            if codes[signs[0]] == _END:
                return
            begin, window = begin + int(_STOPS[signs[0]]), 32
        elif n < window:
            return  # the data end, or the decoder finds its table full
        else:
            window *= 16


def _damaged_blosc(where: str, words: str) -> FormatError:
    return FormatError(f"{where}: damaged Blosc chunk: {words}")


Buffer = bytes | NDArray[np.uint8]


class ExpectedBytes(NamedTuple):
    """How many bytes a chunk must have, or at most if not ``exactly``, and where it is from, for messages."""

    n_bytes: int
    exactly: bool
    where: str


Unpack = Callable[[bytes, ExpectedBytes], Buffer]


def decompressed(compressed: bytes, compressor: str, n_bytes: int, where: str, *, exactly: bool = True) -> Buffer:
    """Return the bytes of a chunk, at most one more than ``n_bytes``; a declared number must be right."""
    return COMPRESSORS[compressor](compressed, ExpectedBytes(n_bytes, exactly, where))


def _from_stream(start: Callable[[], Any], compressed: bytes, expected: ExpectedBytes) -> bytes:
    """Decode by a decompressor of the standard library; a stream that ends too early is an error."""
    decompressor = start()
    content: bytes = decompressor.decompress(compressed, expected.n_bytes + 1)
    if not decompressor.eof and len(content) <= expected.n_bytes:
        raise FormatError(f"{expected.where}: the chunk is cut off")
    return content


def _decode_zstd(compressed: bytes, expected: ExpectedBytes) -> Buffer:
    return _decode_sized(compressed, zstd_size(compressed), expected, "zstd", "Zstd")


def _decode_blosc(compressed: bytes, expected: ExpectedBytes) -> Buffer:
    declared = int.from_bytes(compressed[4:8], "little") if len(compressed) >= 16 else None
    _check_declared(declared, expected)
    check_blosc(compressed, expected.where)
    return _decode_sized(compressed, declared, expected, "blosc", "Blosc")


def _decode_lz4(compressed: bytes, expected: ExpectedBytes) -> Buffer:
    """A block of LZ4 after its size in four bytes, as numcodecs writes it."""
    declared = int.from_bytes(compressed[:4], "little") if len(compressed) > 4 else None
    return _decode_sized(compressed, declared, expected, "lz4", "LZ4")


def _decode_sized(compressed: bytes, declared: int | None, expected: ExpectedBytes, module: str, name: str) -> Buffer:
    """Decompress with numcodecs bytes that declare their size."""
    target = buffer_of(_check_declared(declared, expected))
    _numcodecs_codec(module, name).decode(compressed, out=target)
    return target


@cache
def _numcodecs_codec(module: str, name: str) -> Any:
    """Return a codec of numcodecs with its usual settings, which do not matter for decompressing."""
    return getattr(import_optional(f"numcodecs.{module}", f"decompressing chunks of {module}", "zarr"), name)()


def _check_declared(declared: int | None, expected: ExpectedBytes) -> int:
    if declared is None or declared > expected.n_bytes or (expected.exactly and declared < expected.n_bytes):
        number = f"{'' if expected.exactly else 'at most '}{expected.n_bytes}"
        raise FormatError(
            f"{expected.where}: declares {declared or 'no number of'} bytes of elements; expected {number}"
        )
    return declared


# wbits=47: zlib takes headers of gzip and of its own. lzma would take as much memory as a header asks for.
_ZLIB = partial(_from_stream, partial(zlib.decompressobj, wbits=47))
COMPRESSORS: Mapping[str, Unpack] = MappingProxyType(
    {
        "gzip": _ZLIB,
        "zlib": _ZLIB,
        "bz2": partial(_from_stream, bz2.BZ2Decompressor),
        "lzma": partial(_from_stream, partial(lzma.LZMADecompressor, memlimit=2**28)),
        "zstd": _decode_zstd,
        "blosc": _decode_blosc,
        "lz4": _decode_lz4,
    }
)
"""How to decompress, by name."""


def zstd_size(compressed: bytes) -> int | None:
    """Return the content size declared by the first Zstandard frame [RFC 8878, 3.1.1.1]; None if there is none."""
    if len(compressed) < 6 or compressed[:4] != b"\x28\xb5\x2f\xfd":
        return None
    single = bool(compressed[4] & 0x20)
    width = (int(single), 2, 4, 8)[compressed[4] >> 6]
    at = 5 + (not single) + (0, 1, 2, 4)[compressed[4] & 3]
    size = int.from_bytes(compressed[at : at + width], "little") + (256 if width == 2 else 0)
    return size if width else None
