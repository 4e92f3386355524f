"""Label images and volumes in TIFF: grey values are segment ids, several pages are the planes of a volume.

The size of an element comes from the metadata of OME or ImageJ. Only lossless compressions are read. Colour images have
no agreed reading here, palette images need ``--colours index``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import import_optional, translate_errors
from segmetry.errors import FormatError
from segmetry.readers.isolation.isolated_reading import decoded_by
from segmetry.readers.items import Item
from segmetry.readers.labels.label_options import COLOURS, LABEL_OPTIONS
from segmetry.readers.labels.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.file_head import read_head
from segmetry.readers.parts.tiff_calibration import spacing_of_tiff
from segmetry.readers.parts.tiff_directories import check_chain
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.spacing import Spacing

_MAGIC = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_LOSSLESS = {1: "none", 5: "LZW", 8: "deflate", 32946: "deflate", 32773: "PackBits", 50000: "Zstandard"}
_LZW = 5
_DARK_IS_ZERO, _PALETTE = 1, 3
# Metadata of these kinds may name other files with the planes; only the pages of this file are read.
_ALONE = {"is_ome": False, "is_mmstack": False, "is_micromanager": False, "is_ndtiff": False, "_multifile": False}


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    labels, spacing = read_label_tiff(path, options)
    yield Item(path.stem, read_labels(labels, options, spacing=spacing))


def read_label_tiff(path: Path, options: ReadOptions) -> tuple[NDArray[Any], Spacing | None]:
    """Return the ids of a label image or volume, and the size of its elements if the file states it."""
    tifffile = import_optional("tifffile", "reading TIFF", "tiff")
    if not read_head(path).startswith(_MAGIC):
        raise FormatError(f"{path}: not a TIFF image")
    check_chain(path)
    with translate_errors(path, "TIFF image"), tifffile.TiffFile(path, **_ALONE) as file:
        if len(file.series) != 1:
            raise FormatError(f"{path}: contains {len(file.series)} images of different shapes; expected one")
        shape = tuple(int(length) for length in file.series[0].shape)
        options.check_size(shape, str(path))
        pages = [page for page in file.series[0].pages if page is not None]
        size = path.stat().st_size
        for number, page in enumerate(pages, start=1):
            _check_page(page.aspage(), size, f"{path}, page {number}", options)
        # Of 60,000 damaged strips of LZW five crashed the decoder, of the other compressions none.
        crashes = any(int(page.aspage().compression) == _LZW for page in pages)
        planes = decoded_by(_decoded, path, options) if crashes else _planes(file)
        labels: NDArray[Any] = planes.reshape(shape)
        spacing = spacing_of_tiff(file.pages[0], labels.ndim) if labels.ndim in (2, 3) else None
    return labels, spacing


def _decoded(path: Path) -> NDArray[Any]:
    tifffile = import_optional("tifffile", "reading TIFF", "tiff")
    with translate_errors(path, "TIFF image"), tifffile.TiffFile(path, **_ALONE) as file:
        return _planes(file)


def _planes(file: Any) -> NDArray[Any]:
    return np.stack([page.asarray(maxworkers=1) for page in file.series[0].pages if page is not None])


def _check_page(page: Any, file_size: int, where: str, options: ReadOptions) -> None:
    """Refuse a page that is not a lossless label plane or lacks data that it declares."""
    compression = int(page.compression)
    if compression not in _LOSSLESS:
        known = ", ".join(dict.fromkeys(_LOSSLESS.values()))
        raise FormatError(f"{where}: unsupported compression {page.compression!s:.40} (supported: {known})")
    if page.samplesperpixel != 1:
        raise FormatError(f"{where}: {page.samplesperpixel} values per pixel, a colour image; expected one label")
    if int(page.photometric) == _PALETTE and options[COLOURS] != "index":
        raise FormatError(f"{where}: a palette image; pass --colours index if the palette indices are the segment ids")
    if int(page.photometric) not in (_DARK_IS_ZERO, _PALETTE):
        raise FormatError(f"{where}: photometric {page.photometric!s:.40}; expected grey values with 0 as black")
    options.check_size(page.chunks, f"{where}, one piece")
    places, counts = page.dataoffsets, page.databytecounts
    if len(places) != len(counts) or len(places) != int(np.prod(page.chunked, dtype=object)):
        raise FormatError(f"{where}: {len(places)} pieces of data; its header needs {page.chunked}")
    for place, count in zip(places, counts, strict=True):
        if count < 1 or place < 1 or place + count > file_size:
            raise FormatError(f"{where}: a piece of data is missing, or the file is cut off")
    if compression == 1 and sum(counts) < page.nbytes:
        raise FormatError(f"{where}: {sum(counts)} bytes of data; its header needs {page.nbytes}")


declare_reader(
    Reader(
        name="tiff",
        summary="a label image, or a volume of several pages; --colours index for palette images",
        extensions=(".tif", ".tiff"),
        sniff=lambda _path, head: head.startswith(_MAGIC),
        read=_read,
        extra="tiff",
        options=(*LABEL_OPTIONS, COLOURS),
    )
)
