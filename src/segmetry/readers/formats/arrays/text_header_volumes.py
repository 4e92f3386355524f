"""Volumes behind a text header: NRRD (label maps of 3D Slicer among them) and MetaImage.

The header states type, sizes, encoding and the grid in space; the elements follow, first axis fastest, or are in a file
beside it. Slicer names its segments in fields such as ``Segment0_Name``, which become names of classes.

Files are read in pieces, so that a short file fails before memory is allocated, and one that unpacks to more is noticed
as soon as it does.
"""

from __future__ import annotations

import bz2
import gzip
import math
import re
import zlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.items import GridAffine, Item, check_label, file_inside, within
from segmetry.readers.label_reading import LABEL_OPTIONS, read_labels
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import Segmentation, Spacing, unit_symbol
from segmetry.storage import PlainFile

MOST_AXES = 8


def integers(text: str, what: str, least: int = 0) -> tuple[int, ...]:
    """Return integers separated by blanks."""
    words = text.split()
    if not words or not all(word.isascii() and word.isdecimal() and len(word) < 19 for word in words):
        raise FormatError(f"{what} is {text[:40]!a}; expected integers")
    numbers = tuple(map(int, words))
    if min(numbers) < least:
        raise FormatError(f"{what} is {text[:40]!a}; expected integers of at least {least}")
    return numbers


def floats(text: str, what: str, count: int) -> tuple[float, ...]:
    """Return finite numbers separated by blanks."""
    try:
        numbers = tuple(float(word) for word in text.split())
    except ValueError:
        numbers = (math.nan,)
    if not all(map(math.isfinite, numbers)) or len(numbers) != count:
        raise FormatError(f"{what} is {text[:60]!a}; expected {count} numbers")
    return numbers


def checked_steps(steps: Sequence[float], where: str) -> tuple[float, ...]:
    """Return the spacing of a volume: positive lengths."""
    if not all(0 < step < math.inf for step in steps):
        raise FormatError(f"{where}: declares voxels of size {tuple(steps)}; expected positive lengths")
    return tuple(steps)


def grid(
    shape: Sequence[int], vectors: Sequence[Sequence[float]], origin: Sequence[float], signs: Sequence[int]
) -> GridAffine | None:
    """Return the grid of an image from the vector of each axis and the first voxel; None beyond three axes.

    Coordinates are left to right, posterior to anterior, inferior to superior; ``signs`` are -1 for those that grow the
    other way.
    """
    if not 2 <= len(shape) <= 3 or len(origin) != len(shape):
        return None
    whole = (*shape, *(1,) * (3 - len(shape)))
    padded = [(*vector, *(0.0,) * (3 - len(vector))) for vector in vectors]
    padded += [(0.0, 0.0, 1.0)] * (3 - len(padded))
    start = (*origin, *(0.0,) * (3 - len(origin)))
    turn = (*signs, 1, 1)[:3]
    rows = tuple(
        tuple(turn[row] * value + 0.0 for value in (*(vector[row] for vector in padded), start[row]))
        for row in range(3)
    )
    return GridAffine(rows, whole)


_PIECE = 1 << 20
_UNPACKERS: Mapping[str, Callable[[], Any]] = {
    "raw": lambda: None,
    "gzip file": lambda: None,
    "gzip": lambda: zlib.decompressobj(wbits=31),
    "zlib": zlib.decompressobj,
    "bzip2": bz2.BZ2Decompressor,
}


@dataclass(frozen=True)
class VolumeBytes:
    """Where the elements of a volume are: in which file, from which byte, of which type, first axis fastest.

    ``encoding`` is that of the bytes from there on (raw, gzip, zlib, bzip2), or ``gzip file`` where the header, too, is
    compressed and ``offset`` counts unpacked bytes.
    """

    path: Path
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    encoding: str = "raw"

    @property
    def n_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def labels(self) -> NDArray[Any] | PlainFile:
        """Return the elements; those of a plain file are read in parts when they are needed."""
        if self.encoding == "raw" and self.path.stat().st_size == self.offset + self.n_bytes:
            return PlainFile(self.path, self.offset, self.shape, self.dtype, "F")
        try:
            opener: Any = gzip.open if self.encoding == "gzip file" else Path.open
            with opener(self.path, "rb") as file:
                file.seek(self.offset)
                content = self._unpacked_content(file)
        except (OSError, EOFError, zlib.error, ValueError, OverflowError) as problem:
            what = "NIfTI volume" if self.encoding == "gzip file" else f"{self.encoding} data"
            raise FormatError(f"{self.path}: damaged {what}: {problem}") from None
        if len(content) != self.n_bytes:
            size = "more" if len(content) > self.n_bytes else len(content)
            raise FormatError(f"{self.path}: its header needs {self.n_bytes} bytes of voxels; the file contains {size}")
        return np.frombuffer(content, dtype=self.dtype).reshape(self.shape, order="F")

    def _unpacked_content(self, file: IO[bytes]) -> bytearray:
        """Return the unpacked bytes, at most one more than the header declares."""
        content, unpacker = bytearray(), _UNPACKERS[self.encoding]()
        while len(content) <= self.n_bytes:
            most = self.n_bytes + 1 - len(content)
            piece = file.read(_PIECE if unpacker else min(_PIECE, most))
            if not piece:
                break
            content += piece if unpacker is None else b"" if unpacker.eof else unpacker.decompress(piece, most)
        if unpacker is not None and not unpacker.eof and len(content) <= self.n_bytes:
            raise EOFError("it is cut off")
        return content


