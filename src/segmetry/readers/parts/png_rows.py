"""The usual kinds of label image, without Pillow: many times as fast, for nearly all of a label image is repetition.

Not interlaced, 8 or 16 bits of grey, 8 bits of palette indices or colours. Whatever is unusual about a file is left to
the slow way, which also says what is wrong with it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.backend import native
from segmetry.kernels.png_labels import LABELS, png_labels, png_run_lengths
from segmetry.readers.parts.png_chunks import PALETTE, Header
from segmetry.segmentation.run_length_labels import RunLengthLabels

BYTES_PER_PIXEL = {(8, 0): 1, (16, 0): 2, (8, 2): 3, (8, 3): 1}
"""By bit depth and colour type."""

HARMLESS = frozenset({b"PLTE", b"bKGD", b"gAMA", b"pHYs", b"sBIT", b"sRGB", b"tEXt", b"tIME"})
"""Chunks that change nothing about the numbers in an image."""

_OVERHEAD = 1 << 16
"""Bytes a file may have beyond its pixels; what cannot be compressed grows by a fraction of that per megabyte."""


FEWEST_PER_RUN = 16
"""Pixels per run of equal labels from which on runs are kept instead of pixels: then they are counted faster."""

_KEPT = 1 << 24


def usual_labels(file: BinaryIO, head: bytes, header: Header) -> NDArray[Any] | RunLengthLabels | None:
    """The labels of an image of which ``head`` has been read; None if it is not of the usual kinds, or damaged."""
    width, height = header.width, header.height
    bytes_per_pixel = BYTES_PER_PIXEL.get((header.depth, header.colour))
    if bytes_per_pixel is None or header.interlaced or native is None:  # Pillow is faster than the numpy twin
        return None
    _keep_freed_memory()
    needed = height * (1 + bytes_per_pixel * width)
    rows = _rows(head + file.read(2 * needed + _OVERHEAD), needed, palette=header.colour == PALETTE)
    if rows is None:
        return None
    shape = height, width
    runs = png_run_lengths(rows, shape, bytes_per_pixel, most=1 + height * width // FEWEST_PER_RUN)
    if runs is not None:
        return RunLengthLabels(runs, shape, np.dtype(LABELS[bytes_per_pixel]))
    return png_labels(rows, shape, bytes_per_pixel)


@cache
def _keep_freed_memory() -> None:
    """Once a block of this size has been freed, glibc no longer gives every smaller one back to the system.

    To ask for it again, page by page, costs as much as reading the image (mallopt(3), M_MMAP_THRESHOLD). At most twice
    as much free memory is kept; none of the block is touched. Other systems do not mind.
    """
    np.empty(_KEPT, np.uint8)


def _rows(content: bytes, needed: int, *, palette: bool) -> bytearray | None:
    """The inflated image data, if it is whole and has exactly the size that is needed."""
    import deflate

    parts = _image_data(content, palette=palette)
    if parts is None:
        return None
    try:
        rows: bytearray = deflate.zlib_decompress(parts[0] if len(parts) == 1 else b"".join(parts), needed)
    except deflate.DeflateError:
        return None
    return rows if len(rows) == needed else None


def _image_data(content: bytes, *, palette: bool) -> list[memoryview] | None:
    """The contents of the IDAT chunks, which must stand together; None if a checksum is wrong or a chunk unusual."""
    from deflate import crc32

    if content[26:28] != b"\0\0":  # compression and filters of another method, of which PNG has none
        return None
    view = memoryview(content)
    parts: list[memoryview] = []
    at, kind, seen = 8, b"", set()
    while kind != b"IEND":
        if at + 12 > len(content):
            return None
        length, before, kind = int.from_bytes(view[at : at + 4]), kind, content[at + 4 : at + 8]
        end = at + 8 + length
        if end + 4 > len(content) or crc32(view[at + 4 : end]) != int.from_bytes(view[end : end + 4]):
            return None
        if kind == b"IDAT":
            if parts and before != b"IDAT":
                return None
            parts.append(view[at + 8 : end])
        elif kind not in HARMLESS and (kind != b"IHDR" or at > 8) and kind != b"IEND":
            return None
        seen.add(kind)
        at = end + 4
    is_whole = parts and (not palette or b"PLTE" in seen)
    return parts if is_whole else None
