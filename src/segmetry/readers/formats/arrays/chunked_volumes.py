"""Zarr and N5: volumes cut into chunks, in untrusted folders.

Zarr: one label array, or the labels of an OME-Zarr image, one item each at full resolution.

A folder is an array, a label image (its metadata name ``multiscales``), a group that names ``labels``, or an image with
such a group in its folder ``labels``. The scale of a label image becomes its spacing.

N5: one data set of labels, or the finest scale ``s0`` of a group; x, y, z in the file is z, y, x here.

A block has big-endian elements, the first axis fastest, after a header with its own size. [N5 specification, version 4]

Blocks are decoded here, not by tensorstore; docs/decisions/decoders.md says why.

By the rules of such formats an absent chunk is full of the fill value, and writers leave out chunks that contain
nothing else. A lost chunk looks the same. So an absent chunk is accepted if its fill value is outside or void, and is
an error if it would become a segment; with ``--missing-chunks refuse`` it is always an error.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field as dataclass_field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from segmetry._base import field, lengths_field, list_field, translate_errors
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.isolated_reading import isolated_array
from segmetry.readers.items import Item, check_name, file_inside, is_plain_file, within
from segmetry.readers.label_reading import ARRAY, CREMI_LABELS, LABEL_OPTIONS, is_ignored, read_labels
from segmetry.readers.parts.text_file import load_json
from segmetry.readers.reader import Choice, Option, ReadOptions, reads
from segmetry.readers.source import REMOTE
from segmetry.segmentation import Segmentation, Spacing, unit_symbol
from segmetry.storage import Buffer, ChunkGrid, Region, ZarrChunks, decompressed, is_remote, overlapped, parse_metadata

MISSING_CHUNKS: Option[str] = Option(
    "missing_chunks",
    "Zarr, N5, precomputed: whether a chunk that is not in the store may be empty (fill, the default) or is an error "
    "(refuse).",
    Choice(("fill", "refuse")),
    "fill",
)


@dataclass(frozen=True, eq=False)
class ChunkedFolder(ChunkGrid):
    """A volume in an untrusted folder; its options say which labels are outside or void, for absent chunks."""

    noun: ClassVar[str] = "chunk"
    folder: Path
    options: ReadOptions
    plain_folders: set[str] = dataclass_field(default_factory=set, repr=False, kw_only=True)
    """Those of its folders that are known not to be links: each is checked once, not for every chunk."""

    @property
    def fill(self) -> Any:
        """The value of absent chunks."""
        return 0

    def file_of(self, name: str) -> Path | None:
        """Return the file of a chunk or shard; None if it is absent. A link out of the folder is an error."""
        if not is_remote(self.folder) and is_plain_file(self.folder, name, self.plain_folders):
            return self.folder / name
        return file_inside(self.folder, name, f"the {self.noun}") if (self.folder / name).exists() else None

    def file_names(self, place: tuple[int, ...]) -> tuple[str, ...]:
        """Return the names of the files that may contain a chunk."""
        return (self.name_of(place),)

    def files(self, box: Region) -> Iterable[Path]:
        places = [place for place, _ in overlapped(box, self.chunks)]
        return [self.folder / name for place in places for name in self.file_names(place)]

    def fill_of(self, name: str) -> Any:
        return fill_of_absent(self.fill, f"{self.folder}: the {self.noun} {name}", self.options)

    def shape_of(self, place: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of a chunk, which is shorter at the end of an axis."""
        return tuple(min(step, n - at * step) for at, step, n in zip(place, self.chunks, self.shape, strict=True))


def load_metadata(folder: Path, name: str) -> dict[str, Any] | None:
    """Return the object in a metadata file; None if there is none. A link out of the folder is an error."""
    if not (folder / name).is_file():
        return None
    return as_object(load_json(file_inside(folder, name, "the metadata")), folder / name)


MOST_SMALL_CHUNKS, SMALL_CHUNK = 10**6, 2**12
"""Limit on the number of small chunks: each costs more than its elements, so more are treated as an attack."""


