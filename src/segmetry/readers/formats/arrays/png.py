"""Label images: PNG files whose grey values, palette indices or colours are segment ids.

Grey images of 1 to 16 bits are read unchanged: the id is the stored value, where viewers scale 2 and 4 bits to 255. A
palette or colour image is ambiguous (its values may be ids or a visualisation), so it is rejected unless ``--colours``
says how to read it: ``index`` reads palette indices, ``rgb`` reads R + 256·G + 65536·B, as COCO does.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.label_options import COLOURS, LABEL_OPTIONS
from segmetry.readers.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.file_head import read_start
from segmetry.readers.parts.png_data import (
    GREY,
    PALETTE,
    RGB,
    SIGNATURE,
    Header,
    check_complete,
    is_usual,
    labels_of_file,
    most_bytes,
    usual_labels,
)
from segmetry.readers.parts.safe_names import check_name, file_inside, is_single_name
from segmetry.readers.reader import reads
from segmetry.segmentation.run_length_labels import RunLengthLabels
from segmetry.storage.remote_path import is_remote

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


def label_png_inside(folder: Path, name: object, what: str, options: ReadOptions) -> NDArray[Any] | RunLengthLabels:
    """Return the ids of a label image in a folder; a name or a link that leads out of it is an error.

    ``what`` describes the name, which was read from a file. A file that is not a link is opened as it is; for others
    the path is resolved first.
    """
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
    """Return the ids of an image that is readable and complete."""
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

    try:
        with PngImageFile(path) as image:  # Image.open has its own limit; the budget has been checked already
            pixels = np.asarray(image)
    except (OSError, SyntaxError, ValueError, struct.error, EOFError, MemoryError) as problem:
        raise FormatError(f"{path}: damaged image: {problem}") from None
    if pixels.shape != shape:
        raise FormatError(f"{path}: decodes to shape {pixels.shape}; its header declares {shape}")
    return pixels


@reads(
    "png",
    "a label image; --colours says how palette and colour images are read",
    (".png",),
    signatures=(SIGNATURE,),
    options=(*LABEL_OPTIONS, COLOURS),
)
def _read_png(path: Path, options: ReadOptions) -> Iterator[Item]:
    yield Item(path.stem, read_labels(label_png(path, options), options))
