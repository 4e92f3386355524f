"""Label images and volumes in TIFF: grey values are segment ids, several pages are the planes of a volume.

The size of an element comes from the metadata of OME or ImageJ, not from the resolution tags alone: most programs write
72 dots per inch whatever the image shows. Only lossless compressions are read. Colour images have no agreed reading
here, palette images need ``--colours index``. A file is a linked list of directories (pages), which may form a cycle.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import import_optional, translate_errors
from segmetry.errors import FormatError
from segmetry.readers.isolated_reading import decoded_by
from segmetry.readers.items import Item
from segmetry.readers.label_reading import COLOURS, LABEL_OPTIONS, read_labels
from segmetry.readers.parts.file_head import read_head
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import Spacing, unit_symbol
from segmetry.storage import check_lzw

_PIXELS = re.compile(r"<(?:\w+:)?Pixels\b[^>]*>")
_ATTRIBUTE = re.compile(r"(\w+)\s*=\s*[\"']([^\"']*)[\"']")
_X_RESOLUTION, _Y_RESOLUTION = 282, 283


def spacing_of_tiff(page: Any, axes: int) -> Spacing | None:
    """Return the size of an element of an image (y, x) or a volume (z, y, x); None if the file does not state it."""
    description = str(page.description or "")
    if "<OME" in description[:4096] or "<ome:OME" in description[:4096]:
        return _of_ome(description, axes)
    if description.startswith("ImageJ="):
        return _of_imagej(description, page, axes)
    return None


def _of_ome(description: str, axes: int) -> Spacing | None:
    """Return the attributes PhysicalSize of the only element Pixels, in micrometres unless they state another unit."""
    images = _PIXELS.findall(description)
    if len(images) != 1:
        return None
    stated = dict(_ATTRIBUTE.findall(images[0]))
    if axes == 3 and (stated.get("SizeT", "1"), stated.get("SizeC", "1")) != ("1", "1"):
        return None  # the first axis is time or channels
    names = ("Z", "Y", "X")[-axes:]
    steps = [_positive_number(stated.get(f"PhysicalSize{name}")) for name in names]
    units = {unit_symbol(stated.get(f"PhysicalSize{name}Unit", "µm")) for name in names}
    return _known_spacing(steps, units.pop() if len(units) == 1 else None)


def _of_imagej(description: str, page: Any, axes: int) -> Spacing | None:
    """Return pixels per unit of the resolution tags inverted, and the lines ``unit`` and ``spacing``."""
    lines = (line.partition("=") for line in description.splitlines())
    stated = {name.strip(): value.strip() for name, _, value in lines}
    if axes == 3 and "frames" in stated:
        return None
    steps = [_inverse_resolution(page, _Y_RESOLUTION), _inverse_resolution(page, _X_RESOLUTION)]
    if axes == 3:
        steps.insert(0, _positive_number(stated.get("spacing")))
    return _known_spacing(steps, unit_symbol(stated.get("unit", "")))


def _known_spacing(steps: list[float | None], unit: str | None) -> Spacing | None:
    known = [step for step in steps if step is not None]
    return Spacing(known, unit) if unit is not None and len(known) == len(steps) > 1 else None


def _positive_number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return number if 0 < number < math.inf else None


def _inverse_resolution(page: Any, tag: int) -> float | None:
    entry = page.tags.get(tag)
    value = None if entry is None else entry.value
    if not (isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, int) and part > 0 for part in value)):
        return None
    return float(value[1] / value[0])


def check_chain(path: Path) -> None:
    """Follow the links from page to page: each must lead to a new position inside the file.

    The lengths of an image and of its pieces must be single integers: tifffile multiplies them as they are, and a tuple
    times a number is a longer tuple. No tag may have more values than the file has room for.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(16)
        order = "<" if head[:2] == b"II" else ">"
        big = head[2:4] in (b"+\0", b"\0+")
        link, count, entry = ("Q", "Q", 20) if big else ("I", "H", 12)
        tag = struct.Struct(f"{order}HH{link}{8 if big else 4}x")
        start = 8 if big else 4
        width = struct.calcsize(link)
        if len(head) < start + width:
            raise FormatError(f"{path}: damaged TIFF image: it is cut off")
        (place,) = struct.unpack_from(order + link, head, start)
        seen: set[int] = set()
        while place:
            if place in seen or place >= size:
                words = "leads back to itself" if place in seen else "leads out of the file"
                raise FormatError(f"{path}: damaged TIFF image: the chain of its pages {words}")
            seen.add(place)
            file.seek(place)
            field = file.read(struct.calcsize(count))
            if len(field) < struct.calcsize(count):
                raise FormatError(f"{path}: damaged TIFF image: a directory is cut off")
            (entries,) = struct.unpack(order + count, field)
            if place + len(field) + entries * entry + width > size:
                raise FormatError(f"{path}: damaged TIFF image: a directory of {entries} entries is cut off")
            for code, kind, n_values in tag.iter_unpack(file.read(entries * entry)):
                n_bytes = n_values * _TYPE_BYTES.get(kind, 1)
                if n_bytes > size or (code in _SINGLE and (n_values != 1 or kind not in _INTEGERS)):
                    expected = "one integer" if code in _SINGLE else f"at most {size} bytes, those of the file"
                    raise FormatError(
                        f"{path}: damaged TIFF image: tag {code} has {n_values} values of type {kind}; expected "
                        f"{expected}"
                    )
            (place,) = struct.unpack(order + link, file.read(width))


