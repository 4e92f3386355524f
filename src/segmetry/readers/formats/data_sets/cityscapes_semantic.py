"""Cityscapes class images, one per frame: the truth as Cityscapes lays it out, predictions under any name of the frame.

The truth of a frame is its ``*_instanceIds.png`` (a class, and the instances of classes that have them), else its
``*_labelIds.png`` or ``*_labelTrainIds.png``. A prediction is the only PNG file whose name begins with the frame,
``{city}_{sequence}_{frame}``. Classes that Cityscapes does not evaluate are void in the truth and in no class in the
prediction, so that predicting them is wrong. A region of a class with instances that were not told apart is a crowd.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from functools import partial
from pathlib import Path

from segmetry.errors import DataWarning, FormatError
from segmetry.readers.formats.arrays.png import label_png
from segmetry.readers.formats.data_sets.cityscapes import IGNORED, NAMES, THINGS, frame_of
from segmetry.readers.formats.data_sets.label_folder import CITYSCAPES, GLOB, label_files
from segmetry.readers.items import Item, within
from segmetry.readers.labels.label_sizes import label_sizes
from segmetry.readers.option import Choice, Option
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.labels import LabelArray

LABEL_IDS, TRAIN_IDS, COLOR = "_labelIds.png", "_labelTrainIds.png", "_color.png"
CLASS_OF_TRAIN_ID = dict(enumerate(NAMES))
"""The class of each trainId: those that are evaluated, in ascending order."""
IGNORED_TRAIN_ID = 255
IDS: Option[str | None] = Option(
    "cityscapes_ids",
    "Cityscapes classes: what the values are. [default: as the name of the file says, else labelIds]",
    Choice(("labelIds", "labelTrainIds")),
    None,
    per_side=True,
)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    folder = path if path.is_dir() else path.parent
    for frame, file in _frames(path, options).items():
        place = file.relative_to(folder).as_posix()
        load = partial(_labels, file_inside(folder, place, "the file"), options)
        yield Item(frame, within(str(path), load), named=path.is_dir(), class_names=NAMES, file=place)


def _files(path: Path, options: ReadOptions) -> list[Path]:
    return list(_frames(path, options).values())


def _frames(path: Path, options: ReadOptions) -> dict[str, Path]:
    """Return the file of every frame; two that could be it are an error."""
    if not path.is_dir():
        return {_frame(path.name): path}
    images = [file for file in label_files(path, options) if file.suffix.lower() == ".png"]
    kind = next((end for end in _kinds(options) if any(file.name.endswith(end) for file in images)), "")
    images = [file for file in images if file.name.endswith(kind) and not file.name.endswith(COLOR)]
    if not images:
        raise FormatError(
            f"{path}: contains no PNG file named after a frame of Cityscapes; expected {{city}}_000000_000000_gtFine"
            f"{LABEL_IDS}, or a PNG file per frame"
        )
    frames: dict[str, Path] = {}
    for file in images:
        frame = _frame(file.name)
        if frame in frames:
            raise FormatError(
                f"{path}: frame {frame} has two files, {frames[frame].name} and {file.name}; expected one; choose with "
                f"--{options.side}-glob, such as --{options.side}-glob '*{file.name[-12:]}'"
            )
        frames[frame] = file
    return frames


def _kinds(options: ReadOptions) -> tuple[str, ...]:
    """Return the ends of names by precedence."""
    if options[IDS] is not None:
        return (f"_{options[IDS]}.png",)
    return (CITYSCAPES, LABEL_IDS, TRAIN_IDS) if options.side == "true" else (LABEL_IDS, TRAIN_IDS)


def _frame(name: str) -> str:
    frame = frame_of(name)
    for end in (LABEL_IDS, TRAIN_IDS, ".png"):
        frame = frame.removesuffix(end)
    return frame


def _labels(file: Path, options: ReadOptions) -> LabelArray:
    ids = label_png(file, options)
    train = options[IDS] == "labelTrainIds" or (options[IDS] is None and file.name.endswith(TRAIN_IDS))
    classes: dict[int, Hashable] = {}
    crowd, ignored = [], []
    for value in label_sizes(ids):
        number = _class_of(value, file, options, train=train)
        if number in IGNORED:
            ignored.append(value)
        else:
            classes[value] = number
            if value < 1000 and number in THINGS and options.side == "true":
                crowd.append(value)
    truth = options.side == "true"
    if not truth and not train and ignored and max([*classes, *ignored]) < len(NAMES):
        warnings.warn(
            f"a prediction has classes that Cityscapes does not evaluate, and none above {len(NAMES) - 1}: if the "
            "values are trainIds, state --pred-cityscapes-ids labelTrainIds",
            DataWarning,
            stacklevel=2,
        )
    return LabelArray(
        ids, outside=None if truth else ignored, void=ignored if truth else None, classes=classes, crowd=crowd
    )


def _class_of(value: int, file: Path, options: ReadOptions, *, train: bool) -> int:
    """Return the class of a value; any other value is an error."""
    if train and (value in CLASS_OF_TRAIN_ID or value == IGNORED_TRAIN_ID):
        return 0 if value == IGNORED_TRAIN_ID else int(str(CLASS_OF_TRAIN_ID[value]))
    number = value // 1000 if value >= 1000 and file.name.endswith(CITYSCAPES) else value
    if not train and (number in IGNORED or number in NAMES):
        return number
    meaning, other = ("labelTrainIds", "labelIds") if train else ("labelIds", "labelTrainIds")
    expected = f"0 to {len(NAMES) - 1} and {IGNORED_TRAIN_ID}" if train else "0 to 33"
    raise FormatError(
        f"{file}: contains the value {value}; expected {meaning}, {expected}; if the values are {other}, state "
        f"--{options.side}-cityscapes-ids {other}"
    )


declare_reader(
    Reader(
        name="cityscapes-semantic",
        summary="a folder of Cityscapes class images, *_labelIds.png, or of predictions, one PNG file per frame",
        extensions=("/",),
        sniff=lambda _path, _head: False,
        read=_read,
        options=(GLOB, IDS),
        lazy=True,
        inside=_files,
    )
)
