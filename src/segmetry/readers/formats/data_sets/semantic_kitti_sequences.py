"""SemanticKITTI as the benchmark reads it: ``.label`` files in any depth of a folder, mapped to its 19 classes.

A scan is named by its sequence and number: the folders ``sequences``, ``labels`` and ``predictions`` are left out of
the name, so that a data set and a submission pair up. Moving objects have the class of those that stand still, and
classes that a single scan cannot tell apart are joined (``learning_map`` of the benchmark). A segment is a value of the
file, its class and its instance. Unlabelled points are void in the truth and in no segment in the prediction.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from segmetry.errors import FormatError
from segmetry.readers.formats.data_sets.label_folder import GLOB, files_in
from segmetry.readers.items import Item, within
from segmetry.readers.labels.label_sizes import label_sizes
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.labels import LabelArray

NAMES: dict[Hashable, str] = dict(
    enumerate(
        ("car", "bicycle", "motorcycle", "truck", "other-vehicle", "person", "bicyclist", "motorcyclist", "road",
         "parking", "sidewalk", "other-ground", "building", "fence", "vegetation", "trunk", "terrain", "pole",
         "traffic-sign"),
        1,
    )
)  # fmt: skip
LEARNING_MAP = {
    0: 0, 1: 0, 10: 1, 11: 2, 13: 5, 15: 3, 16: 5, 18: 4, 20: 5, 30: 6, 31: 7, 32: 8, 40: 9, 44: 10, 48: 11, 49: 12,
    50: 13, 51: 14, 52: 0, 60: 9, 70: 15, 71: 16, 72: 17, 80: 18, 81: 19, 99: 0, 252: 1, 253: 7, 254: 6, 255: 8, 256: 5,
    257: 5, 258: 4, 259: 5,
}  # fmt: skip
"""The class of the benchmark by the class of the data set; 0 is not evaluated."""
GROUPS: dict[str, frozenset[Hashable]] = {"things": frozenset(range(1, 9)), "stuff": frozenset(range(9, 20))}
_LAYOUT = ("sequences", "labels", "predictions")


def scan_name(place: Path) -> str:
    """Return the name of a scan from its place in a folder.

    >>> scan_name(Path("sequences/08/predictions/000017.label"))
    '08/000017'
    """
    return "/".join(part for part in place.with_suffix("").parts if part not in _LAYOUT)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    if not path.is_dir():
        yield Item(path.stem, _scan(path, options), groups=GROUPS, class_names=NAMES)
        return
    files = _files(path, options)
    if not files:
        raise FormatError(f"{path}: no .label file in it; expected sequences/08/labels/000000.label, or predictions")
    for file in files:
        place = file.relative_to(path)
        load = partial(_scan, file_inside(path, place.as_posix(), "the scan"), options)
        yield Item(
            scan_name(place),
            within(str(path), load),
            named=True,
            groups=GROUPS,
            class_names=NAMES,
            file=place.as_posix(),
            declares_void=True,
        )


def _files(path: Path, options: ReadOptions) -> list[Path]:
    pattern = options[GLOB]
    files = [path] if not path.is_dir() else [file for file in files_in(path) if file.suffix == ".label"]
    return [file for file in files if pattern is None or file.match(pattern)]


def _scan(file: Path, options: ReadOptions) -> LabelArray:
    size = file.stat().st_size if file.is_file() else 0
    if not size or size % 4:
        raise FormatError(f"{file}: {size} bytes; expected 4 for each point, and at least one point")
    options.check_size((size // 4,), str(file))
    values = np.fromfile(file, dtype="<u4")
    classes: dict[int, Hashable] = {}
    ignored = []
    for value in label_sizes(values):
        number = value & 0xFFFF
        if number not in LEARNING_MAP:
            raise FormatError(f"{file}: contains class {number}, which SemanticKITTI does not have")
        if LEARNING_MAP[number]:
            classes[value] = LEARNING_MAP[number]
        else:
            ignored.append(value)
    if options.side == "true":
        return LabelArray(values, outside=None, void=ignored, classes=classes)
    return LabelArray(values, outside=ignored, classes=classes)


declare_reader(
    Reader(
        name="semantic-kitti-sequences",
        summary="SemanticKITTI in the 19 classes of its benchmark: .label files in sequences/NN/labels or predictions",
        extensions=(".label", "/"),
        sniff=lambda _path, _head: False,
        read=_read,
        options=(GLOB,),
        lazy=True,
        declares_void=True,
        inside=_files,
    )
)
