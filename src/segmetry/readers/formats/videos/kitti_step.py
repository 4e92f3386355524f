"""KITTI-STEP: one folder of colour PNG frames per video; red is the class, green · 256 + blue the instance.

The classes are the 19 of Cityscapes by their training numbers; 255 is void in the truth and in no segment in the
prediction. Pedestrians (11) and cars (13) have instances; in the truth their instance 0 is a crowd.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import FormatError
from segmetry.readers.formats.arrays.png import read_label_png
from segmetry.readers.formats.data_sets.label_folder import GLOB
from segmetry.readers.formats.videos.video_folders import SEQUENCES, files_of_videos, video_items
from segmetry.readers.items import Item
from segmetry.readers.options import ReadOptions
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.labels import LabelArray
from segmetry.storage.frame_stack import FrameStack

NAMES: dict[Hashable, str] = dict(
    enumerate(
        ("road", "sidewalk", "building", "wall", "fence", "pole", "traffic light", "traffic sign", "vegetation",
         "terrain", "sky", "person", "rider", "car", "truck", "bus", "train", "motorcycle", "bicycle")
    )
)  # fmt: skip
VOID = 255
THINGS = (11, 13)
PER_CLASS = 2**16
GROUPS: dict[str, frozenset[Hashable]] = {
    "things": frozenset(THINGS),
    "stuff": frozenset(number for number in range(19) if number not in THINGS),
}


def _frame(file: Path, options: ReadOptions) -> NDArray[Any]:
    """Return class · 2¹⁶ + instance, from R + 256·G + 65536·B."""
    colours = read_label_png(file, options)
    if colours.dtype != np.uint32:
        raise FormatError(f"{file}: a grey or palette image; expected red the class, green and blue the instance")
    red, green, blue = colours & 0xFF, colours >> 8 & 0xFF, colours >> 16
    wrong = (red >= len(NAMES)) & (red != VOID)
    if wrong.any():
        raise FormatError(f"{file}: contains class {int(red[wrong][0])}; expected 0 to {len(NAMES) - 1}, or {VOID}")
    labels: NDArray[Any] = red << 16 | green << 8 | blue
    return labels


def _video(frames: tuple[Path, ...], options: ReadOptions) -> LabelArray:
    reading = ReadOptions(most_elements=options.most_elements, side=options.side, colours="rgb")
    first = _frame(frames[0], reading)
    shape = (len(frames), *first.shape)
    options.check_size(shape, str(frames[0].parent))
    stack = FrameStack(frames, partial(_frame, options=reading), shape, first.dtype)
    if options.side == "pred":
        return LabelArray.from_classes(stack, instances_per_class=PER_CLASS, outside=VOID)
    crowd = [number * PER_CLASS for number in THINGS]
    return LabelArray.from_classes(stack, instances_per_class=PER_CLASS, outside=None, void=VOID, crowd=crowd)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    return video_items(path, options, _video, class_names=NAMES, groups=GROUPS, declares_void=True)


declare_reader(
    Reader(
        name="kitti-step",
        summary="KITTI-STEP: one folder of colour PNG frames per video; red is the class, green and blue the instance",
        extensions=("/",),
        sniff=lambda _path, _head: False,
        read=_read,
        options=(GLOB, SEQUENCES),
        lazy=True,
        declares_void=True,
        inside=files_of_videos,
    )
)