def check_grid(shape: tuple[int, ...], chunks: tuple[int, ...], folder: Path, options: ReadOptions) -> None:
    """Raise an error for an array or a chunk above the budget, and for too many small chunks."""
    options.check_size(shape, str(folder))
    options.check_size(chunks, f"{folder}, one chunk")
    count = math.prod(-(-length // step) for length, step in zip(shape, chunks, strict=True))
    if count > MOST_SMALL_CHUNKS and math.prod(chunks) < SMALL_CHUNK:
        raise FormatError(
            f"{folder}: {count} chunks of {chunks}; expected at most {MOST_SMALL_CHUNKS} as small as these"
        )


def fill_of_absent(fill: Any, chunk: str, options: ReadOptions) -> Any:
    """Return the fill value of an absent chunk; a fill value that is a segment is an error."""
    if fill is None:
        raise FormatError(f"{chunk} is missing from the store, and no fill value says what it contains")
    if options[MISSING_CHUNKS] == "refuse":
        raise FormatError(
            f"{chunk} is missing from the store; restore it, or read missing chunks as full of the fill value, {fill} "
            "(--missing-chunks fill)"
        )
    if not is_ignored(fill, options):
        raise FormatError(
            f"{chunk} is missing from the store, which would make its elements {fill}, a segment; restore it, or "
            "declare that label outside or void (--outside, --void)"
        )
    return fill


def as_object(value: Any, where: object) -> dict[str, Any]:
    """Return an object of metadata; anything else is an error."""
    if not isinstance(value, dict):
        raise FormatError(f"{where}: {str(value)[:40]!a}; expected an object")
    return value


def spacing_field(data: Any, name: str, n_axes: int, unit: Any, where: str) -> Spacing:
    """Return the size of an element along each axis, last axis of the file first."""
    steps = list_field(data, name, where)
    right = all(isinstance(step, int | float) and not isinstance(step, bool) and 0 < step < 1e300 for step in steps)
    if not right or len(steps) != n_axes:
        raise FormatError(f"{where}: {name} is {str(steps)[:40]!a}; expected {n_axes} positive numbers")
    return Spacing([float(step) for step in reversed(steps)], unit_symbol(str(unit)) if unit else None)


ATTRIBUTES = "attributes.json"
FINEST = "s0"
_TYPES = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)) | {"float32", "float64"}
COMPRESSORS = {
    "raw": None, "gzip": "gzip", "bzip2": "bz2", "xz": "lzma", "zstd": "zstd", "blosc": "blosc", "lz4": "lz4 blocks"
}  # fmt: skip
"""Our compressors by their names in N5."""
_LZ4_MAGIC = b"LZ4Block"
_LZ4_HEADER = 21


@dataclass(frozen=True, eq=False)
class N5Folder(ChunkedFolder):
    """A data set of N5; ``compressor`` is one of :data:`COMPRESSORS`."""

    noun = "block"
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: np.dtype[Any]
    compressor: str

    def name_of(self, place: tuple[int, ...]) -> str:
        """Return the path of a block inside the data set: one folder for each axis, x first."""
        return "/".join(str(at) for at in reversed(place))

    def part(self, place: tuple[int, ...], box: Region) -> NDArray[Any] | None:
        file = self.file_of(self.name_of(place))
        if file is None:
            return None
        expected = self.shape_of(place)
        with translate_errors(file, "block"):
            shape, body = self._block_header(file.read_bytes(), str(file))
            # Some writers store whole blocks at the end of an axis, with elements behind it that are not used.
            if any(not least <= n <= most for n, least, most in zip(shape, expected, self.chunks, strict=True)):
                raise FormatError(f"{file}: a block of {shape}; expected {expected}")
            n_bytes = math.prod(shape) * self.dtype.itemsize
            own = COMPRESSORS[self.compressor]
            if own == "lz4 blocks":
                plain: Buffer = _lz4_blocks(body, n_bytes, str(file))
            else:
                plain = body if own is None else decompressed(body, own, n_bytes, str(file))
            if len(plain) != n_bytes:
                raise FormatError(f"{file}: {len(plain)} bytes of elements; expected {n_bytes}")
            return np.frombuffer(plain, dtype=self.dtype.newbyteorder(">")).reshape(shape)[box].astype(self.dtype)

    def _block_header(self, content: bytes, where: str) -> tuple[tuple[int, ...], bytes]:
        """Return the shape of a block, in our order of axes, and what follows its header."""
        ndim = len(self.shape)
        length = 4 + 4 * ndim
        if len(content) < length:
            raise FormatError(f"{where}: {len(content)} bytes are less than the header of a block: it is cut off")
        mode, axes = struct.unpack(">HH", content[:4])
        if mode != 0 or axes != ndim:
            raise FormatError(f"{where}: a block of mode {mode} with {axes} axes; expected mode 0 with {ndim}")
        return struct.unpack(f">{ndim}I", content[4:length])[::-1], content[length:]