_LONGEST_META_HEADER = 1 << 16  # ITK writes less than 1 kB
_META_TYPES = {
    "MET_CHAR": "i1", "MET_SHORT": "i2", "MET_INT": "i4", "MET_LONG_LONG": "i8", "MET_FLOAT": "f4",
    "MET_UCHAR": "u1", "MET_USHORT": "u2", "MET_UINT": "u4", "MET_ULONG_LONG": "u8", "MET_DOUBLE": "f8",
}  # fmt: skip
_LAST = "ElementDataFile"
_TO_THE_LEFT_AND_BACK = (-1, -1, 1)
"""Coordinates of ITK grow to the left, to the back, and up."""


@dataclass(frozen=True)
class TextHeader:
    """The fields of a header, where it ends, and the key-value pairs behind the fields of NRRD."""

    path: Path
    fields: dict[str, str]
    end: int
    pairs: dict[str, str] = field(default_factory=dict)

    def stated(self, *names: str) -> str | None:
        """Return the first of these fields that is there: the same field has several names."""
        return next((self.fields[name] for name in names if name in self.fields), None)

    def required(self, *names: str) -> str:
        """Return a field that must be there."""
        text = self.stated(*names)
        if text is None:
            raise FormatError(f"{self.path}: its header has no field {names[0]!r}")
        return text

    def dtype(self, name: str, types: Mapping[str, str]) -> np.dtype[np.generic]:
        """Return the type of the voxels, by its name in the header."""
        if name not in types:
            raise LabelTypeError(f"{self.path}: voxels have type {name[:40]!a}; expected integers")
        return np.dtype(types[name])

    def data_file(self, name: str | None, skip: int = 0) -> tuple[Path, int]:
        """Return the file of the elements, and where they start; a file of its own must lie in the same folder."""
        if name is None:
            return self.path, self.end
        if name.upper().startswith("LIST") or "%" in name:
            raise FormatError(f"{self.path}: its data are in several files; expected one")
        return file_inside(self.path.parent, name, f"{self.path}: the data file"), skip


def _read_meta_header(path: Path) -> TextHeader:
    with path.open("rb") as file:
        head = file.read(_LONGEST_META_HEADER)
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
    return TextHeader(path, fields, at)


def checked_shape(header: TextHeader, axes_field: str, sizes_field: str) -> tuple[int, ...]:
    """Return the shape of a volume: a size for each axis, none of them 0."""
    where = str(header.path)
    axes = integers(header.required(axes_field), f"{where}: {axes_field}", 1)[0]
    shape = integers(header.required(sizes_field), f"{where}: {sizes_field}")
    if len(shape) != axes or axes > MOST_AXES:
        raise FormatError(f"{where}: declares {axes} axes and sizes {shape[:MOST_AXES]}; expected a size for each")
    if 0 in shape:
        raise EmptyInputError(f"{where}: declares shape {shape}; expected at least one voxel")
    return shape


def _is_true(text: str | None) -> bool:
    return text is not None and text.lower() in ("true", "1")


def _meta_data_file(header: TextHeader) -> tuple[Path, int]:
    name, skip = header.fields[_LAST], header.fields.get("HeaderSize", "0")
    start = integers(skip, f"{header.path}: HeaderSize")[0] if name.upper() != "LOCAL" else 0
    return header.data_file(None if name.upper() == "LOCAL" else name, start)


