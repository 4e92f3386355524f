"""Pack columns of numbers into one block of the page: deflate, base64, and a directory in JSON.

A column has the narrowest type that fits its values: unsigned integers of 1, 2 or 4 bytes, doubles for
integers below 2⁵³ (exact) and for floats, and 64-bit integers, which JavaScript reads as BigInt, beyond that.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.report.page_records import ColumnKind

EXACT_IN_DOUBLE = 2**53
_ALIGNED = 8


class ColumnBlock:
    """Columns by name, stored one after the other."""

    def __init__(self) -> None:
        self.directory: dict[str, tuple[ColumnKind, int, int]] = {}
        self._parts: list[bytes] = []
        self._length = 0

    def add(self, name: str, values: NDArray[Any], *, wide: bool = False) -> None:
        """Add a column of integers or floats; ``wide`` integers become BigInt whatever their size."""
        kind: ColumnKind = "i8" if wide and values.dtype != np.uint64 else _kind(values)
        content = np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()
        self.directory[name] = (kind, self._length, int(values.size))
        padding = -len(content) % _ALIGNED
        self._parts += [content, bytes(padding)]
        self._length += len(content) + padding

    def packed(self) -> str:
        """Return all columns as base64 of raw deflate."""
        return pack(b"".join(self._parts))


def pack(content: bytes) -> str:
    """Return bytes as base64 of raw deflate, as the page's ``DecompressionStream("deflate-raw")`` reads them."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15)
    return base64.b64encode(compressor.compress(content) + compressor.flush()).decode("ascii")


def _kind(values: NDArray[Any]) -> ColumnKind:
    if values.dtype.kind == "f":
        return "f8"
    least, most = (int(values.min()), int(values.max())) if values.size else (0, 0)
    if least >= 0:
        limits: tuple[tuple[ColumnKind, int], ...] = (("u1", 2**8), ("u2", 2**16), ("u4", 2**32))
        for kind, limit in limits:
            if most < limit:
                return kind
    if least > -EXACT_IN_DOUBLE and most < EXACT_IN_DOUBLE:
        return "f8"
    return "u8" if values.dtype == np.uint64 else "i8"