def _lz4_blocks(body: bytes, n_bytes: int, where: str) -> bytes:
    """Decompress the stream of lz4-java: a magic word, a token, both sizes and a checksum before every block."""
    parts, at, total = list[bytes](), 0, 0
    while total < n_bytes:
        head = body[at : at + _LZ4_HEADER]
        if len(head) < _LZ4_HEADER or not head.startswith(_LZ4_MAGIC):
            raise FormatError(f"{where}: the chunk is cut off, or not a stream of LZ4 blocks")
        packed, plain = struct.unpack("<II", head[9:17])
        block = body[at + _LZ4_HEADER : at + _LZ4_HEADER + packed]
        if len(block) != packed or not 0 < plain <= n_bytes - total:
            raise FormatError(f"{where}: an LZ4 block declares {packed} bytes for {plain}")
        is_stored = head[8] & 0xF0 == 0x10  # the method is in the upper half of the token; 0x20 is LZ4
        sized = plain.to_bytes(4, "little") + block
        parts.append(block if is_stored else bytes(decompressed(sized, "lz4", plain, where)))
        at, total = at + _LZ4_HEADER + packed, total + plain
    return b"".join(parts)


def _labels_inside(path: Path, options: ReadOptions, *marks: str) -> Path | None:
    """Return the folder in a group that is read: the one that is stated, else the labels of the CREMI layout."""
    stated = options[ARRAY]
    if stated is not None:
        return _inner_folder(path, stated.strip("/"))
    has_labels = any((path / CREMI_LABELS / mark).is_file() for mark in marks)
    return _inner_folder(path, CREMI_LABELS) if has_labels else None


def _load_n5(folder: Path, options: ReadOptions) -> Segmentation:
    attributes, where = load_metadata(folder, ATTRIBUTES) or {}, str(folder / ATTRIBUTES)
    shape = lengths_field(attributes, "dimensions", where)
    chunks = lengths_field(attributes, "blockSize", where)
    if not shape or len(shape) != len(chunks) or len(shape) > 32:
        raise FormatError(f"{where}: dimensions {shape} in blocks of {chunks}; expected as many axes in both")
    if 0 in shape or 0 in chunks:
        raise EmptyInputError(f"{where}: dimensions {shape} in blocks of {chunks}; expected at least one element")
    kind = field(attributes, "dataType", where)
    if not isinstance(kind, str) or kind not in _TYPES:
        raise LabelTypeError(f"{where}: dataType is {str(kind)[:40]!a}; expected integers")
    blocks = N5Folder(folder, options, shape[::-1], chunks[::-1], np.dtype(kind), _compressor_name(attributes, where))
    check_grid(blocks.shape, blocks.chunks, folder, options)
    # None of 240,000 damaged chunks of Blosc crashed behind the check of their headers (SECURITY.md), but more than the
    # header is trusted by the decoder: it stays in a child process.
    array = isolated_array(blocks, folder, options) if blocks.compressor == "blosc" else blocks
    return read_labels(array, options, spacing=_voxel_size(attributes, len(shape), where))


