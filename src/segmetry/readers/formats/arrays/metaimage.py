"""MetaImage volumes of ITK (``.mha``, and ``.mhd`` with a data file): a text header, then the elements."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from segmetry.errors import FormatError, LabelTypeError
from segmetry.readers.items import GridAffine, Item, within
from segmetry.readers.label_options import LABEL_OPTIONS
from segmetry.readers.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.parts.volume_header import VolumeBytes, checked_shape, checked_steps, floats, grid, integers
from segmetry.readers.reader import reads
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.spacing import Spacing

_LONGEST_HEADER = 1 << 16  # ITK writes less than 1 kB
_TYPES = {
    "MET_CHAR": "i1",
    "MET_UCHAR": "u1",
    "MET_SHORT": "i2",
    "MET_USHORT": "u2",
    "MET_INT": "i4",
    "MET_UINT": "u4",
    "MET_LONG_LONG": "i8",
    "MET_ULONG_LONG": "u8",
    "MET_FLOAT": "f4",
    "MET_DOUBLE": "f8",
}
_LAST = "ElementDataFile"
_TO_THE_LEFT_AND_BACK = (-1, -1, 1)
"""Coordinates of ITK grow to the left, to the back, and up."""


@dataclass(frozen=True)
class _MetaHeader:
    """The fields of a header, and where it ends."""

    path: Path
    fields: dict[str, str]
    end: int

    def field(self, *names: str) -> str:
        for name in names:
            if name in self.fields:
                return self.fields[name]
        raise FormatError(f"{self.path}: its header has no field {names[0]}")

    def flag(self, *names: str) -> bool:
        stated = [self.fields[name] for name in names if name in self.fields]
        return bool(stated) and stated[0].lower() in ("true", "1")


def _read_header(path: Path) -> _MetaHeader:
    with path.open("rb") as file:
        head = file.read(_LONGEST_HEADER)
    fields: dict[str, str] = {}
    at = 0
    while _LAST not in fields:
        end = head.find(b"\n", at)
        if end < 0:
            raise FormatError(f"{path}: not a MetaImage, or its header is cut off before {_LAST}")
        name, equals, value = head[at:end].decode("utf-8", "replace").partition("=")
        at = end + 1
        if not name.strip():
            continue
        if not equals or name.strip() in fields:
            problem = "states a field twice" if equals else "has a line without a field and its value"
            raise FormatError(f"{path}: its header {problem}: {name.strip()[:40]!a}")
        fields[name.strip()] = value.strip()
    return _MetaHeader(path, fields, at)


def _load_volume(content: VolumeBytes, spacing: Spacing | None, options: ReadOptions) -> Segmentation:
    return read_labels(content.labels(), options, spacing=spacing)


def _voxel_type(header: _MetaHeader) -> np.dtype[np.generic]:
    name = header.field("ElementType")
    if name not in _TYPES:
        raise LabelTypeError(f"{header.path}: voxels have type {name[:40]!a}; expected integers")
    big = header.flag("BinaryDataByteOrderMSB", "ElementByteOrderMSB")
    return np.dtype(_TYPES[name]).newbyteorder(">" if big else "<")


def _data_file(header: _MetaHeader) -> tuple[Path, int]:
    """Return the file that holds the elements, and where they start; other files must lie in the same folder."""
    name = header.fields[_LAST]
    if name.upper() == "LOCAL":
        return header.path, header.end
    if name.upper().startswith("LIST") or "%" in name:
        raise FormatError(f"{header.path}: its data are in several files; expected one")
    skip = integers(header.fields.get("HeaderSize", "0"), f"{header.path}: HeaderSize")[0]
    return file_inside(header.path.parent, name, f"{header.path}: the data file"), skip


def _spacing_and_place(header: _MetaHeader, shape: tuple[int, ...]) -> tuple[Spacing | None, GridAffine | None]:
    """Return the spacing in millimetres, and the position in space as far as it is stated."""
    fields, where, axes = header.fields, str(header.path), len(shape)
    if "ElementSpacing" not in fields and "ElementSize" not in fields:
        return None, None
    steps = checked_steps(
        floats(header.field("ElementSpacing", "ElementSize"), f"{where}: ElementSpacing", axes), where
    )
    matrix = header.fields.get("TransformMatrix", header.fields.get("Rotation", header.fields.get("Orientation")))
    offset = header.fields.get("Offset", header.fields.get("Position", header.fields.get("Origin")))
    spacing = Spacing(steps, "mm")
    if offset is None:
        return spacing, None
    unit = [float(row == column) for row in range(axes) for column in range(axes)]
    numbers = unit if matrix is None else floats(matrix, f"{where}: TransformMatrix", axes * axes)
    directions = [numbers[axis * axes : (axis + 1) * axes] for axis in range(axes)]
    if any(not math.isclose(math.hypot(*direction), 1, abs_tol=0.01) for direction in directions):
        raise FormatError(f"{where}: the directions of its axes do not have length 1")
    vectors = [tuple(step * part for part in direction) for step, direction in zip(steps, directions, strict=True)]
    return spacing, grid(shape, vectors, floats(offset, f"{where}: Offset", axes), _TO_THE_LEFT_AND_BACK)


def _files_beside(path: Path, _options: ReadOptions) -> list[Path]:
    return [_data_file(_read_header(path))[0]]


def _is_metaimage(_path: Path, head: bytes) -> bool:
    names = [line.partition(b"=")[0].strip() for line in head[:2000].splitlines()[:8]]
    return b"NDims" in names and (b"ObjectType" in names or b"DimSize" in names)


@reads(
    "metaimage",
    "a label volume of ITK; grids of both sides are compared, spacing comes from the header",
    (".mha", ".mhd"),
    sniff=_is_metaimage,
    options=LABEL_OPTIONS,
    lazy=True,
    beside=_files_beside,
)
def _read_metaimage(path: Path, options: ReadOptions) -> Iterator[Item]:
    header = _read_header(path)
    axes = integers(header.field("NDims"), f"{path}: NDims", 1)[0]
    shape = checked_shape(integers(header.field("DimSize"), f"{path}: DimSize"), axes, str(path))
    if header.fields.get("ElementNumberOfChannels", "1") != "1":
        raise FormatError(f"{path}: has several channels; expected one label per voxel")
    if header.fields.get("BinaryData", "True").lower() not in ("true", "1"):
        raise FormatError(f"{path}: its elements are written as text; expected binary data")
    options.check_size(shape, str(path))
    encoding = "zlib" if header.flag("CompressedData") else "raw"
    content = VolumeBytes(*_data_file(header), shape, _voxel_type(header), encoding)
    spacing, place = _spacing_and_place(header, shape)
    yield Item(path.stem, within(str(path), partial(_load_volume, content, spacing, options)), place=place)
