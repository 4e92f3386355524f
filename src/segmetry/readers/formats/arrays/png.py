"""Label images: PNG files whose grey values, palette indices or colours are segment ids.

Grey images of 1 to 16 bits are read unchanged: the id is the stored value, where viewers scale 2 and 4 bits to 255. A
palette or colour image is ambiguous (its values may be ids or a visualisation), so it is rejected unless ``--colours``
says how to read it: ``index`` reads palette indices, ``rgb`` reads R + 256·G + 65536·B, as COCO does.

The data of PNG files: complete, with every checksum right, inflated, and read as labels.

Common kinds of label image are read without Pillow, which is many times as fast as most pixels repeat: 8 or 16 bits of
grey and 8 bits of palette indices or colours, not interlaced. Any other file is left to Pillow, after a check that it
is complete: Pillow fills missing data with zeros, and zero is a label.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, translate_errors
from segmetry.errors import FormatError
from segmetry.kernels import (
    LABELS,
    PairsOfItems,
    PngRuns,
    can_read_files,
    count_png_pairs,
    native,
    png_file_labels,
    png_labels,
    png_run_lengths,
)
from segmetry.readers.items import Item, check_name, file_inside, is_single_name
from segmetry.readers.label_reading import COLOURS, LABEL_OPTIONS, read_labels
from segmetry.readers.parts.file_head import lookalike, read_start
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import RunLengthLabels
from segmetry.storage import is_remote


@cache
def _deflate_package() -> Any:
    """Return the package deflate, or None where it is not installed: WebAssembly and rare machines."""
    try:
        return import_module("deflate")
    except ImportError:
        return None


def crc32() -> Callable[[bytes | memoryview, int], int]:
    """Return the function that continues a checksum of bytes."""
    deflate = _deflate_package()
    checksum: Callable[[bytes | memoryview, int], int] = zlib.crc32 if deflate is None else deflate.crc32
    return checksum


def inflate(data: bytes | memoryview, n_bytes: int) -> bytes | bytearray | None:
    """Return exactly ``n_bytes`` of inflated data, None where it is damaged or of another size; what follows is
    ignored.
    """
    deflate = _deflate_package()
    if deflate is None:
        return _inflate_by_zlib(data, n_bytes)
    try:
        inflated: bytearray = deflate.zlib_decompress(data, n_bytes)
    except deflate.DeflateError:
        return None
    return inflated if len(inflated) == n_bytes else None


def _inflate_by_zlib(data: bytes | memoryview, n_bytes: int) -> bytes | None:
    """At most one byte more than expected is inflated, however much a hostile stream contains."""
    stream = zlib.decompressobj()
    try:
        inflated = stream.decompress(data, n_bytes + 1)
    except zlib.error:
        return None
    return inflated if len(inflated) == n_bytes and stream.eof else None


SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE = 0, 2, 3
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, 4: 2, 6: 4}
# First column, first row, step between columns, step between rows of the seven passes of an interlaced image.
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_PIECE = 1 << 16


class DamagedChunkError(ValueError):
    """A chunk that is cut off or whose checksum is wrong."""


class Header(NamedTuple):
    """The header of an image: its size, bit depth, colour type and whether it is interlaced."""

    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool

    @classmethod
    def of(cls, head: bytes, path: Path) -> Header:
        """Return the header at the beginning of a file."""
        if len(head) < 29 or not head.startswith(SIGNATURE) or head[12:16] != b"IHDR":
            raise FormatError(f"{path}: {lookalike(head) or 'not a PNG image, or its header is cut off'}")
        width, height, depth, colour = struct.unpack(">IIBB", head[16:26])
        if not width or not height:
            raise FormatError(f"{path}: declares a size of {width} × {height}; expected at least one pixel")
        if colour not in CHANNELS:
            raise FormatError(f"{path}: declares colour type {colour}, which PNG does not have")
        return cls(width, height, depth, colour, bool(head[28]))


def check_complete(path: Path, header: Header) -> None:
    """Raise if a chunk is damaged, or there is more or less data than the header declares; memory is bounded."""
    bits = header.depth * CHANNELS[header.colour]
    declared = data_size(header.width, header.height, bits, interlaced=header.interlaced)
    inflate, size = zlib.decompressobj(), 0
    try:
        with path.open("rb") as file:
            for kind, content in chunks(file):
                while kind == b"IDAT" and content and size <= declared:
                    size += len(inflate.decompress(content, _PIECE))
                    content = inflate.unconsumed_tail
        while not inflate.eof and size <= declared:
            more = inflate.decompress(b"", _PIECE)
            if not more:
                break
            size += len(more)
    except (zlib.error, DamagedChunkError) as problem:
        raise FormatError(f"{path}: damaged image: {problem}") from None
    if size == declared and inflate.eof:
        return
    amount = "more" if size > declared else size if size < declared else "no end of them"
    raise FormatError(f"{path}: damaged image: its header declares {declared} bytes of data, it contains {amount}")


def chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and content of every chunk up to the end of the image; a wrong checksum raises DamagedChunkError."""
    checksum_of = crc32()
    size = file.seek(0, os.SEEK_END)
    file.seek(len(SIGNATURE))
    kind = b""
    while kind != b"IEND":
        head = file.read(8)
        if len(head) < 8:
            raise DamagedChunkError("it is cut off")
        length, kind = struct.unpack(">I4s", head)
        if length > size:
            raise DamagedChunkError(f"a chunk declares {length} bytes, the file has {size}")
        content, checksum = file.read(length), file.read(4)
        if len(checksum) < 4 or checksum_of(content, checksum_of(kind, 0)).to_bytes(4, "big") != checksum:
            raise DamagedChunkError(f"the checksum of a chunk {kind!r} is wrong")
        yield kind, content