_TYPE_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
_INTEGERS = frozenset((1, 3, 4, 16))
_SINGLE = frozenset((254, 255, 256, 257, 259, 262, 266, 277, 278, 284, 317, 322, 323, 32997, 32998))
"""The tags of one integer: lengths of the image, its strips and tiles, compression, predictor, samples, planes."""
_MAGIC = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_LOSSLESS = {1: "none", 5: "LZW", 8: "deflate", 32946: "deflate", 32773: "PackBits", 50000: "Zstandard"}
_NOT_COMPRESSED, _LZW = 1, 5
_DARK_IS_ZERO, _PALETTE = 1, 3
# Metadata of these kinds may name other files with the planes; only the pages of this file are read.
_ALONE = {"is_ome": False, "is_mmstack": False, "is_micromanager": False, "is_ndtiff": False, "_multifile": False}


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
        # Of 60,000 damaged strips of LZW five crashed the decoder; the others are native code of that package, too.
        is_native = any(int(page.aspage().compression) != _NOT_COMPRESSED for page in pages)
        planes = decoded_by(_decode_file, path, options) if is_native else _read_planes(file, path)
        labels: NDArray[Any] = planes.reshape(shape)
        spacing = spacing_of_tiff(file.pages[0], labels.ndim) if labels.ndim in (2, 3) else None
    return labels, spacing


def _decode_file(path: Path) -> NDArray[Any]:
    tifffile = import_optional("tifffile", "reading TIFF", "tiff")
    with translate_errors(path, "TIFF image"), tifffile.TiffFile(path, **_ALONE) as file:
        return _read_planes(file, path)


def _read_planes(file: Any, path: Path) -> NDArray[Any]:
    planes = []
    for number, page in enumerate((page for page in file.series[0].pages if page is not None), start=1):
        if int(page.aspage().compression) == _LZW:
            for place, count in zip(page.dataoffsets, page.databytecounts, strict=True):
                file.filehandle.seek(place)
                check_lzw(file.filehandle.read(count), f"{path}, page {number}")
        planes.append(page.asarray(maxworkers=1))
    return np.stack(planes)


def _check_page(page: Any, file_size: int, where: str, options: ReadOptions) -> None:
    """Raise if a page is not a lossless label plane, or lacks data that it declares."""
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
    if compression == _NOT_COMPRESSED and sum(counts) < page.nbytes:
        raise FormatError(f"{where}: {sum(counts)} bytes of data; its header needs {page.nbytes}")


@reads(
    "tiff",
    "a label image, or a volume of several pages; --colours index for palette images",
    (".tif", ".tiff"),
    sniff=lambda _path, head: head.startswith(_MAGIC),
    extra="tiff",
    options=(*LABEL_OPTIONS, COLOURS),
)
def _read_tiff(path: Path, options: ReadOptions) -> Iterator[Item]:
    labels, spacing = read_label_tiff(path, options)
    yield Item(path.stem, read_labels(labels, options, spacing=spacing))
