"""Scans of a laser scanner with a class and an instance for every point: SemanticKITTI and Panoptic nuScenes.

SemanticKITTI: ``.label`` files, 32 bits per point, the class in the lower half and the instance above. A segment is a
value of the file. Unlabelled points (classes 0 and 1) are void in the truth and in no segment in the prediction. The
benchmark reads files in any depth of a folder, mapped to its 19 classes. A scan is named by its sequence and number:
the folders ``sequences``, ``labels`` and ``predictions`` are left out of the name, so that a data set and a submission
pair up. Moving objects have the class of those that stand still, and classes that a single scan cannot tell apart are
joined (``learning_map`` of the benchmark).

Panoptic nuScenes: ``<token>_panoptic.npz`` files of class · 1000 + instance, the scans of a scene in their order. The
truth has the 32 general classes, which are mapped to the 16 of the challenge; a prediction has these 16. Points of
other classes are void in the truth and in no segment in the prediction. A scene is a folder of scans in the order of
their names, or a list of tokens in the JSON file of ``--scenes``: ``{"scene-0003": ["token", …]}``. Scans have
different numbers of points: those of fewer are filled with points that are void in the truth.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import DataWarning, FormatError
from segmetry.readers.items import Item, file_inside, file_item, within
from segmetry.readers.label_reading import labels_with_classes
from segmetry.readers.parts.file_folders import GLOB, files_in, fitting_files
from segmetry.readers.parts.text_file import load_json
from segmetry.readers.reader import READERS, Option, ReadOptions, Text, reads
from segmetry.segmentation import LabelArray

KITTI_NAMES: dict[Hashable, str] = dict(
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
KITTI_GROUPS: dict[str, frozenset[Hashable]] = {"things": frozenset(range(1, 9)), "stuff": frozenset(range(9, 20))}
KITTI_IGNORED = (0, 1)
"""Unlabelled points, and outliers."""
_LAYOUT = ("sequences", "labels", "predictions")


def scan_name(place: Path) -> str:
    """Return the name of a scan from its place in a folder."""
    return "/".join(part for part in place.with_suffix("").parts if part not in _LAYOUT)


def _label_files(path: Path, options: ReadOptions) -> list[Path]:
    if not path.is_dir():
        return [path]
    return [file for file in fitting_files(path, options) if file.suffix == ".label"]


def _load_scan(file: Path, options: ReadOptions, class_of: Callable[[int, Path], int | None]) -> LabelArray:
    size = file.stat().st_size if file.is_file() else 0
    if not size or size % 4:
        raise FormatError(f"{file}: {size} bytes; expected 4 for each point, and at least one point")
    options.check_size((size // 4,), str(file))
    return labels_with_classes(
        np.fromfile(file, dtype="<u4"), lambda value: class_of(value & 0xFFFF, file) or None, options
    )


def _own_class(number: int, _file: Path) -> int | None:
    return None if number in KITTI_IGNORED else number


def _benchmark_class(number: int, file: Path) -> int | None:
    if number not in LEARNING_MAP:
        raise FormatError(f"{file}: contains class {number}, which SemanticKITTI does not have")
    return LEARNING_MAP[number]


@reads(
    "semantic-kitti",
    "SemanticKITTI: a class and an instance for every point",
    (".label",),
    sniff=lambda path, head: path.suffix == ".label" and bool(head),
    declares_void=True,
)
def _read_scan(path: Path, options: ReadOptions) -> Iterator[Item]:
    yield Item(path.stem, _load_scan(path, options, _own_class))


@reads(
    "semantic-kitti-sequences",
    "SemanticKITTI in the 19 classes of its benchmark: .label files in sequences/NN/labels or predictions",
    (".label", "/"),
    options=(GLOB,),
    lazy=True,
    declares_void=True,
    inside=_label_files,
)
def _read_sequences(path: Path, options: ReadOptions) -> Iterator[Item]:
    load = partial(_load_scan, class_of=_benchmark_class)
    if not path.is_dir():
        yield Item(path.stem, load(path, options), groups=KITTI_GROUPS, class_names=KITTI_NAMES)
        return
    files = _label_files(path, options)
    if not files:
        raise FormatError(f"{path}: no .label file in it; expected sequences/08/labels/000000.label, or predictions")
    facts: dict[str, Any] = {"groups": KITTI_GROUPS, "class_names": KITTI_NAMES, "declares_void": True}
    scans = [file for file in files if not file.is_file() or file.stat().st_size]
    if scans and len(scans) < len(files):  # they add nothing to any count
        warnings.warn(f"{path}: {len(files) - len(scans)} scans without points are left out", DataWarning, stacklevel=2)
    for file in scans or files:
        yield file_item(scan_name(file.relative_to(path)), path, file, load, options, what="the scan", **facts)


NUSCENES_NAMES: dict[Hashable, str] = dict(
    enumerate(
        ("barrier", "bicycle", "bus", "car", "construction_vehicle", "motorcycle", "pedestrian", "traffic_cone",
         "trailer", "truck", "driveable_surface", "other_flat", "sidewalk", "terrain", "manmade", "vegetation"),
        1,
    )
)  # fmt: skip
CHALLENGE_CLASSES = {
    9: 1, 14: 2, 15: 3, 16: 3, 17: 4, 18: 5, 21: 6, 2: 7, 3: 7, 4: 7, 6: 7, 12: 8, 22: 9, 23: 10, 24: 11, 25: 12,
    26: 13, 27: 14, 28: 15, 30: 16,
}  # fmt: skip
"""The class of the challenge by the general class; other general classes are not evaluated."""
N_GENERAL, PER_CLASS = 32, 1000
NUSCENES_GROUPS: dict[str, frozenset[Hashable]] = {"things": frozenset(range(1, 11)), "stuff": frozenset(range(11, 17))}
SUFFIX = "_panoptic.npz"
SCENES: Option[str | None] = Option(
    "scenes",
    "nuScenes: a JSON file with the tokens of the scans of each scene, in order; by default a folder is a scene.",
    Text(),
    metavar="FILE",
)


def _scans_by_scene(path: Path, options: ReadOptions) -> dict[str, list[Path]]:
    files = [file for file in files_in(path) if file.name.endswith(SUFFIX)] if path.is_dir() else []
    if not files:
        raise FormatError(f"{path}: no file in it is named …{SUFFIX}; expected one for each scan")
    listed = options[SCENES]
    if listed is None:
        folders: dict[str, list[Path]] = {}
        for file in files:
            place = file.relative_to(path).parent.as_posix()
            folders.setdefault(path.resolve().name if place == "." else place, []).append(file)
        return folders
    scenes = load_json(Path(listed))
    by_token = {file.name.removesuffix(SUFFIX): file for file in files}
    if not isinstance(scenes, Mapping) or not all(isinstance(tokens, list) and tokens for tokens in scenes.values()):
        raise FormatError(f"{listed}: expected the tokens of each scene: {{'scene-0003': ['token', …]}}")
    for scene, tokens in scenes.items():
        for token in tokens:
            if token not in by_token:
                raise FormatError(f"{path}: the scan {str(token)[:40]!a} of {scene} is not in it")
    return {scene: [by_token[token] for token in tokens] for scene, tokens in scenes.items()}


def _point_labels(file: Path, options: ReadOptions) -> NDArray[Any]:
    items = list(READERS["npz"].read(file, ReadOptions(most_elements=options.most_elements, outside=None)))
    labels = items[0].load() if len(items) == 1 else None
    if not isinstance(labels, LabelArray) or labels.axes != 1:
        raise FormatError(f"{file}: expected one array of one axis, the labels of the points of a scan")
    return labels.labels


def _load_scene(files: tuple[Path, ...], length: int, options: ReadOptions) -> LabelArray:
    values = np.zeros((len(files), length), dtype=np.uint16)
    for row, file in zip(values, files, strict=True):
        points = _point_labels(file, options)
        if points.max(initial=0) > np.iinfo(np.uint16).max:
            raise FormatError(f"{file}: contains {int(points.max())}; expected values of 16 bits")
        row[: points.size] = points
    truth = options.side == "true"
    most = (N_GENERAL if truth else len(NUSCENES_NAMES) + 1) - 1

    def class_of(value: int) -> int | None:
        number = value // PER_CLASS
        if number > most:
            kind = "general classes" if truth else "classes of the challenge"
            raise FormatError(f"{files[0].parent}: contains {value}, of class {number}; expected {kind}, 0 to {most}")
        return (CHALLENGE_CLASSES.get(number) if truth else number) or None

    return labels_with_classes(values, class_of, options)


@reads(
    "panoptic-nuscenes",
    "Panoptic nuScenes: scans of class · 1000 + instance, <token>_panoptic.npz, as scenes",
    ("/",),
    options=(SCENES,),
    lazy=True,
    declares_void=True,
    inside=lambda path, options: chain.from_iterable(_scans_by_scene(path, options).values()),
)
def _read_scenes(path: Path, options: ReadOptions) -> Iterator[Item]:
    for scene, files in _scans_by_scene(path, options).items():
        scans = [file_inside(path, file.relative_to(path).as_posix(), "the scan") for file in files]
        lengths = [_point_labels(scan, options).size for scan in scans]
        options.check_size((len(scans), max(lengths)), f"{path}, {scene}")
        names = (file.name.removesuffix(SUFFIX) for file in files)
        load = within(str(path), partial(_load_scene, tuple(scans), max(lengths), options))
        frames = tuple(f"{name} of {length} points" for name, length in zip(names, lengths, strict=True))
        facts: dict[str, Any] = {"groups": NUSCENES_GROUPS, "class_names": NUSCENES_NAMES, "declares_void": True}
        yield Item(scene, load, named=True, frames=frames, **facts)
