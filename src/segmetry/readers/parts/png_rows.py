"""Read the common kinds of PNG label image without Pillow, which is many times as fast as most pixels repeat.

Common are 8 or 16 bits of grey and 8 bits of palette indices or colours, not interlaced. Any other file is left to
Pillow, and so is a damaged one, for which the caller reports the error.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.backend import native
from segmetry.kernels.png_file import PngStretches, can_read_files, png_file_labels
from segmetry.kernels.png_labels import LABELS, png_labels, png_run_lengths
from segmetry.readers.parts.inflate import crc32, inflate
from segmetry.readers.parts.png_chunks import PALETTE, SIGNATURE, Header
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
_DTYPES = {bytes_per_pixel: np.dtype(kind) for bytes_per_pixel, kind in LABELS.items()}
_LENGTH_AND_KIND, _CHECKSUM = struct.Struct(">I4s"), struct.Struct(">I")
_AROUND = 12
"""Bytes of a chunk around its content: length, kind and checksum."""


def is_usual(header: Header) -> bool:
    """Return whether an image is of a common kind. Pillow is faster than the numpy twin."""
    return (header.depth, header.colour) in BYTES_PER_PIXEL and not header.interlaced and native is not None


def most_bytes(header: Header) -> int:
    """Return how many bytes of the file of an image of a common kind are read at most."""
    return 2 * _n_bytes(header) + _OVERHEAD


def _n_bytes(header: Header) -> int:
    return header.height * (1 + BYTES_PER_PIXEL[header.depth, header.colour] * header.width)


def labels_of_file(
    path: str, colours: int, most_pixels: int, *, follow_links: bool = True
) -> NDArray[Any] | RunLengthLabels | None:
    """Return the labels of the file of an image of a common kind, read in one step; None if that cannot be done.

    ``colours`` are bits, 1 << the colour types that are read. Without ``follow_links`` a link cannot be read.
    """
    if native is None or not can_read_files():
        return None
    _keep_freed_memory()
    labels = png_file_labels(path, colours, most_pixels, LEAST_MEAN_STRETCH, follow_links=follow_links)
    if not isinstance(labels, PngStretches):
        return labels
    return RunLengthLabels(labels.run_lengths, labels.shape, _DTYPES[labels.bytes_per_pixel], labels.sizes)


def usual_labels(content: bytes, header: Header) -> NDArray[Any] | RunLengthLabels | None:
    """Return the labels of an image of a common kind from the content of its file; None if it is damaged."""
    _keep_freed_memory()
    width, height, depth, colour, _ = header
    rows = _rows(content, _n_bytes(header), palette=colour == PALETTE)
    if rows is None:
        return None
    bytes_per_pixel, shape = BYTES_PER_PIXEL[depth, colour], (height, width)
    run_lengths = png_run_lengths(rows, shape, bytes_per_pixel, most=1 + height * width // LEAST_MEAN_STRETCH)
    if run_lengths is not None:
        return RunLengthLabels(run_lengths, shape, _DTYPES[bytes_per_pixel])
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
    parts = _image_data(content, palette=palette)
    return inflate(parts[0] if len(parts) == 1 else b"".join(parts), n_bytes)


def _image_data(content: bytes, *, palette: bool) -> list[memoryview]:
    """Return the contents of the IDAT chunks, which must be consecutive; none if a chunk is unusual or damaged."""
    parts: list[memoryview] = []
    previous, kinds, checksum_of, view = b"", set(), crc32(), memoryview(content)
    at, last = len(SIGNATURE), len(content) - _AROUND
    while previous != b"IEND":
        if at > last:
            return []
        length, kind = _LENGTH_AND_KIND.unpack_from(content, at)
        stop = at + 8 + length
        if stop > last + 8 or checksum_of(view[at + 4 : stop], 0) != _CHECKSUM.unpack_from(content, stop)[0]:
            return []
        if kind == b"IDAT":
            if parts and previous != b"IDAT":
                return []
            parts.append(view[at + 8 : stop])
        elif kind not in HARMLESS and (kind != b"IHDR" or previous) and kind != b"IEND":
            return []
        kinds.add(kind)
        previous, at = kind, stop + 4
    return parts if not palette or b"PLTE" in kinds else []
