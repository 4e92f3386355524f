"""Folders of the leaf segmentation challenge CVPPP: ``plant001_label.png``, one palette index or grey value per leaf.

Photographs (``plant001_rgb.png``) and other images beside them are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.challenge_folders import LEAVES, is_leaf_folder
from segmetry.readers.formats.arrays.png import label_png
from segmetry.readers.items import Item, within
from segmetry.readers.labels.label_options import LABEL_OPTIONS
from segmetry.readers.labels.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.base import Segmentation


def _labels(folder: Path, _options: ReadOptions) -> list[Path]:
    return sorted(file for file in folder.iterdir() if LEAVES.fullmatch(file.name) and not file.is_dir())


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    files = _labels(path, options) if path.is_dir() else []
    if not files:
        raise FormatError(f"{path}: no labels of leaves in it; expected plant001_label.png")
    for file in files:
        match = LEAVES.fullmatch(file.name)
        inside = file_inside(path, file.name, "the image")
        load = within(str(inside), partial(_load, inside, options))
        yield Item(match["plant"] if match else file.stem, load, named=True, file=file.name)


def _load(file: Path, options: ReadOptions) -> Segmentation:
    return read_labels(label_png(file, options.replaced(colours="index")), options)


declare_reader(
    Reader(
        name="cvppp",
        summary="CVPPP leaf segmentation: a folder of plant001_label.png",
        extensions=("/",),
        sniff=lambda path, _head: path.is_dir() and is_leaf_folder(path),
        read=_read,
        options=LABEL_OPTIONS,
        lazy=True,
        inside=_labels,
    )
)
