"""DICOM segmentation objects (SEG): binary frames of each segment, or a label map, on one grid in space.

A frame states its segment and its position; frames without elements are usually left out. The volume reaches from the
first to the last slice that has a frame. The value of a voxel is the number of its segment, whose label becomes the
name of its class; segments that overlap are an error.
"""

from __future__ import annotations

import io
import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import import_optional, translate_errors
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.formats.arrays.text_header_volumes import checked_steps, grid
from segmetry.readers.items import Item, check_label, within
from segmetry.readers.label_reading import LABEL_OPTIONS, read_labels
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import Segmentation, Spacing

_MAGIC = b"DICM"
_PREAMBLE = 128  # bytes before the magic, which any program may use
_SEG = "1.2.840.10008.5.1.4.1.1.66.4"
_LABEL_MAP = "1.2.840.10008.5.1.4.1.1.66.7"
_PLAIN = ("1.2.840.10008.1.2", "1.2.840.10008.1.2.1")
"""Transfer syntaxes whose pixels are not compressed."""
_TOLERANCE = 0.01
"""Largest distance of a frame from its slice, in distances of slices."""


@dataclass(frozen=True)
class _Frames:
    """Where each frame belongs: its slice and, in a binary object, its segment."""

    slices: NDArray[np.intp]
    segments: NDArray[np.int64] | None
    shape: tuple[int, int, int]
    bits: int


class _BoundedFile(io.BufferedReader):
    """A file of which no more is read than there is, whatever length an element declares."""

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path))
        self._size = path.stat().st_size

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(0, self._size - self.tell())
        return super().read(left if size is None or size < 0 else min(size, left))


def _check_kind(path: Path, data: Any) -> None:
    kind = str(data.get("SOPClassUID", ""))
    if kind not in (_SEG, _LABEL_MAP):
        raise FormatError(f"{path}: a DICOM file of another kind; expected a segmentation (SEG), not images")
    if str(data.get("SegmentationType", "")) == "FRACTIONAL":
        raise LabelTypeError(f"{path}: contains probabilities (FRACTIONAL); expected BINARY, those above a threshold")
    syntax = str(data.file_meta.TransferSyntaxUID)
    if syntax not in _PLAIN:
        raise FormatError(f"{path}: its frames are compressed, which is not supported; expected plain ones (dcmdjpeg)")


def _frame_places(
    path: Path, data: Any, options: ReadOptions
) -> tuple[_Frames, list[tuple[float, ...]], tuple[float, ...]]:
    rows, columns, count = (int(data[name].value) for name in ("Rows", "Columns", "NumberOfFrames"))
    if min(rows, columns, count) < 1:
        raise EmptyInputError(f"{path}: declares {count} frames of {rows} × {columns}; expected at least one voxel")
    options.check_size((columns, rows, count), str(path))
    groups = data.PerFrameFunctionalGroupsSequence
    if len(groups) != count:
        raise FormatError(f"{path}: declares {count} frames, but describes {len(groups)}")
    shared = data.SharedFunctionalGroupsSequence[0]
    turn = [
        float(part) for part in _shared_or_own(shared, groups[0], "PlaneOrientationSequence").ImageOrientationPatient
    ]
    measures = _shared_or_own(shared, groups[0], "PixelMeasuresSequence")
    between_rows, between_columns = (float(step) for step in measures.PixelSpacing)
    along, down = turn[:3], turn[3:]
    normal = np.cross(along, down)
    positions = np.array([[float(x) for x in g.PlanePositionSequence[0].ImagePositionPatient] for g in groups])
    distance = measures.get("SpacingBetweenSlices") or measures.get("SliceThickness") or 1
    slices, first, step = _slice_numbers(path, positions @ normal, float(distance))
    n_slices = int(slices.max()) + 1
    options.check_size((columns, rows, n_slices), str(path))
    binary = str(data.get("SegmentationType", "")) == "BINARY"
    segments = [g.SegmentIdentificationSequence[0].ReferencedSegmentNumber for g in groups] if binary else None
    numbers = None if segments is None else np.array(segments, np.int64)
    frames = _Frames(slices, numbers, (columns, rows, n_slices), int(data.BitsAllocated))
    vectors = [tuple(between_columns * x for x in along), tuple(between_rows * x for x in down)]
    vectors.append(tuple((step * normal).tolist()))
    return frames, vectors, tuple(positions[first].tolist())