def data_size(width: int, height: int, bits: int, *, interlaced: bool) -> int:
    """Return the number of bytes in the rows of an image, including the filter byte of each row."""
    passes = _ADAM7 if interlaced else ((0, 0, 1, 1),)
    total = 0
    for column, row, across, down in passes:
        columns, rows = -((column - width) // across), -((row - height) // down)
        if columns > 0 and rows > 0:
            total += rows * (1 + (columns * bits + 7) // 8)
    return total


BYTES_PER_PIXEL = {(8, 0): 1, (16, 0): 2, (8, 2): 3, (8, 3): 1}
"""By bit depth and colour type."""

HARMLESS = frozenset({b"PLTE", b"bKGD", b"gAMA", b"pHYs", b"sBIT", b"sRGB", b"tEXt", b"tIME"})
"""Chunks that do not change the values of pixels."""

_OVERHEAD = 1 << 16
"""Bytes a file may have beyond its pixels; incompressible data grows by a fraction of that per megabyte."""

LEAST_MEAN_RUN = 16
"""Mean pixels per run of equal labels from which run lengths are kept instead of pixels: they count faster."""

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
    labels = png_file_labels(path, colours, most_pixels, LEAST_MEAN_RUN, follow_links=follow_links)
    if not isinstance(labels, PngRuns):
        return labels
    return RunLengthLabels(labels.run_lengths, labels.shape, _DTYPES[labels.bytes_per_pixel], labels.sizes)


def usual_labels(content: bytes, header: Header) -> NDArray[Any] | RunLengthLabels | None:
    """Return the labels of an image of a common kind from the content of its file; None if it is damaged."""
    _keep_freed_memory()
    width, height, depth, colour, _ = header
    if content[26:28] != b"\0\0":  # PNG defines one method of compression and one of filtering
        return None
    parts = _image_data(content, palette=colour == PALETTE)
    rows = inflate(parts[0] if len(parts) == 1 else b"".join(parts), _n_bytes(header))
    if rows is None:
        return None
    bytes_per_pixel, shape = BYTES_PER_PIXEL[depth, colour], (height, width)
    run_lengths = png_run_lengths(rows, shape, bytes_per_pixel, most=1 + height * width // LEAST_MEAN_RUN)
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


_COLOURS_READ = {"refuse": 1 << GREY, "rgb": 1 << GREY | 1 << RGB, "index": 1 << GREY | 1 << PALETTE}
"""The colour types that are read, as bits, by ``--colours``."""
START = 1 << 16
"""Bytes that are read at first: all of most label images."""


def label_png(path: Path, options: ReadOptions) -> NDArray[Any] | RunLengthLabels:
    """Return the ids of a label image; for most images as run lengths of equal ids."""
    colours = _COLOURS_READ[options[COLOURS]]
    if not is_remote(path):
        labels = labels_of_file(str(path), colours, options.most_elements)
        if labels is not None:
            return labels
    content = read_start(path, START)
    header = Header.of(content, path)
    options.check_size((header.height, header.width), str(path))
    depth, colour = header.depth, header.colour
    readable = bool(colours >> colour & 1) and not (colour == RGB and depth != 8)
    if readable and is_usual(header):
        if len(content) == START:
            content = read_start(path, most_bytes(header))
        labels = usual_labels(content, header)
        if labels is not None:
            return labels
    check_complete(path, header)
    if not readable:
        raise FormatError(f"{path}: {_why_unreadable(depth, colour)}")
    return _by_pillow(path, header)


class LabelFile(NamedTuple):
    """A PNG file of labels: many of them are read and counted together."""

    path: str
    colours: int
    most_pixels: int
    follow_links: bool = True

    @classmethod
    def of(cls, path: Path, options: ReadOptions) -> LabelFile | None:
        """Return a file; None for one of a store, or for one that is read in a child process."""
        if is_remote(path) or options.isolation.wanted:
            return None
        return cls(str(path), _COLOURS_READ[options[COLOURS]], options.most_elements)

    @classmethod
    def inside(cls, folder: Path, name: object, options: ReadOptions) -> LabelFile | None:
        """Return a file of a folder that is not a link; None where the name must be looked at first."""
        if not isinstance(name, str) or is_remote(folder) or "\0" in name or not is_single_name(name):
            return None
        return cls(f"{folder}/{name}", _COLOURS_READ[options[COLOURS]], options.most_elements, follow_links=False)


def count_label_files(
    true: Sequence[LabelFile], pred: Sequence[LabelFile], threads: int
) -> tuple[PairsOfItems, IntArray] | None:
    """Return the label pairs of pairs of files and their shapes, (0, 0) for those that have to be read one by one.

    All files of a side are read in the same way. None where none can be read together.
    """
    if native is None or not can_read_files():
        return None
    _keep_freed_memory()
    first, second = true[0], pred[0]
    if first[2:] != second[2:]:
        return None
    return count_png_pairs(
        [file.path for file in true],
        [file.path for file in pred],
        (first.colours, second.colours),
        first.most_pixels,
        LEAST_MEAN_RUN,
        follow_links=first.follow_links,
        threads=threads,
    )


def label_png_inside(folder: Path, name: object, what: str, options: ReadOptions) -> NDArray[Any] | RunLengthLabels:
    """Return the ids of a label image in a folder, out of which neither ``name`` (``what``) nor a link may lead."""
    if isinstance(name, str) and not is_remote(folder) and is_single_name(check_name(name, what)):
        colours = _COLOURS_READ[options[COLOURS]]
        labels = labels_of_file(f"{folder}/{name}", colours, options.most_elements, follow_links=False)
        if labels is not None:
            return labels
    return label_png(file_inside(folder, name, what), options)


def read_label_png(path: Path, options: ReadOptions) -> NDArray[Any]:
    """Return the ids of a label image as an array."""
    return np.asarray(label_png(path, options))


def _why_unreadable(depth: int, colour: int) -> str:
    if colour == PALETTE:
        return "a palette image; pass --colours index if every palette index is a segment (index 0 is outside)"
    if colour == RGB and depth == 8:
        return (
            "a colour image; pass --colours rgb if every colour is a segment, with the id R + 256·G + 65536·B "
            "(black is outside); if classes are painted, also map their colours, such as --map '#804080:1,#f423e8:2'"
        )
    if colour == RGB:
        return "a 16-bit colour image, which has no agreed reading as ids; save the labels as a 16-bit grey image"
    return "an image with an alpha channel; save the labels as a grey image without alpha"


def _by_pillow(path: Path, header: Header) -> NDArray[Any]:
    shape = header.height, header.width
    if header.colour != RGB:
        pixels = _pillow_pixels(path, shape)
        is_scaled = header.colour == GREY and header.depth in (2, 4)  # Pillow makes 255 of the largest value
        return pixels // np.uint8(255 // (2**header.depth - 1)) if is_scaled else pixels
    channels = _pillow_pixels(path, (*shape, 3)).astype(np.uint32)
    ids: NDArray[np.uint32] = channels[..., 0] + (channels[..., 1] << 8) + (channels[..., 2] << 16)
    return ids


def _pillow_pixels(path: Path, shape: tuple[int, ...]) -> NDArray[Any]:
    from PIL.PngImagePlugin import PngImageFile

    # Image.open has its own limit; the budget has been checked already. Damaged chunks are errors of any kind.
    with translate_errors(path, "image"), PngImageFile(path) as image:
        found = image.height, image.width, len(image.getbands())
        if found != (*shape, 1)[:3]:  # of a second header; memory for as many pixels would be allocated
            raise FormatError(f"{path}: decodes to shape {found}; its header declares {shape}")
        return np.asarray(image)


@reads(
    "png",
    "a label image; --colours says how palette and colour images are read",
    (".png",),
    signatures=(SIGNATURE,),
    options=(*LABEL_OPTIONS, COLOURS),
)
def _read_png(path: Path, options: ReadOptions) -> Iterator[Item]:
    yield Item(path.stem, read_labels(label_png(path, options), options))
