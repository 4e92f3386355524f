"""Label images: PNG files whose grey values, palette indices or colours are segment ids.

Grey images of 1 to 16 bits are read as they are. A palette or colour image is ambiguous (its numbers may be ids
or paint), so it is refused until ``--colours`` says how to read it: ``index`` takes palette indices, ``rgb``
takes R + 256·G + 65536·B, as COCO does.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import FormatError
from segmetry.readers.lookalikes import lookalike
from segmetry.readers.png_chunks import CHANNELS, SIGNATURE, check_whole
from segmetry.readers.png_rows import usual_labels
from segmetry.readers.reader import LABEL_OPTIONS, Item, Reader, ReadOptions, declare_reader, read_head
from segmetry.segmentation import LabelArray

GREY, RGB, PALETTE = 0, 2, 3


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    yield Item(path.stem, LabelArray(read_label_png(path, options), **options.labels))


def read_label_png(path: Path, options: ReadOptions) -> NDArray[Any]:
    """The ids of a label image."""
    width, height, depth, colour, interlaced = _header(path)
    options.check_size((height, width), str(path))
    if colour not in CHANNELS:
        raise FormatError(f"{path}: declares colour type {colour}, which PNG does not have")
    readable = colour == GREY or (colour, depth, options.colours) == (RGB, 8, "rgb")
    readable = readable or (colour == PALETTE and options.colours == "index")
    if readable and not interlaced:
        labels = usual_labels(path, width, height, depth, colour)
        if labels is not None:
            return labels
    check_whole(path, width, height, depth * CHANNELS[colour], interlaced=interlaced)
    if not readable:
        raise FormatError(f"{path}: {_problem(depth, colour)}")
    if colour != RGB:
        return _pixels(path, (height, width))
    channels = _pixels(path, (height, width, 3)).astype(np.uint32)
    ids: NDArray[np.uint32] = channels[..., 0] + (channels[..., 1] << 8) + (channels[..., 2] << 16)
    return ids


def _problem(depth: int, colour: int) -> str:
    if colour == PALETTE:
        return "a palette image; pass --colours index if every palette index is a segment (index 0 is outside)"
    if colour == RGB and depth == 8:
        return (
            "a colour image; pass --colours rgb if every colour is a segment, with the id R + 256·G + 65536·B "
            "(black is outside)"
        )
    if colour == RGB:
        return "a 16-bit colour image, which has no agreed reading as ids; save the labels as a 16-bit grey image"
    return "an image with an alpha channel; save the labels as a grey image without alpha"


def _header(path: Path) -> tuple[int, int, int, int, bool]:
    """Width, height, bit depth, colour type and interlacing as the file itself declares them."""
    head = read_head(path)
    if len(head) < 29 or not head.startswith(SIGNATURE) or head[12:16] != b"IHDR":
        raise FormatError(f"{path}: {lookalike(head) or 'not a PNG image, or its header is cut off'}")
    width, height, depth, colour = struct.unpack(">IIBB", head[16:26])
    if not width or not height:
        raise FormatError(f"{path}: declares a size of {width} × {height}; expected at least one pixel")
    return width, height, depth, colour, bool(head[28])


def _pixels(path: Path, shape: tuple[int, ...]) -> NDArray[Any]:
    from PIL.PngImagePlugin import PngImageFile

    try:
        with PngImageFile(path) as image:  # Image.open has a limit of its own; the budget has been checked already
            found = np.asarray(image)
    except (OSError, SyntaxError, ValueError, struct.error, EOFError, MemoryError) as problem:
        raise FormatError(f"{path}: damaged image: {problem}") from None
    if found.shape != shape:
        raise FormatError(f"{path}: decodes to shape {found.shape}; its header declares {shape}")
    return found


declare_reader(
    Reader(
        name="png",
        words="a label image; --colours says how palette and colour images are read",
        extensions=(".png",),
        sniff=lambda _path, head: head.startswith(SIGNATURE),
        read=_read,
        options=(*LABEL_OPTIONS, "colours"),
    )
)
