"""Inflate zlib data of a known size: by libdeflate, several times as fast, or by Python's zlib where it is missing.

The package deflate has no build for WebAssembly and rare machines; there the results are the same and slower.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


@cache
def _deflate() -> Any:
    """Return the package deflate, or None where it is not installed."""
    try:
        return import_module("deflate")
    except ImportError:
        return None


def crc32() -> Callable[[bytes | memoryview, int], int]:
    """Return the function that continues a checksum of bytes.

    >>> crc32()(b"segments", 0) == zlib.crc32(b"segments")
    True
    """
    deflate = _deflate()
    checksum: Callable[[bytes | memoryview, int], int] = zlib.crc32 if deflate is None else deflate.crc32
    return checksum


def inflate(data: bytes | memoryview, n_bytes: int) -> bytes | bytearray | None:
    """Return exactly ``n_bytes`` of inflated data; None if the data is damaged or has another size.

    Bytes after the end of the stream are ignored.

    >>> bytes(inflate(zlib.compress(b"segments"), 8))
    b'segments'
    >>> inflate(zlib.compress(b"segments"), 7) is None
    True
    """
    deflate = _deflate()
    if deflate is None:
        return _inflate_by_zlib(data, n_bytes)
    try:
        inflated: bytearray = deflate.zlib_decompress(data, n_bytes)
    except deflate.DeflateError:
        return None
    return inflated if len(inflated) == n_bytes else None


def _inflate_by_zlib(data: bytes | memoryview, n_bytes: int) -> bytes | None:
    """One byte more than is expected is asked for: no more memory is used, however much a hostile stream contains."""
    stream = zlib.decompressobj()
    try:
        inflated = stream.decompress(data, n_bytes + 1)
    except zlib.error:
        return None
    return inflated if len(inflated) == n_bytes and stream.eof else None
