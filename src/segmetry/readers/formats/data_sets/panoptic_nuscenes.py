"""Panoptic nuScenes: ``<token>_panoptic.npz`` files of class · 1000 + instance, the scans of a scene in their order.

The truth has the 32 general classes, which are mapped to the 16 of the challenge; a prediction has these 16. Points of
other classes are void in the truth and in no segment in the prediction. A scene is a folder of scans in the order of
their names, or a list of tokens in the JSON file of ``--scenes``: ``{"scene-0003": ["token", …]}``. Scans have
different numbers of points: those of fewer are filled with points that are void in the truth.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import FormatError
from segmetry.readers.formats.data_sets.label_folder import files_in
from segmetry.readers.items import Item, within
from segmetry.readers.labels.label_sizes import label_sizes
from segmetry.readers.option import Option, Text
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.parts.strict_json import load_json
from segmetry.readers.reader import READERS, Reader, declare_reader
from segmetry.segmentation.labels import LabelArray

NAMES: dict[Hashable, str] = dict(
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
GROUPS: dict[str, frozenset[Hashable]] = {"things": frozenset(range(1, 11)), "stuff": frozenset(range(11, 17))}
SUFFIX = "_panoptic.npz"
SCENES: Option[str | None] = Option(
    "scenes",
    "nuScenes: a JSON file with the tokens of the scans of each scene, in order; by default a folder is a scene.",
    Text(),
    None,
    metavar="FILE",
)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    for scene, files in _scenes(path, options).items():
        scans = [file_inside(path, file.relative_to(path).as_posix(), "the scan") for file in files]
        lengths = [_points(scan, options).size for scan in scans]
        options.check_size((len(scans), max(lengths)), f"{path}, {scene}")
        names = (file.name.removesuffix(SUFFIX) for file in files)
        yield Item(
            scene,
            within(str(path), partial(_scene, tuple(scans), max(lengths), options)),
            named=True,
            groups=GROUPS,
            class_names=NAMES,
            declares_void=True,
            frames=tuple(f"{name} of {length} points" for name, length in zip(names, lengths, strict=True)),
        )


def _scenes(path: Path, options: ReadOptions) -> dict[str, list[Path]]:
    """Return the scans of each scene."""
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


def _files(path: Path, options: ReadOptions) -> list[Path]:
    return [file for files in _scenes(path, options).values() for file in files]


def _points(file: Path, options: ReadOptions) -> NDArray[Any]:
    items = list(READERS["npz"].read(file, ReadOptions(most_elements=options.most_elements, outside=None)))
    labels = items[0].load() if len(items) == 1 else None
    if not isinstance(labels, LabelArray) or labels.axes != 1:
        raise FormatError(f"{file}: expected one array of one axis, the labels of the points of a scan")
    return labels.labels


def _scene(files: tuple[Path, ...], length: int, options: ReadOptions) -> LabelArray:
    values = np.zeros((len(files), length), dtype=np.uint16)
    for row, file in zip(values, files, strict=True):
        points = _points(file, options)
        if points.max(initial=0) > np.iinfo(np.uint16).max:
            raise FormatError(f"{file}: contains {int(points.max())}; expected values of 16 bits")
        row[: points.size] = points
    truth = options.side == "true"
    classes: dict[int, Hashable] = {}
    ignored = []
    for value in label_sizes(values):
        number = value // PER_CLASS
        most = (N_GENERAL if truth else len(NAMES) + 1) - 1
        if number > most:
            kind = "general classes" if truth else "classes of the challenge"
            raise FormatError(f"{files[0].parent}: contains {value}, of class {number}; expected {kind}, 0 to {most}")
        of_challenge = CHALLENGE_CLASSES.get(number, 0) if truth else number
        if of_challenge:
            classes[value] = of_challenge
        else:
            ignored.append(value)
    if truth:
        return LabelArray(values, outside=None, void=ignored, classes=classes)
    return LabelArray(values, outside=ignored, classes=classes)


declare_reader(
    Reader(
        name="panoptic-nuscenes",
        summary="Panoptic nuScenes: scans of class · 1000 + instance, <token>_panoptic.npz, as scenes",
        extensions=("/",),
        sniff=lambda _path, _head: False,
        read=_read,
        options=(SCENES,),
        lazy=True,
        declares_void=True,
        inside=_files,
    )
)
