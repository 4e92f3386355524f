"""Cityscapes instance images: ``*_instanceIds.png``, 16-bit, one per frame, in any depth of a folder.

A value of 1000 or more is one instance of class value // 1000; a smaller one is an entire class: one segment of stuff,
or, for a class with instances, a group whose members were not distinguished, which is a crowd. Classes that Cityscapes
does not evaluate are void in the truth and in no segment in the prediction.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from functools import partial
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.formats.arrays.png import label_png
from segmetry.readers.formats.data_sets.label_folder import CITYSCAPES, GLOB, label_files
from segmetry.readers.items import Item, within
from segmetry.readers.labels.label_sizes import label_sizes
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.labels import LabelArray

STUFF: dict[Hashable, str] = {
    7: "road", 8: "sidewalk", 11: "building", 12: "wall", 13: "fence", 17: "pole", 19: "traffic light",
    20: "traffic sign", 21: "vegetation", 22: "terrain", 23: "sky",
}  # fmt: skip
THINGS: dict[Hashable, str] = {
    24: "person", 25: "rider", 26: "car", 27: "truck", 28: "bus", 31: "train", 32: "motorcycle", 33: "bicycle",
}  # fmt: skip
NAMES = STUFF | THINGS
"""The names of the classes that Cityscapes evaluates."""
IGNORED = frozenset({0, 1, 2, 3, 4, 5, 6, 9, 10, 14, 15, 16, 18, 29, 30})
GROUPS: dict[str, frozenset[Hashable]] = {"things": frozenset(THINGS), "stuff": frozenset(STUFF)}
_FRAME = re.compile(r"(.+?_\d{6}_\d{6})_")


def frame_of(name: str) -> str:
    """Return the frame of an image: city, sequence and number, without the rest of its name.

    >>> frame_of("ulm_000001_000019_gtFine_instanceIds.png"), frame_of("mine_instanceIds.png")
    ('ulm_000001_000019', 'mine')
    """
    match = _FRAME.match(name)
    return match[1] if match else name.removesuffix(CITYSCAPES)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    folder = path if path.is_dir() else path.parent
    files = _files(path, options)
    if not files:
        stated = "" if options[GLOB] is None else f" and fits {options[GLOB]!r}"
        raise FormatError(
            f"{path}: no file in it is named …{CITYSCAPES}{stated}; expected the instance images of Cityscapes"
        )
    for file in files:
        place = file.relative_to(folder).as_posix()
        load = partial(_labels, file_inside(folder, place, "the file"), options)
        yield Item(
            frame_of(file.name),
            within(str(path), load),
            named=path.is_dir(),
            groups=GROUPS,
            class_names=NAMES,
            file=place,
        )


def _files(path: Path, options: ReadOptions) -> list[Path]:
    """Return the instance images of a folder that fit ``glob``, or the one that was given."""
    if not path.is_dir():
        return [path]
    return [file for file in label_files(path, options) if file.name.endswith(CITYSCAPES)]


def _labels(file: Path, options: ReadOptions) -> LabelArray:
    ids = label_png(file, options)
    classes: dict[int, Hashable] = {}
    crowd, ignored = [], []
    for value in label_sizes(ids):
        number = value // 1000 if value >= 1000 else value
        if number in IGNORED:
            ignored.append(value)
        elif number in NAMES:
            classes[value] = number
            if value < 1000 and number in THINGS and options.side == "true":
                crowd.append(value)
        else:
            raise FormatError(f"{file}: contains the value {value}; class {number} is not among Cityscapes' 0 to 33")
    truth = options.side == "true"
    return LabelArray(
        ids, outside=None if truth else ignored, void=ignored if truth else None, classes=classes, crowd=crowd
    )


declare_reader(
    Reader(
        name="cityscapes",
        summary="a folder of Cityscapes instance images, *_instanceIds.png",
        extensions=("/",),
        sniff=lambda path, _head: path.is_dir() and next(path.rglob(f"*{CITYSCAPES}"), None) is not None,
        read=_read,
        options=(GLOB,),
        lazy=True,
        inside=_files,
    )
)
