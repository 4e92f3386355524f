"""Cityscapes: instance images and class images, one per frame, in any depth of a folder.

Instances: ``*_instanceIds.png``, 16-bit. A value of 1000 or more is one instance of class value // 1000; a smaller one
is an entire class: one segment of stuff, or, for a class with instances, a group whose members were not distinguished,
which is a crowd. Classes that Cityscapes does not evaluate are void in the truth and in no segment in the prediction,
so that predicting them is wrong.

Classes: the truth of a frame is its ``*_instanceIds.png``, else its ``*_labelIds.png`` or ``*_labelTrainIds.png``. A
prediction is the only PNG file whose name begins with the frame, ``{city}_{sequence}_{frame}``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from segmetry.errors import DataWarning, FormatError
from segmetry.readers.formats.arrays.png import label_png
from segmetry.readers.formats.data_sets.label_folder import CITYSCAPES, label_files
from segmetry.readers.items import Item, file_item
from segmetry.readers.label_reading import labels_with_classes
from segmetry.readers.parts.file_folders import GLOB
from segmetry.readers.reader import Choice, Option, ReadOptions, reads
from segmetry.segmentation import LabelArray

STUFF = {
    7: "road", 8: "sidewalk", 11: "building", 12: "wall", 13: "fence", 17: "pole", 19: "traffic light",
    20: "traffic sign", 21: "vegetation", 22: "terrain", 23: "sky",
}  # fmt: skip
THINGS = {
    24: "person", 25: "rider", 26: "car", 27: "truck", 28: "bus", 31: "train", 32: "motorcycle", 33: "bicycle",
}  # fmt: skip
NAMES = STUFF | THINGS
"""The names of the classes that Cityscapes evaluates."""
IGNORED = frozenset({0, 1, 2, 3, 4, 5, 6, 9, 10, 14, 15, 16, 18, 29, 30})
GROUPS = {"things": frozenset(THINGS), "stuff": frozenset(STUFF)}
_FRAME = re.compile(r"(.+?_\d{6}_\d{6})_")


def frame_of(name: str) -> str:
    """Return the frame of an image: city, sequence and number, without the rest of its name."""
    match = _FRAME.match(name)
    return match[1] if match else name.removesuffix(CITYSCAPES)


def _instance_files(path: Path, options: ReadOptions) -> list[Path]:
    """Return the instance images of a folder that fit ``glob``, or the one that was given."""
    if not path.is_dir():
        return [path]
    return [file for file in label_files(path, options) if file.name.endswith(CITYSCAPES)]


def _load_instances(file: Path, options: ReadOptions) -> LabelArray:
    def class_of(value: int) -> int | None:
        number = value // 1000 if value >= 1000 else value
        if number not in NAMES and number not in IGNORED:
            raise FormatError(f"{file}: contains the value {value}; class {number} is not among Cityscapes' 0 to 33")
        return number if number in NAMES else None

    return labels_with_classes(label_png(file, options), class_of, options, crowd=GROUPS["things"])


@reads(
    "cityscapes",
    "a folder of Cityscapes instance images, *_instanceIds.png",
    ("/",),
    sniff=lambda path, _head: path.is_dir() and next(path.rglob(f"*{CITYSCAPES}"), None) is not None,
    options=(GLOB,),
    lazy=True,
    inside=_instance_files,
)
def _read_instances(path: Path, options: ReadOptions) -> Iterator[Item]:
    folder = path if path.is_dir() else path.parent
    files = _instance_files(path, options)
    if not files:
        stated = "" if options[GLOB] is None else f" and fits {options[GLOB]!r}"
        raise FormatError(
            f"{path}: no file in it is named …{CITYSCAPES}{stated}; expected the instance images of Cityscapes"
        )
    for file in files:
        facts: dict[str, Any] = {"named": path.is_dir(), "groups": GROUPS, "class_names": NAMES}
        yield file_item(frame_of(file.name), folder, file, _load_instances, options, **facts)


LABEL_IDS, TRAIN_IDS, COLOR = "_labelIds.png", "_labelTrainIds.png", "_color.png"
CLASS_OF_TRAIN_ID = dict(enumerate(NAMES))
"""The class of each trainId: those that are evaluated, in ascending order."""
IGNORED_TRAIN_ID = 255
IDS: Option[str | None] = Option(
    "cityscapes_ids",
    "Cityscapes classes: what the values are. [default: as the name of the file says, else labelIds]",
    Choice(("labelIds", "labelTrainIds")),
    per_side=True,
)


def _file_by_frame(path: Path, options: ReadOptions) -> dict[str, Path]:
    """Return the file of every frame; two that could be it are an error."""
    if not path.is_dir():
        return {_class_frame(path.name): path}
    images = [file for file in label_files(path, options) if file.suffix.lower() == ".png"]
    by_precedence = (CITYSCAPES, LABEL_IDS, TRAIN_IDS)[options.side == "pred" :]
    ends = by_precedence if options[IDS] is None else (f"_{options[IDS]}.png",)
    kind = next((end for end in ends if any(file.name.endswith(end) for file in images)), "")
    images = [file for file in images if file.name.endswith(kind) and not file.name.endswith(COLOR)]
    if not images:
        raise FormatError(
            f"{path}: contains no PNG file named after a frame of Cityscapes; expected {{city}}_000000_000000_gtFine"
            f"{LABEL_IDS}, or a PNG file per frame"
        )
    frames: dict[str, Path] = {}
    for file in images:
        frame = _class_frame(file.name)
        if frame in frames:
            raise FormatError(
                f"{path}: frame {frame} has two files, {frames[frame].name} and {file.name}; expected one; choose with "
                f"--{options.side}-glob, such as --{options.side}-glob '*{file.name[-12:]}'"
            )
        frames[frame] = file
    return frames


def _class_frame(name: str) -> str:
    frame = frame_of(name)
    for end in (LABEL_IDS, TRAIN_IDS, ".png"):
        frame = frame.removesuffix(end)
    return frame


def _load_classes(file: Path, options: ReadOptions) -> LabelArray:
    ids = label_png(file, options)
    train = options[IDS] == "labelTrainIds" or (options[IDS] is None and file.name.endswith(TRAIN_IDS))
    crowd = [value for value, number in CLASS_OF_TRAIN_ID.items() if number in THINGS] if train else THINGS
    array = labels_with_classes(ids, partial(_class_of, file=file, options=options, train=train), options, crowd)
    ignored = array.outside
    if options.side == "pred" and not train and ignored and max([*(array.classes or ()), *ignored]) < len(NAMES):
        warnings.warn(
            f"a prediction has classes that Cityscapes does not evaluate, and none above {len(NAMES) - 1}: if the "
            "values are trainIds, state --pred-cityscapes-ids labelTrainIds",
            DataWarning,
            stacklevel=2,
        )
    return array


def _class_of(value: int, file: Path, options: ReadOptions, *, train: bool) -> int | None:
    """Return the class of a value; None for one that is not evaluated, an error for one that there is not."""
    if train and (value in CLASS_OF_TRAIN_ID or value == IGNORED_TRAIN_ID):
        return CLASS_OF_TRAIN_ID.get(value)
    number = value // 1000 if value >= 1000 and file.name.endswith(CITYSCAPES) else value
    if not train and (number in IGNORED or number in NAMES):
        return number if number in NAMES else None
    meaning, other = ("labelTrainIds", "labelIds") if train else ("labelIds", "labelTrainIds")
    expected = f"0 to {len(NAMES) - 1} and {IGNORED_TRAIN_ID}" if train else "0 to 33"
    raise FormatError(
        f"{file}: contains the value {value}; expected {meaning}, {expected}; if the values are {other}, state "
        f"--{options.side}-cityscapes-ids {other}"
    )


@reads(
    "cityscapes-semantic",
    "a folder of Cityscapes class images, *_labelIds.png, or of predictions, one PNG file per frame",
    ("/",),
    options=(GLOB, IDS),
    lazy=True,
    inside=lambda path, options: _file_by_frame(path, options).values(),
)
def _read_classes(path: Path, options: ReadOptions) -> Iterator[Item]:
    folder = path if path.is_dir() else path.parent
    for frame, file in _file_by_frame(path, options).items():
        yield file_item(frame, folder, file, _load_classes, options, named=path.is_dir(), class_names=NAMES)