def _shared_or_own(shared: Any, own: Any, name: str) -> Any:
    """Return what all frames share, or what the first one states."""
    return (shared[name] if name in shared else own[name]).value[0]


def _slice_numbers(path: Path, heights: NDArray[np.float64], step: float) -> tuple[NDArray[np.intp], int, float]:
    levels = np.unique(np.round(heights, 6))
    if levels.size > 1:
        step = min(step, float(np.diff(levels).min())) if step > 0 else float(np.diff(levels).min())
    places = (heights - heights.min()) / step
    slices = np.rint(places).astype(np.intp)
    if not np.all(np.abs(places - slices) <= _TOLERANCE):
        raise FormatError(f"{path}: its frames are not at equal distances; resample it to a regular grid")
    return slices, int(np.argmin(heights)), step


def _segment_names(path: Path, data: Any) -> dict[Hashable, str]:
    return {
        int(segment.SegmentNumber): check_label(str(segment.SegmentLabel), f"{path}: the label of a segment")
        for segment in data.SegmentSequence
    }


def _load_volume(path: Path, frames: _Frames, spacing: Spacing, options: ReadOptions) -> Segmentation:
    pixels = _frame_pixels(path, frames)
    columns, rows, n_slices = frames.shape
    labels = np.zeros((n_slices, rows, columns), pixels.dtype if frames.segments is None else np.int32)
    for at, place in enumerate(frames.slices.tolist()):
        if frames.segments is None:
            labels[place] = pixels[at]
            continue
        inside = pixels[at] > 0
        if labels[place][inside].any():
            raise FormatError(
                f"{path}: its segments overlap, so a voxel has no one label; expected segments that overlap in files "
                "of their own"
            )
        labels[place][inside] = frames.segments[at]
    return read_labels(labels.transpose(2, 1, 0), options, spacing=spacing)


def _frame_pixels(path: Path, frames: _Frames) -> NDArray[Any]:
    """Return the frames; bits are packed across their borders, the first element in the lowest bit."""
    pydicom = import_optional("pydicom", "reading DICOM", "medical")
    columns, rows, _ = frames.shape
    count = frames.slices.size * rows * columns
    with translate_errors(path, "DICOM file"), _BoundedFile(path) as file:
        content = bytes(pydicom.dcmread(file, specific_tags=["PixelData"]).PixelData)
    n_bytes = -(-count // 8) if frames.bits == 1 else count * frames.bits // 8
    if frames.bits not in (1, 8, 16) or not n_bytes <= len(content) <= n_bytes + 1:
        raise FormatError(f"{path}: its header needs {n_bytes} bytes of frames; the file contains {len(content)}")
    if frames.bits == 1:
        flat = np.unpackbits(np.frombuffer(content[:n_bytes], np.uint8), count=count, bitorder="little")
    else:
        flat = np.frombuffer(content[:n_bytes], np.dtype(f"<u{frames.bits // 8}"))
    return flat.reshape(frames.slices.size, rows, columns)


@reads(
    "dicom-seg",
    "a DICOM segmentation object, BINARY or LABELMAP; grids of both sides are compared",
    (".dcm",),
    sniff=lambda _path, head: head[_PREAMBLE : _PREAMBLE + 4] == _MAGIC,
    extra="medical",
    options=LABEL_OPTIONS,
    lazy=True,
)
def _read_dicom(path: Path, options: ReadOptions) -> Iterator[Item]:
    pydicom = import_optional("pydicom", "reading DICOM", "medical")
    with translate_errors(path, "DICOM file"), _BoundedFile(path) as file:
        data = pydicom.dcmread(file, defer_size=1 << 16)
        _check_kind(path, data)
        frames, vectors, origin = _frame_places(path, data, options)
        names = _segment_names(path, data)
    steps = checked_steps([math.hypot(*vector) for vector in vectors], str(path))
    place = grid(frames.shape, vectors, origin, (-1, -1, 1))
    load = partial(_load_volume, path, frames, Spacing(steps, "mm"), options)
    yield Item(path.stem, within(str(path), load), place=place, class_names=names)