def _compressor_name(attributes: dict[str, Any], where: str) -> str:
    if "compression" in attributes:
        name = field(attributes["compression"], "type", where)
    else:  # the first version of the format
        name = field(attributes, "compressionType", where)
    if not isinstance(name, str) or name not in COMPRESSORS:
        raise FormatError(f"{where}: unsupported compression {str(name)[:40]!a} (supported: {', '.join(COMPRESSORS)})")
    return name


def _voxel_size(attributes: dict[str, Any], n_axes: int, where: str) -> Spacing | None:
    """Return the size of a voxel: ``pixelResolution`` of N5 viewers, or ``resolution`` with ``units``."""
    pixel = attributes.get("pixelResolution")
    if isinstance(pixel, dict):
        return spacing_field(pixel, "dimensions", n_axes, pixel.get("unit"), where)
    if pixel is not None:
        return spacing_field(attributes, "pixelResolution", n_axes, None, where)
    if "resolution" not in attributes:
        return None
    units = attributes.get("units")
    unit = units[0] if isinstance(units, list) and len(set(map(str, units))) == 1 else None
    return spacing_field(attributes, "resolution", n_axes, unit, where)


def _is_data_set(folder: Path) -> bool:
    return (folder / ATTRIBUTES).is_file() and "dimensions" in (load_metadata(folder, ATTRIBUTES) or {})


@reads(
    "n5",
    "a data set of labels in N5, or the scale s0 of a group",
    (".n5/",),
    sniff=lambda path, _head: (
        path.is_dir() and any((path / name).is_file() for name in (ATTRIBUTES, f"{FINEST}/{ATTRIBUTES}"))
    ),
    extra="zarr for zstd, Blosc and LZ4",
    options=(*LABEL_OPTIONS, ARRAY, MISSING_CHUNKS, REMOTE),
    lazy=True,
    remote=True,
)
def _read_n5(path: Path, options: ReadOptions) -> Iterator[Item]:
    group = _labels_inside(path, options, ATTRIBUTES) or path
    folder = group if _is_data_set(group) else group / FINEST
    if not _is_data_set(folder):
        raise FormatError(
            f"{group}: an N5 group without a data set {FINEST}; expected the folder of a data set, in which "
            f"{ATTRIBUTES} declares dimensions; {ARRAY.flag_of(options.side)} names one inside"
        )
    yield Item(path.name.removesuffix(".n5"), within(str(path), partial(_load_n5, folder, options)))


@dataclass(frozen=True, eq=False)
class ZarrFolder(ChunkedFolder, ZarrChunks):
    """A zarr array in an untrusted folder."""

    @property
    def fill(self) -> Any:
        return self.metadata.fill

    @classmethod
    def of(cls, folder: Path, options: ReadOptions) -> ZarrFolder:
        """Return the array in a folder; only its metadata are read."""
        for name in ("zarr.json", ".zarray"):
            if (document := load_metadata(folder, name)) is not None:
                metadata = parse_metadata(document, folder, name)
                check_grid(metadata.shape, metadata.chunks, folder, options)
                return cls(metadata, folder, options)
        raise FormatError(f"{folder}: not a zarr array: contains neither zarr.json nor .zarray")


_MARKS = ("zarr.json", ".zarray", ".zgroup")


def _finest_scale(name: str, root: Path, folder: Path, options: ReadOptions, *, named: bool) -> Item:
    where = str(folder)
    scales = list_field(_group_attributes(folder), "multiscales", where)
    levels = list_field(scales[0] if scales else None, "datasets", where)
    if not levels:
        raise FormatError(f"{where}: multiscales name no dataset")
    inner = _inner_folder(folder, field(levels[0], "path", where))
    return _lazy_item(name, root, inner, _scale_of(levels[0], scales[0], where), options, named=named)


def _lazy_item(
    name: str, root: Path, folder: Path, spacing: Spacing | None, options: ReadOptions, *, named: bool
) -> Item:
    return Item(name, within(str(root), partial(_load_labels, folder, spacing, options)), named=named)


def _load_labels(folder: Path, spacing: Spacing | None, options: ReadOptions) -> Segmentation:
    array = ZarrFolder.of(folder, options)
    uses_blosc = any(step.name == "blosc" for step in array.metadata.steps)
    return read_labels(isolated_array(array, folder, options) if uses_blosc else array, options, spacing=spacing)