def _meta_spacing_and_place(header: TextHeader, shape: tuple[int, ...]) -> tuple[Spacing | None, GridAffine | None]:
    """Return the spacing in millimetres, and the position in space as far as it is stated."""
    where, axes = str(header.path), len(shape)
    stated = header.stated("ElementSpacing", "ElementSize")
    if stated is None:
        return None, None
    steps = checked_steps(floats(stated, f"{where}: ElementSpacing", axes), where)
    matrix = header.stated("TransformMatrix", "Rotation", "Orientation")
    offset = header.stated("Offset", "Position", "Origin")
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
    beside=lambda path, _options: (_meta_data_file(_read_meta_header(path))[0],),
)
def _read_metaimage(path: Path, options: ReadOptions) -> Iterator[Item]:
    header = _read_meta_header(path)
    shape = checked_shape(header, "NDims", "DimSize")
    if header.fields.get("ElementNumberOfChannels", "1") != "1":
        raise FormatError(f"{path}: has several channels; expected one label per voxel")
    if header.fields.get("BinaryData", "True").lower() not in ("true", "1"):
        raise FormatError(f"{path}: its elements are written as text; expected binary data")
    options.check_size(shape, str(path))
    encoding = "zlib" if _is_true(header.stated("CompressedData")) else "raw"
    big = _is_true(header.stated("BinaryDataByteOrderMSB", "ElementByteOrderMSB"))
    dtype = header.dtype(header.required("ElementType"), _META_TYPES).newbyteorder(">" if big else "<")
    content = VolumeBytes(*_meta_data_file(header), shape, dtype, encoding)
    spacing, place = _meta_spacing_and_place(header, shape)
    yield Item(path.stem, within(str(path), partial(load_volume, content, spacing, options)), place=place)


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


def _read_nrrd_header(path: Path) -> TextHeader:
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
    return TextHeader(path, fields, end, pairs)


def load_volume(content: VolumeBytes, spacing: Spacing | None, options: ReadOptions) -> Segmentation:
    """Read the labels of a volume whose header has been checked."""
    if spacing is not None:
        checked_steps(spacing, str(content.path))
    return read_labels(content.labels(), options, spacing=spacing)


def _nrrd_data_file(header: TextHeader) -> tuple[Path, int]:
    skips = [header.fields.get(name, "0") for name in ("byte skip", "byteskip", "line skip", "lineskip")]
    if any(skip != "0" for skip in skips):
        raise FormatError(f"{header.path}: skips bytes or lines of its data; expected data from their beginning")
    return header.data_file(header.stated("data file", "datafile"))


def _check_kinds(header: TextHeader, axes: int) -> None:
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


def _nrrd_spacing_and_place(header: TextHeader, shape: tuple[int, ...]) -> tuple[Spacing | None, GridAffine | None]:
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


def _segment_names(header: TextHeader) -> dict[Hashable, str] | None:
    names: dict[Hashable, str] = {}
    for key, name in header.pairs.items():
        match = re.fullmatch(r"Segment(\d{1,9})_Name", key)
        label = header.pairs.get(f"Segment{match[1]}_LabelValue", "") if match else ""
        if label.isascii() and label.isdecimal() and len(label) < 19:
            names[int(label)] = check_label(name, f"{header.path}: the name of segment {label}")
    return names or None


@reads(
    "nrrd",
    "a label volume of 3D Slicer or ITK; grids of both sides are compared, spacing comes from the header",
    (".nrrd", ".nhdr"),
    signatures=(_MAGIC,),
    options=LABEL_OPTIONS,
    lazy=True,
    beside=lambda path, _options: (_nrrd_data_file(_read_nrrd_header(path))[0],),
)
def _read_nrrd(path: Path, options: ReadOptions) -> Iterator[Item]:
    header = _read_nrrd_header(path)
    shape = checked_shape(header, "dimension", "sizes")
    _check_kinds(header, len(shape))
    options.check_size(shape, str(path))
    encoding = header.required("encoding").lower()
    if encoding not in _ENCODINGS:
        raise FormatError(f"{path}: unsupported encoding {encoding[:40]!a} (supported: raw, gzip, bzip2)")
    data_file, start = _nrrd_data_file(header)
    dtype = header.dtype(header.required("type").lower(), _TYPES)
    order = header.fields.get("endian", "" if dtype.itemsize > 1 else "little").lower()
    if dtype.itemsize > 1 and order not in ("little", "big"):
        raise FormatError(f"{path}: its header has no field endian; expected little or big")
    dtype = dtype.newbyteorder("<" if order == "little" else ">")
    content = VolumeBytes(data_file, start, shape, dtype, _ENCODINGS[encoding])
    spacing, place = _nrrd_spacing_and_place(header, shape)
    load = partial(load_volume, content, spacing, options)
    name = path.name.removesuffix(path.suffix).removesuffix(".seg")
    yield Item(name, within(str(path), load), place=place, class_names=_segment_names(header))
