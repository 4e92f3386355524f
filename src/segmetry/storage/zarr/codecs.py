"""Unpacking one chunk of a zarr array, into no more bytes than it may hold."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import import_optional
from segmetry.errors import FormatError
from segmetry.storage.buffers import buffer_of

Buffer = bytes | NDArray[np.uint8]


def unpacked(packed: bytes, packer: str | None, needed: int, where: str) -> Buffer:
    """The bytes of a chunk, one more than needed at most."""
    if packer is None:
        return packed[: needed + 1]
    if packer in ("gzip", "zlib"):
        machine = zlib.decompressobj(wbits=47)  # either of the two
        found = machine.decompress(packed, needed + 1)
        if not machine.eof and len(found) <= needed:
            raise FormatError(f"{where}: the chunk is cut off")
        return found
    declared = int.from_bytes(packed[4:8], "little") if packer == "blosc" else _zstd_size(packed)
    if declared != needed:
        raise FormatError(f"{where}: declares {declared or 'no number of'} bytes of elements; expected {needed}")
    codecs = import_optional(f"numcodecs.{packer}", f"unpacking zarr chunks of {packer}", "zarr")
    target = buffer_of(needed)
    (codecs.Zstd() if packer == "zstd" else codecs.Blosc()).decode(packed, out=target)
    return target


def _zstd_size(packed: bytes) -> int | None:
    """How many bytes the first frame of Zstandard says it holds [RFC 8878, 3.1.1.1]; None if it does not say.

    >>> _zstd_size(bytes.fromhex("28b52ffd20040000")), _zstd_size(b"(")
    (4, None)
    """
    if len(packed) < 6 or packed[:4] != b"\x28\xb5\x2f\xfd":
        return None
    single = bool(packed[4] & 0x20)
    width = (int(single), 2, 4, 8)[packed[4] >> 6]
    at = 5 + (not single) + (0, 1, 2, 4)[packed[4] & 3]
    size = int.from_bytes(packed[at : at + width], "little") + (256 if width == 2 else 0)
    return size if width else None
