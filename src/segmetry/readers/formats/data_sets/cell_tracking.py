"""Folders of the Cell Tracking Challenge: frames in TIFF, true ones in SEG or TRA, results in a folder ``…_RES``.

``man_seg012.tif``, ``man_track012.tif`` and ``mask012.tif`` are the frame 012. Results usually have more frames than
the truth, which are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.challenge_folders import FRAME, is_cell_tracking
from segmetry.readers.formats.arrays.tiff import read_label_tiff
from segmetry.readers.items import Item, within
from segmetry.readers.labels.label_options import COLOURS, LABEL_OPTIONS
from segmetry.readers.labels.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.base import Segmentation

_SLICE = re.compile(r"man_seg_\d+_\d+\.tif")


def _frames(folder: Path, _options: ReadOptions) -> list[Path]:
    files = sorted(file for file in folder.iterdir() if not file.is_dir())
    for file in files:
        if _SLICE.fullmatch(file.name):
            raise FormatError(f"{folder}: {file.name} is a slice of a volume; expected whole frames, man_seg000.tif")
    return [file for file in files if FRAME.fullmatch(file.name)]


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    files = _frames(path, options) if path.is_dir() else []
    if not files:
        raise FormatError(f"{path}: no frame in it; expected man_seg000.tif, man_track000.tif or mask000.tif")
    for file in files:
        match = FRAME.fullmatch(file.name)
        inside = file_inside(path, file.name, "the frame")
        load = within(str(inside), partial(_load, inside, options))
        yield Item(match["frame"] if match else file.stem, load, named=True, file=file.name)


def _load(file: Path, options: ReadOptions) -> Segmentation:
    labels, spacing = read_label_tiff(file, options)
    return read_labels(labels, options, spacing=spacing)


declare_reader(
    Reader(
        name="cell-tracking",
        summary="Cell Tracking Challenge: a folder of frames (man_seg, man_track, mask)",
        extensions=("/",),
        sniff=lambda path, _head: path.is_dir() and is_cell_tracking(path),
        read=_read,
        extra="tiff",
        options=(*LABEL_OPTIONS, COLOURS),
        lazy=True,
        inside=_frames,
        has_more=True,
    )
)
