"""MOTS: multi-object tracking and segmentation, as text files or as images.

A text file has a line ``frame id class height width rle`` for each detection, with a compressed COCO run-length
encoding; a folder has one file per video. An image has the values class · 1000 + instance; a folder has one folder of
PNG frames per video. Class 10 is an ignore region: void in the truth, and in no segment in the prediction. The classes
are 1, car, and 2, pedestrian; others are in no segment, as TrackEval does not evaluate them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import DataWarning, FormatError
from segmetry.kernels import decode_coco_masks
from segmetry.readers.formats.data_sets.video_folders import SEQUENCES, chosen, files_of_videos, stacked, video_items
from segmetry.readers.items import Item, OpenVideo, file_inside
from segmetry.readers.parts.file_folders import GLOB, files_in
from segmetry.readers.parts.file_head import read_head
from segmetry.readers.parts.text_file import read_text
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import LabelArray, replace_values
from segmetry.storage import FrameStack

CLASSES: dict[Hashable, str] = {1: "car", 2: "pedestrian"}
IGNORED = 10
PER_CLASS = 1000
MOST_FRAMES = 10**6  # one line may name any frame, and all frames before it take memory
_LINE = re.compile(rb"\s*\d+ \d+ \d+ \d+ \d+ \S+\s*$")
_FIELDS = "frame id class height width rle"


class Detection(NamedTuple):
    """One line of a file."""

    track: int
    number: int
    rle: bytes


def _text_files(folder: Path) -> list[Path]:
    return [file for file in files_in(folder) if file.suffix == ".txt"]


def _mots_files(path: Path, options: ReadOptions) -> list[Path]:
    if not path.is_dir():
        return [path]
    texts = _text_files(path)
    names = set(chosen([file.stem for file in texts], path, options)) if texts else set()
    return [file for file in texts if file.stem in names] or files_of_videos(path, options)


def _load_images(frames: tuple[Path, ...], options: ReadOptions) -> LabelArray:
    raw = LabelArray(stacked(frames, options), outside=None)
    side = {"void": IGNORED} if options.side == "true" else {"outside": (0, IGNORED)}
    labels = replace_values(raw, _evaluated_values)
    return LabelArray.from_classes(labels, instances_per_class=PER_CLASS, **side)


def _evaluated_values(values: NDArray[Any]) -> NDArray[Any]:
    """Return 0 in place of values of classes that are not evaluated."""
    known = np.isin(values // PER_CLASS, (1, 2, IGNORED))
    return np.where(known, values, 0).astype(values.dtype)


def _read_detections(file: Path) -> tuple[dict[int, list[Detection]], tuple[int, int]]:
    """Return the lines of a file by frame, in the order of the file, and the height and width of frames (0 if none)."""
    frames: dict[int, list[Detection]] = {}
    size = (0, 0)
    text = read_text(file, blank=True)
    if not text:  # a tracker without a detection writes an empty file
        warnings.warn(f"{file}: an empty file, read as a video without segments", DataWarning, stacklevel=2)
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        where = f"{file}, line {number}"
        if not _LINE.match(line.encode("ascii", "replace")):
            raise FormatError(f"{where}: {line[:40]!a}; expected `{_FIELDS}`, separated by single spaces")
        *numbers, rle = line.split()
        frame, track, class_number, height, width = map(int, numbers)
        if frame > MOST_FRAMES or max(track, class_number) >= 2**31:
            raise FormatError(f"{where}: frame {frame}, id {track}, class {class_number}; one of them is too large")
        if not (height and width) or size not in ((0, 0), (height, width)):
            raise FormatError(
                f"{where}: a frame of {height} × {width} pixels, before {size[0]} × {size[1]}; expected one size"
            )
        size = height, width
        if class_number in CLASSES or class_number == IGNORED:
            frames.setdefault(frame, []).append(Detection(track, class_number, rle.encode("ascii", "replace")))
    return frames, size


def _load_tracks(
    file: str, detections: dict[int, list[Detection]], options: ReadOptions, shape: tuple[int, int, int]
) -> LabelArray:
    options.check_size(shape, file)
    if not min(shape):
        raise FormatError(f"{file}: no detection in it, so the size of its frames is not known")
    tracks = {(found.track, found.number) for lines in detections.values() for found in lines}
    labels = _labels_of({key for key in tracks if key[1] != IGNORED})
    classes = {label: of_class for (_, of_class), label in labels.items()}
    ignored = max(classes, default=0) + 1
    labels |= dict.fromkeys((key for key in tracks if key[1] == IGNORED), ignored)
    frames = tuple(
        (f"{file}, frame {at}", [(labels[found[:2]], found.rle) for found in detections.get(at, ())])
        for at in range(shape[0])
    )
    stack = FrameStack(frames, partial(_paint_frame, shape[1:], ignored), shape, np.dtype(np.min_scalar_type(ignored)))
    if options.side == "true":
        return LabelArray(stack, void=ignored, classes=classes)
    return LabelArray(stack, outside=(0, ignored), classes=classes)


def _labels_of(tracks: set[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Return the label of each track: its id, unless classes share ids or an id is 0."""
    ids = [track for track, _ in tracks]
    base = 10 ** len(str(max(ids, default=0))) if len(set(ids)) < len(ids) else 0
    return {(track, of_class): base * of_class + track + (0 in ids) for track, of_class in tracks}


