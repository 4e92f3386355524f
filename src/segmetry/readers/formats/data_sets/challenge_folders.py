"""Folders of challenges, by the names of their files: cell tracking, leaf segmentation (CVPPP), map segmentation.

Cell Tracking Challenge: frames in TIFF, true ones in SEG or TRA, results in a folder ``…_RES``. ``man_seg012.tif``,
``man_track012.tif`` and ``mask012.tif`` are the frame 012. Results usually have more frames than the truth, which are
not compared.

CVPPP: ``plant001_label.png``, one palette index or grey value per leaf. Photographs (``plant001_rgb.png``) and other
images beside them are not read.

MapSeg (ICDAR 2021), building blocks: ``301-OUTPUT-GT.png`` and ``301-OUTPUT-PRED.png``, one sheet each. The blocks of
an image of two values, white between black lines, are its 4-connected regions; an image of more values, or of more
than 8 bits, has a label per block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.formats.arrays.png import label_png
from segmetry.readers.formats.arrays.tiff import read_label_tiff
from segmetry.readers.items import Item, file_item
from segmetry.readers.label_reading import COLOURS, COMPONENTS, LABEL_OPTIONS, read_labels
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import Segmentation, label_sizes

FRAME = re.compile(r"(?P<kind>man_seg|man_track|mask)(?P<frame>\d{3,4})\.tif")
SLICE = re.compile(r"man_seg_\d+_\d+\.tif")
LEAVES = re.compile(r"(?P<plant>.*plant\d+)_label\.png")
SHEET = re.compile(r"(?P<sheet>.+)-OUTPUT-(?P<kind>GT\.png|PRED\.png|.*\.tiff?)")
RESULT, TRACKS = "_RES", "res_track.txt"


def is_cell_tracking(folder: Path) -> bool:
    """Return whether a folder contains true frames, or results: masks beside ``res_track.txt`` or in ``…_RES``."""
    kinds = {match["kind"] for file in folder.iterdir() if (match := FRAME.fullmatch(file.name))}
    is_result = folder.resolve().name.endswith(RESULT) or (folder / TRACKS).is_file()
    return bool(kinds & {"man_seg", "man_track"}) or (kinds == {"mask"} and is_result)


def is_leaf_folder(folder: Path) -> bool:
    """Return whether a folder contains labels of leaves, as the leaf segmentation challenge names them."""
    return any(LEAVES.fullmatch(file.name) for file in folder.iterdir())


def is_map_folder(folder: Path) -> bool:
    """Return whether a folder contains building blocks, as the map segmentation competition names them."""
    return any(SHEET.fullmatch(file.name) for file in folder.iterdir())


def _frame_files(folder: Path, _options: ReadOptions) -> list[Path]:
    files = _files_named(folder, FRAME)
    for file in _files_named(folder, SLICE):
        raise FormatError(f"{folder}: {file.name} is a slice of a volume; expected whole frames, man_seg000.tif")
    return files


def _files_named(folder: Path, name: re.Pattern[str]) -> list[Path]:
    return sorted(file for file in folder.iterdir() if name.fullmatch(file.name) and not file.is_dir())


def _load_frame(file: Path, options: ReadOptions) -> Segmentation:
    labels, spacing = read_label_tiff(file, options)
    return read_labels(labels, options, spacing=spacing)


@reads(
    "cell-tracking",
    "Cell Tracking Challenge: a folder of frames (man_seg, man_track, mask)",
    ("/",),
    sniff=lambda path, _head: path.is_dir() and is_cell_tracking(path),
    extra="tiff",
    options=(*LABEL_OPTIONS, COLOURS),
    lazy=True,
    inside=_frame_files,
    has_more=True,
)
def _read_frames(path: Path, options: ReadOptions) -> Iterator[Item]:
    files = _frame_files(path, options) if path.is_dir() else []
    if not files:
        raise FormatError(f"{path}: no frame in it; expected man_seg000.tif, man_track000.tif or mask000.tif")
    for file in files:
        yield file_item(FRAME.sub(r"\g<frame>", file.name), path, file, _load_frame, options, what="the frame")


def _load_leaves(file: Path, options: ReadOptions) -> Segmentation:
    return read_labels(label_png(file, options.replaced(colours="index")), options)


@reads(
    "cvppp",
    "CVPPP leaf segmentation: a folder of plant001_label.png",
    ("/",),
    sniff=lambda path, _head: path.is_dir() and is_leaf_folder(path),
    options=LABEL_OPTIONS,
    lazy=True,
    inside=lambda path, _options: _files_named(path, LEAVES),
)
def _read_leaves(path: Path, options: ReadOptions) -> Iterator[Item]:
    files = _files_named(path, LEAVES) if path.is_dir() else []
    if not files:
        raise FormatError(f"{path}: no labels of leaves in it; expected plant001_label.png")
    for file in files:
        yield file_item(LEAVES.sub(r"\g<plant>", file.name), path, file, _load_leaves, options, what="the image")


def _sheet_files(path: Path, options: ReadOptions) -> list[Path]:
    """Return the given file, or those of a folder: the true ones for the truth, else the others, if there are any."""
    if not path.is_dir():
        return [path]
    files = _files_named(path, SHEET)
    own = [file for file in files if file.name.endswith("-GT.png") == (options.side == "true")]
    return own or files


def _load_blocks(file: Path, options: ReadOptions) -> Segmentation:
    is_png = file.suffix.lower() == ".png"
    labels, spacing = (label_png(file, options), None) if is_png else read_label_tiff(file, options)
    if labels.dtype.itemsize == 1 and len(label_sizes(labels)) <= 2 and COMPONENTS.name not in options.stated:
        options = options.replaced(components=4)
    return read_labels(labels, options, spacing=spacing)


@reads(
    "mapseg",
    "building blocks of the MapSeg competition: a folder of 301-OUTPUT-GT.png, or one image",
    ("/",),
    sniff=lambda path, _head: path.is_dir() and is_map_folder(path),
    options=(*LABEL_OPTIONS, COLOURS),
    lazy=True,
    inside=_sheet_files,
)
def _read_sheets(path: Path, options: ReadOptions) -> Iterator[Item]:
    files = _sheet_files(path, options)
    if not files:
        raise FormatError(
            f"{path}: no building blocks in it; expected 301-OUTPUT-GT.png, or say --format folder --components 4"
        )
    for file in files:
        name, folder = SHEET.sub(r"\g<sheet>", file.name), path if path.is_dir() else path.parent
        yield file_item(name, folder, file, _load_blocks, options, what="the image", named=path.is_dir())
