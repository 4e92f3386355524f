"""N5: one data set of labels, or the finest scale ``s0`` of a group; x, y, z in the file is z, y, x here.

A block has big-endian elements, the first axis fastest, after a header with its own size. [N5 specification, version 4]

Blocks are decoded here: tensorstore reads neither LZ4 nor the first version of the format, and follows links out of the
folder.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.json_fields import field, list_field
from segmetry._base.optional import translate_errors
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.isolation.isolated_reading import isolated_array
from segmetry.readers.items import Item, within
from segmetry.readers.label_options import LABEL_OPTIONS
from segmetry.readers.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.chunked_folders import (
    MISSING_CHUNKS,
    ChunkedFolder,
    check_grid,
    lengths_field,
    load_metadata,
    spacing_field,
)
from segmetry.readers.reader import reads
from segmetry.readers.source import REMOTE
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.spacing import Spacing
from segmetry.storage.decompression import Buffer, decompressed
from segmetry.storage.stored_arrays import Region

ATTRIBUTES = "attributes.json"
FINEST = "s0"
_TYPES = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)) | {"float32", "float64"}
COMPRESSORS = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma", "zstd": "zstd", "blosc": "blosc", "lz4": "lz4 blocks"}
"""Compressors of N5 by the names of ours; ``raw`` is none."""
_LZ4_MAGIC = b"LZ4Block"
_LZ4_HEADER = 21


@dataclass(frozen=True, eq=False)
class N5Folder(ChunkedFolder):
    """A data set of N5; ``compressor`` is one of :data:`COMPRESSORS`, or None."""

    noun = "block"
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: np.dtype[Any]
    compressor: str | None

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
            plain = _decompressed_block(body, self.compressor, n_bytes, str(file))
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


def _decompressed_block(body: bytes, compressor: str | None, n_bytes: int, where: str) -> Buffer:
    if compressor is None:
        return body
    own = COMPRESSORS[compressor]
    return _lz4_blocks(body, n_bytes, where) if own == "lz4 blocks" else decompressed(body, own, n_bytes, where)


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


def _load_labels(folder: Path, options: ReadOptions) -> Segmentation:
    attributes, where = load_metadata(folder, ATTRIBUTES), str(folder / ATTRIBUTES)
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
    array = isolated_array(blocks, folder, options) if blocks.compressor == "blosc" else blocks
    return read_labels(array, options, spacing=_voxel_size(attributes, len(shape), where))


def _compressor_name(attributes: Any, where: str) -> str | None:
    if "compression" in attributes:
        name = field(attributes["compression"], "type", where)
    else:  # the first version of the format
        name = field(attributes, "compressionType", where)
    if not isinstance(name, str) or (name != "raw" and name not in COMPRESSORS):
        raise FormatError(
            f"{where}: unsupported compression {str(name)[:40]!a} (supported: raw, {', '.join(COMPRESSORS)})"
        )
    return None if name == "raw" else name


def _voxel_size(attributes: Any, n_axes: int, where: str) -> Spacing | None:
    """Return the size of a voxel: ``pixelResolution`` of N5 viewers, or ``resolution`` with ``units``."""
    pixel = attributes.get("pixelResolution")
    if isinstance(pixel, dict):
        return spacing_field(pixel, "dimensions", n_axes, pixel.get("unit"), where)
    if pixel is not None:
        return spacing_field(attributes, "pixelResolution", n_axes, None, where)
    if "resolution" not in attributes:
        return None
    units = attributes.get("units")
    unit = (
        list_field(attributes, "units", where)[0]
        if isinstance(units, list) and len(set(map(str, units))) == 1
        else None
    )
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
    options=(*LABEL_OPTIONS, MISSING_CHUNKS, REMOTE),
    lazy=True,
    remote=True,
)
def _read_n5(path: Path, options: ReadOptions) -> Iterator[Item]:
    folder = path if _is_data_set(path) else path / FINEST
    if not _is_data_set(folder):
        raise FormatError(
            f"{path}: an N5 group without a data set {FINEST}; expected the folder of a data set, in which "
            f"{ATTRIBUTES} declares dimensions"
        )
    yield Item(path.name.removesuffix(".n5"), within(str(path), partial(_load_labels, folder, options)))