def _paint_frame(shape: tuple[int, int], ignored: int, frame: tuple[str, list[tuple[int, bytes]]]) -> NDArray[Any]:
    """Return the labels of a frame; its masks must not overlap, except ignore regions each other."""
    where, detections = frame
    size = shape[0] * shape[1]
    numbers = [label for label, _ in detections if label != ignored]
    if len(set(numbers)) < len(numbers):
        raise FormatError(f"{where}: an id occurs twice; expected one mask for each")
    try:
        masks = decode_coco_masks([rle for _, rle in detections], size)
    except ValueError as problem:
        raise FormatError(f"{where}: {problem}") from None
    labels = np.repeat(np.array([label for label, _ in detections], dtype=np.int64), np.diff(masks.offsets))
    flat = np.zeros(size, dtype=np.min_scalar_type(ignored))
    is_void = labels == ignored
    for start, stop in zip(masks.starts[is_void].tolist(), masks.stops[is_void].tolist(), strict=True):
        flat[start:stop] = ignored
    order = np.argsort(masks.starts[~is_void], kind="stable")
    starts, stops, labels = (column[~is_void][order] for column in (masks.starts, masks.stops, labels))
    lengths = stops - starts
    places = np.arange(int(lengths.sum())) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    if (starts[1:] < stops[:-1]).any() or flat[places].any():
        raise FormatError(f"{where}: masks overlap; expected disjoint masks in each frame")
    flat[places] = np.repeat(labels, lengths)
    return flat.reshape(shape[::-1]).T


def _is_mots(path: Path, head: bytes) -> bool:
    if path.is_dir():
        first = next(iter(sorted(path.glob("*.txt"))), None)
        return first is not None and _is_mots(first, read_head(first))
    return path.suffix == ".txt" and bool(_LINE.match(head.split(b"\n", 1)[0]))


@reads(
    "mots",
    "MOTS: detections of tracks as text (frame id class height width rle) or as PNG frames",
    (".txt", "/"),
    sniff=_is_mots,
    options=(SEQUENCES, GLOB),
    lazy=True,
    declares_void=True,
    inside=_mots_files,
)
def _read_mots(path: Path, options: ReadOptions) -> Iterator[Item]:
    if path.is_dir() and not _text_files(path):
        yield from video_items(path, options, _load_images, class_names=CLASSES)
        return
    files = _text_files(path) if path.is_dir() else [path]
    for name in chosen([file.stem for file in files], path, options):
        file = next(file for file in files if file.stem == name)
        if path.is_dir():
            file_inside(path, file.relative_to(path).as_posix(), "the file")
        detections, size = _read_detections(file)
        shape = max(detections, default=-1) + 1, *size
        options.check_size(shape, str(file))
        load = OpenVideo(shape, partial(_load_tracks, str(file), detections, options))
        yield Item(name, load, named=path.is_dir(), class_names=CLASSES)
