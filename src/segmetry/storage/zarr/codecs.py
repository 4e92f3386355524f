"""Decompress one chunk of a zarr array to no more bytes than its shape needs."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import import_optional
from segmetry.errors import FormatError
from segmetry.storage.buffers import buffer_of

Buffer = bytes | NDArray[np.uint8]


def decompressed(compressed: bytes, compressor: str | None, n_bytes: int, where: str) -> Buffer:
    """Return the bytes of a chunk, at most one more than ``n_bytes``."""
    if compressor is None:
        return compressed[: n_bytes + 1]
    if compressor in ("gzip", "zlib"):
        decompressor = zlib.decompressobj(wbits=47)  # accepts both headers
        content = decompressor.decompress(compressed, n_bytes + 1)
        if not decompressor.eof and len(content) <= n_bytes:
            raise FormatError(f"{where}: the chunk is cut off")
        return content
    declared = int.from_bytes(compressed[4:8], "little") if compressor == "blosc" else _zstd_size(compressed)
    if declared != n_bytes:
        raise FormatError(f"{where}: declares {declared or 'no number of'} bytes of elements; expected {n_bytes}")
    codecs = import_optional(f"numcodecs.{compressor}", f"decompressing zarr chunks of {compressor}", "zarr")
    target = buffer_of(n_bytes)
    (codecs.Zstd() if compressor == "zstd" else codecs.Blosc()).decode(compressed, out=target)
    return target


def _zstd_size(compressed: bytes) -> int | None:
    """Return the content size declared by the first Zstandard frame [RFC 8878, 3.1.1.1]; None if there is none.

    >>> _zstd_size(bytes.fromhex("28b52ffd20040000")), _zstd_size(b"(")
    (4, None)
    """
    if len(compressed) < 6 or compressed[:4] != b"\x28\xb5\x2f\xfd":
        return None
    single = bool(compressed[4] & 0x20)
    width = (int(single), 2, 4, 8)[compressed[4] >> 6]
    at = 5 + (not single) + (0, 1, 2, 4)[compressed[4] & 3]
    size = int.from_bytes(compressed[at : at + width], "little") + (256 if width == 2 else 0)
    return size if width else None