def _scale_of(level: Any, scales: Any, where: str) -> Spacing | None:
    """Return the scale of a resolution, and the unit of the axes of space if they have the same."""
    stated = level.get("coordinateTransformations")
    for change in [] if stated is None else list_field(level, "coordinateTransformations", where):
        if field(change, "type", where) == "scale":
            scale = list_field(change, "scale", where)
            if not all(isinstance(step, int | float) and 0 < step < 1e300 for step in scale):
                raise FormatError(f"{where}: scale is {str(scale)[:40]!a}; expected positive numbers")
            axes = scales.get("axes") if isinstance(scales, dict) else None
            named = [axis for axis in axes if isinstance(axis, dict)] if isinstance(axes, list) else []
            units = {unit_symbol(str(axis.get("unit", ""))) for axis in named if axis.get("type") == "space"}
            return Spacing([float(step) for step in scale], units.pop() if len(units) == 1 else None)
    return None


def _group_attributes(folder: Path) -> dict[str, Any]:
    version_3, version_2 = (load_metadata(folder, name) for name in ("zarr.json", ".zattrs"))
    if version_3 is not None:
        where = folder / "zarr.json"
        attributes = as_object(version_3.get("attributes", {}), where)
        return as_object(attributes.get("ome", attributes), where)
    return version_2 or {}


def _inner_folder(folder: Path, name: Any) -> Path:
    """Return a folder named by metadata, which must be inside ``folder``."""
    if not isinstance(name, str):
        raise FormatError(f"{folder}: {str(name)[:40]!a} is not the name of a folder")
    inner = folder / check_name(name, f"{folder}: the name of a folder")
    if not inner.is_dir() or not inner.resolve().is_relative_to(folder.resolve()):
        raise FormatError(f"{folder}: {name[:80]!a} is not a folder inside it")
    return inner


def _is_array(folder: Path) -> bool:
    document = load_metadata(folder, "zarr.json")
    if document is not None:
        return bool(document.get("node_type") == "array")
    return (folder / ".zarray").is_file()


def _is_group(folder: Path) -> bool:
    return any((folder / mark).is_file() for mark in _MARKS)


@reads(
    "zarr",
    "a zarr label array, or the labels of an OME-Zarr image",
    (".zarr/",),
    sniff=lambda path, _head: path.is_dir() and _is_group(path),
    extra="zarr for zstd and Blosc",
    options=(*LABEL_OPTIONS, ARRAY, MISSING_CHUNKS, REMOTE),
    lazy=True,
    remote=True,
)
def _read_zarr(path: Path, options: ReadOptions) -> Iterator[Item]:
    name = path.name.removesuffix(".zarr").removesuffix(".ome")
    if _is_array(path):
        yield _lazy_item(name, path, path, None, options, named=False)
        return
    inside = _labels_inside(path, options, *_MARKS[:2])
    if inside is not None and _is_array(inside):
        yield _lazy_item(name, path, inside, None, options, named=False)
        return
    if inside is not None:
        yield _finest_scale(name, path, inside, options, named=False)
        return
    attributes = _group_attributes(path)
    if "labels" not in attributes and _is_group(path / "labels"):
        labels_path = _inner_folder(path, "labels")
        attributes = _group_attributes(labels_path)
    else:
        labels_path = path
    if "labels" in attributes:
        labels = list_field(attributes, "labels", str(labels_path))
        if len({str(label) for label in labels}) < len(labels):  # each would be read again
            raise FormatError(f"{labels_path}: labels name a label image twice; expected each once")
        for label in labels:
            folder = _inner_folder(labels_path, label)
            yield _finest_scale(str(label), path, folder, options, named=True)
    elif "multiscales" in attributes:
        yield _finest_scale(name, path, path, options, named=False)
    else:
        raise FormatError(
            f"{path}: a zarr group without labels; expected an array or the labels of an OME-Zarr image; "
            f"{ARRAY.flag_of(options.side)} names an array inside"
        )
