"""NRRD volumes (``.nrrd``, and ``.nhdr`` with a data file), label maps of 3D Slicer among them (``.seg.nrrd``).

A text header states type, sizes, encoding and the grid in space; the elements follow, first axis fastest. Slicer names
its segments in fields such as ``Segment0_Name``, which become names of classes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from segmetry.errors import FormatError, LabelTypeError
from segmetry.readers.items import GridAffine, Item, within
from segmetry.readers.label_options import LABEL_OPTIONS
from segmetry.readers.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import check_label, file_inside
from segmetry.readers.parts.volume_header import VolumeBytes, checked_shape, checked_steps, floats, grid, integers
from segmetry.readers.reader import reads
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.spacing import Spacing, unit_symbol

_MAGIC = b"NRRD000"
_LONGEST_HEADER = 1 << 20  # 3D Slicer writes about ten fields for each segment
_TYPES = {
    **dict.fromkeys(("signed char", "int8", "int8_t"), "i1"),
    **dict.fromkeys(("uchar", "unsigned char", "uint8", "uint8_t"), "u1"),
    **dict.fromkeys(("short", "short int", "signed short", "signed short int", "int16", "int16_t"), "i2"),
    **dict.fromkeys(("ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"), "u2"),
    **dict.fromkeys(("int", "signed int", "int32", "int32_t"), "i4"),
    **dict.fromkeys(("uint", "unsigned int", "uint32", "uint32_t"), "u4"),
    **dict.fromkeys(("longlong", "long long", "long long int", "signed long long", "int64", "int64_t"), "i8"),
    **dict.fromkeys(("ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"), "u8"),
    "float": "f4",
    "double": "f8",
}
_ENCODINGS = {"raw": "raw", "gzip": "gzip", "gz": "gzip", "bzip2": "bzip2", "bz2": "bzip2"}
_GROWS_LEFT = {"left": -1, "right": 1, "posterior": -1, "anterior": 1, "superior": 1, "inferior": -1}
_VECTOR = re.compile(r"\(([^()]*)\)|none")


@dataclass(frozen=True)
class _NrrdHeader:
    """The fields of a header in lower case, the key-value pairs behind them, and where the header ends."""

    path: Path
    fields: dict[str, str]
    pairs: dict[str, str]
    end: int

    def field(self, name: str) -> str:
        try:
            return self.fields[name]
        except KeyError:
            raise FormatError(f"{self.path}: its header has no field {name!r}") from None


def _read_header(path: Path) -> _NrrdHeader:
    with path.open("rb") as file:
        head = file.read(_LONGEST_HEADER)
    end = min((at + len(gap) for gap in (b"\n\n", b"\r\n\r\n") if (at := head.find(gap)) >= 0), default=len(head))
    lines = head[:end].decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].startswith("NRRD000") or (end == len(head) == _LONGEST_HEADER):
        raise FormatError(f"{path}: not a NRRD volume, or its header is cut off")
    fields: dict[str, str] = {}
    pairs: dict[str, str] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, value = line.partition(":")
        if not colon:
            raise FormatError(f"{path}, line {number} of its header: {line[:40]!a}; expected a field and its value")
        target, key = (pairs, name) if value.startswith("=") else (fields, name.strip().lower())
        if key in target:
            raise FormatError(f"{path}: its header states {key[:40]!a} twice")
        target[key] = value.removeprefix("=").strip()
    return _NrrdHeader(path, fields, pairs, end)


def _load_volume(content: VolumeBytes, spacing: Spacing | None, options: ReadOptions) -> Segmentation:
    return read_labels(content.labels(), options, spacing=spacing)


def _voxel_type(header: _NrrdHeader) -> np.dtype[np.generic]:
    name = header.field("type").lower()
    if name not in _TYPES:
        raise LabelTypeError(f"{header.path}: voxels have type {name[:40]!a}; expected integers")
    dtype = np.dtype(_TYPES[name])
    order = header.fields.get("endian", "little").lower()
    if dtype.itemsize > 1 and ("endian" not in header.fields or order not in ("little", "big")):
        raise FormatError(f"{header.path}: its header has no field endian; expected little or big")
    return dtype.newbyteorder("<" if order == "little" else ">")


def _data_encoding(header: _NrrdHeader) -> str:
    name = header.field("encoding").lower()
    if name not in _ENCODINGS:
        raise FormatError(f"{header.path}: unsupported encoding {name[:40]!a} (supported: raw, gzip, bzip2)")
    return _ENCODINGS[name]


def _data_file(header: _NrrdHeader) -> tuple[Path, int]:
    """Return the file that holds the elements, and where they start; other files must lie in the same folder."""
    skips = [header.fields.get(name, "0") for name in ("byte skip", "byteskip", "line skip", "lineskip")]
    if any(skip != "0" for skip in skips):
        raise FormatError(f"{header.path}: skips bytes or lines of its data; expected data from their beginning")
    name = header.fields.get("data file", header.fields.get("datafile"))
    if name is None:
        return header.path, header.end
    if name.upper().startswith("LIST") or "%" in name:
        raise FormatError(f"{header.path}: its data are in several files; expected one")
    return file_inside(header.path.parent, name, f"{header.path}: the data file"), 0


def _check_kinds(header: _NrrdHeader, axes: int) -> None:
    """Raise if an axis is not of space: layers of segments, colours, time."""
    kinds = header.fields.get("kinds", "").split()
    other = [kind for kind in kinds if kind.lower() not in ("domain", "space", "none", "???")]
    if other:
        raise FormatError(
            f"{header.path}: has an axis of kind {other[0][:40]!a} beside those of space, such as layers of segments; "
            "expected one label map"
        )
    if axes > 3 and "space directions" in header.fields:
        raise FormatError(f"{header.path}: has {axes} axes; expected at most 3 in space")


def _spacing_and_place(header: _NrrdHeader, shape: tuple[int, ...]) -> tuple[Spacing | None, GridAffine | None]:
    """Return the spacing and the position in space, as far as they are stated."""
    fields, where, axes = header.fields, str(header.path), len(shape)
    if "space directions" not in fields:
        if "spacings" not in fields:
            return None, None
        return Spacing(checked_steps(floats(fields["spacings"], f"{where}: spacings", axes), where), None), None
    vectors = _parse_vectors(fields["space directions"], f"{where}: space directions")
    steps = checked_steps([math.hypot(*vector) for vector in vectors], where)
    if len(vectors) != axes:
        raise FormatError(f"{where}: has {axes} axes, but {len(vectors)} space directions")
    signs = _axis_signs(fields.get("space", ""))
    units = re.findall(r'"([^"]*)"', fields.get("space units", ""))
    unit = unit_symbol(units[0]) if units else "mm" if signs else None
    origin = _parse_vectors(fields.get("space origin", "none"), f"{where}: space origin")
    place = grid(shape, vectors, origin[0], signs) if signs and origin else None
    return Spacing(steps, unit), place


def _parse_vectors(text: str, what: str) -> list[tuple[float, ...]]:
    found = [match[1] for match in _VECTOR.finditer(text) if match[1] is not None]
    widths = {len(vector.split(",")) for vector in found}
    if len(widths) > 1 or max(widths, default=0) > 3:
        raise FormatError(f"{what} is {text[:60]!a}; expected vectors such as (1,0,0) (0,1,0) (0,0,1)")
    return [floats(vector.replace(",", " "), what, max(widths)) for vector in found]


def _axis_signs(space: str) -> tuple[int, ...]:
    """Return for each coordinate whether it grows to the left, back or down; empty for a space without a body."""
    words = {"RAS": "right-anterior-superior", "LAS": "left-anterior-superior", "LPS": "left-posterior-superior"}
    names = words.get(space.strip().upper(), space.strip().lower()).split("-")
    return tuple(_GROWS_LEFT[name] for name in names) if all(name in _GROWS_LEFT for name in names) else ()


def _segment_names(header: _NrrdHeader) -> dict[Hashable, str] | None:
    """Return the names that 3D Slicer gives to labels."""
    names: dict[Hashable, str] = {}
    for key, name in header.pairs.items():
        match = re.fullmatch(r"Segment(\d{1,9})_Name", key)
        label = header.pairs.get(f"Segment{match[1]}_LabelValue", "") if match else ""
        if label.isascii() and label.isdecimal() and len(label) < 19:
            names[int(label)] = check_label(name, f"{header.path}: the name of segment {label}")
    return names or None


def _files_beside(path: Path, _options: ReadOptions) -> list[Path]:
    return [_data_file(_read_header(path))[0]]


@reads(
    "nrrd",
    "a label volume of 3D Slicer or ITK; grids of both sides are compared, spacing comes from the header",
    (".nrrd", ".nhdr"),
    signatures=(_MAGIC,),
    options=LABEL_OPTIONS,
    lazy=True,
    beside=_files_beside,
)
def _read_nrrd(path: Path, options: ReadOptions) -> Iterator[Item]:
    header = _read_header(path)
    axes = integers(header.field("dimension"), f"{path}: dimension", 1)[0]
    shape = checked_shape(integers(header.field("sizes"), f"{path}: sizes"), axes, str(path))
    _check_kinds(header, axes)
    options.check_size(shape, str(path))
    content = VolumeBytes(*_data_file(header), shape, _voxel_type(header), _data_encoding(header))
    spacing, place = _spacing_and_place(header, shape)
    load = partial(_load_volume, content, spacing, options)
    name = path.name.removesuffix(path.suffix).removesuffix(".seg")
    yield Item(name, within(str(path), load), place=place, class_names=_segment_names(header))
