"""PNG files with the filters, chunks and faults that a test wants; written from the specification, not by a library."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def pixel_bytes(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    """(height, width, bytes per pixel) of grey values, of 16 bits high byte first, or of (height, width, 3) colours."""
    array = pixels.astype(">u2") if pixels.dtype == np.uint16 else pixels
    return np.ascontiguousarray(array).view(np.uint8).reshape(*pixels.shape[:2], -1)


def filtered(pixels: NDArray[np.uint8], filters: Sequence[int]) -> bytes:
    """The rows less what their filters predict, each with the number of its filter in front."""
    wide = np.zeros((pixels.shape[0] + 1, pixels.shape[1] + 1, pixels.shape[2]), np.int64)
    wide[1:, 1:] = pixels
    here, left, above, corner = wide[1:, 1:], wide[1:, :-1], wide[:-1, 1:], wide[:-1, :-1]
    estimate = left + above - corner
    ranks = np.stack([abs(estimate - one) for one in (left, above, corner)])
    nearest = np.choose(ranks.argmin(axis=0), [left, above, corner])  # of equal distances the first
    predictions = (0 * here, left, above, (left + above) // 2, nearest)
    rows = []
    for y, kind in enumerate(filters):
        rows.append(bytes([kind]) + ((here[y] - predictions[kind][y]) % 256).astype(np.uint8).tobytes())
    return b"".join(rows)


def png_file(
    data: bytes,
    size: tuple[int, int],
    depth: int,
    colour: int,
    *,
    cuts: Sequence[int] = (),
    before: bytes = b"",
    palette: bytes = b"",
    methods: bytes = b"\0\0\0",
) -> bytes:
    """A file of the given compressed data, cut into several chunks at the given places."""
    height, width = size
    header = chunk(b"IHDR", struct.pack(">IIBB", width, height, depth, colour) + methods)
    edges = [0, *sorted(cuts), len(data)]
    parts = b"".join(chunk(b"IDAT", data[a:b]) for a, b in pairwise(edges))
    colours = chunk(b"PLTE", palette) if palette else b""
    return SIGNATURE + header + before + colours + parts + chunk(b"IEND", b"")
