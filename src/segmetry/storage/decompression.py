"""Decompress stored bytes to no more than a known number of them, whatever the bytes declare."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import import_optional
from segmetry.errors import FormatError
from segmetry.storage.blosc_header import check_blosc
from segmetry.storage.buffers import buffer_of

Buffer = bytes | NDArray[np.uint8]


class Wanted(NamedTuple):
    """How many bytes a chunk must have, or at most if not ``exactly``, and where it is from, for messages."""

    n_bytes: int
    exactly: bool
    where: str


Unpack = Callable[[bytes, Wanted], Buffer]


def decompressed(compressed: bytes, compressor: str, n_bytes: int, where: str, *, exactly: bool = True) -> Buffer:
    """Return the bytes of a chunk, at most one more than ``n_bytes``; a declared number must be right.

    >>> decompressed(zlib.compress(b"abc"), "zlib", 3, "chunk")
    b'abc'
    """
    return COMPRESSORS[compressor](compressed, Wanted(n_bytes, exactly, where))


def _streamed(decompressor: Any, compressed: bytes, wanted: Wanted) -> bytes:
    """Return what a decompressor of the standard library gives; a stream that ends too early is an error."""
    content: bytes = decompressor.decompress(compressed, wanted.n_bytes + 1)
    if not decompressor.eof and len(content) <= wanted.n_bytes:
        raise FormatError(f"{wanted.where}: the chunk is cut off")
    return content


def _zlib(compressed: bytes, wanted: Wanted) -> Buffer:
    return _streamed(zlib.decompressobj(wbits=47), compressed, wanted)  # accepts the headers of gzip and zlib


def _bz2(compressed: bytes, wanted: Wanted) -> Buffer:
    return _streamed(bz2.BZ2Decompressor(), compressed, wanted)


def _lzma(compressed: bytes, wanted: Wanted) -> Buffer:
    return _streamed(lzma.LZMADecompressor(memlimit=2**28), compressed, wanted)


def _zstd(compressed: bytes, wanted: Wanted) -> Buffer:
    return _declared(compressed, zstd_size(compressed), wanted, "zstd", "Zstd")


def _blosc(compressed: bytes, wanted: Wanted) -> Buffer:
    declared = int.from_bytes(compressed[4:8], "little") if len(compressed) >= 16 else None
    _check_declared(declared, wanted)
    check_blosc(compressed, wanted.where)
    return _declared(compressed, declared, wanted, "blosc", "Blosc")


def _lz4(compressed: bytes, wanted: Wanted) -> Buffer:
    """A block of LZ4 after its size in four bytes, as numcodecs writes it."""
    declared = int.from_bytes(compressed[:4], "little") if len(compressed) > 4 else None
    return _declared(compressed, declared, wanted, "lz4", "LZ4")


def _declared(compressed: bytes, declared: int | None, wanted: Wanted, module: str, name: str) -> Buffer:
    """Decompress with numcodecs bytes that declare their size."""
    target = buffer_of(_check_declared(declared, wanted))
    _codec(module, name).decode(compressed, out=target)
    return target


@cache
def _codec(module: str, name: str) -> Any:
    """Return a codec of numcodecs with its usual settings, which do not matter for decompressing."""
    return getattr(import_optional(f"numcodecs.{module}", f"decompressing chunks of {module}", "zarr"), name)()


def _check_declared(declared: int | None, wanted: Wanted) -> int:
    if declared is None or declared > wanted.n_bytes or (wanted.exactly and declared < wanted.n_bytes):
        expected = f"{'' if wanted.exactly else 'at most '}{wanted.n_bytes}"
        raise FormatError(
            f"{wanted.where}: declares {declared or 'no number of'} bytes of elements; expected {expected}"
        )
    return declared


COMPRESSORS: Mapping[str, Unpack] = MappingProxyType(
    {
        "gzip": _zlib,
        "zlib": _zlib,
        "bz2": _bz2,
        "lzma": _lzma,
        "zstd": _zstd,
        "blosc": _blosc,
        "lz4": _lz4,
    }
)
"""How to decompress, by name."""


def zstd_size(compressed: bytes) -> int | None:
    """Return the content size declared by the first Zstandard frame [RFC 8878, 3.1.1.1]; None if there is none.

    >>> zstd_size(bytes.fromhex("28b52ffd20040000")), zstd_size(b"(")
    (4, None)
    """
    if len(compressed) < 6 or compressed[:4] != b"\x28\xb5\x2f\xfd":
        return None
    single = bool(compressed[4] & 0x20)
    width = (int(single), 2, 4, 8)[compressed[4] >> 6]
    at = 5 + (not single) + (0, 1, 2, 4)[compressed[4] & 3]
    size = int.from_bytes(compressed[at : at + width], "little") + (256 if width == 2 else 0)
    return size if width else None
