"""Read the common kinds of PNG label image without Pillow, which is many times as fast as most pixels repeat.

Common are 8 or 16 bits of grey and 8 bits of palette indices or colours, not interlaced. Any other file is left to
Pillow, and so is a damaged one, for which the caller reports the error.
"""

from __future__ import annotations

import io
from functools import cache
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.backend import native
from segmetry.kernels.png_labels import LABELS, png_labels, png_run_lengths
from segmetry.readers.parts.inflate import inflate
from segmetry.readers.parts.png_chunks import PALETTE, DamagedChunkError, Header, chunks
from segmetry.segmentation.run_length_labels import RunLengthLabels

BYTES_PER_PIXEL = {(8, 0): 1, (16, 0): 2, (8, 2): 3, (8, 3): 1}
"""By bit depth and colour type."""

HARMLESS = frozenset({b"PLTE", b"bKGD", b"gAMA", b"pHYs", b"sBIT", b"sRGB", b"tEXt", b"tIME"})
"""Chunks that do not change the values of pixels."""

_OVERHEAD = 1 << 16
"""Bytes a file may have beyond its pixels; incompressible data grows by a fraction of that per megabyte."""

LEAST_MEAN_STRETCH = 16
"""Mean pixels per stretch of equal labels from which run lengths are kept instead of pixels: they count faster."""

_KEPT = 1 << 24


def usual_labels(file: BinaryIO, head: bytes, header: Header) -> NDArray[Any] | RunLengthLabels | None:
    """Return the labels of an image whose ``head`` has been read; None if it is not of a common kind or is damaged."""
    width, height = header.width, header.height
    bytes_per_pixel = BYTES_PER_PIXEL.get((header.depth, header.colour))
    if bytes_per_pixel is None or header.interlaced or native is None:  # Pillow is faster than the numpy twin
        return None
    _keep_freed_memory()
    n_bytes = height * (1 + bytes_per_pixel * width)
    rows = _rows(head + file.read(2 * n_bytes + _OVERHEAD), n_bytes, palette=header.colour == PALETTE)
    if rows is None:
        return None
    shape = height, width
    run_lengths = png_run_lengths(rows, shape, bytes_per_pixel, most=1 + height * width // LEAST_MEAN_STRETCH)
    if run_lengths is not None:
        return RunLengthLabels(run_lengths, shape, np.dtype(LABELS[bytes_per_pixel]))
    return png_labels(rows, shape, bytes_per_pixel)


@cache
def _keep_freed_memory() -> None:
    """Free a block of this size once, after which glibc keeps smaller freed blocks instead of unmapping each.

    Mapping them again, page by page, costs as much as reading the image (mallopt(3), M_MMAP_THRESHOLD). At most twice
    as much free memory is kept; the block itself is never touched. Other systems are unaffected.
    """
    np.empty(_KEPT, np.uint8)


def _rows(content: bytes, n_bytes: int, *, palette: bool) -> bytes | bytearray | None:
    """Return the inflated image data if it is undamaged and has exactly the expected size."""
    if content[26:28] != b"\0\0":  # PNG defines one method of compression and one of filtering
        return None
    try:
        parts = _image_data(content, palette=palette)
    except DamagedChunkError:
        return None
    return inflate(parts[0] if len(parts) == 1 else b"".join(parts), n_bytes)


def _image_data(content: bytes, *, palette: bool) -> list[bytes]:
    """Return the contents of the IDAT chunks, which must be consecutive; none if a chunk is unusual or missing."""
    parts: list[bytes] = []
    previous, kinds = b"", set()
    for kind, data in chunks(io.BytesIO(content)):
        if kind == b"IDAT":
            if parts and previous != b"IDAT":
                return []
            parts.append(data)
        elif kind not in HARMLESS and (kind != b"IHDR" or previous) and kind != b"IEND":
            return []
        kinds.add(kind)
        previous = kind
    return parts if not palette or b"PLTE" in kinds else []
