"""Neuroglancer's precomputed volumes: the finest scale of a segmentation; x, y, z in the file is z, y, x here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from segmetry._base.json_fields import field, integer_field, list_field
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.chunked.absent_chunks import MISSING_CHUNKS, check_grid, fill_of_absent
from segmetry.readers.chunked.axis_lengths import lengths_field, spacing_field
from segmetry.readers.chunked.zarr_folder import load_metadata
from segmetry.readers.items import Item, within
from segmetry.readers.labels.label_options import LABEL_OPTIONS
from segmetry.readers.labels.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import check_name, file_inside
from segmetry.readers.reader import Reader, declare_reader
from segmetry.readers.remote_inputs import REMOTE
from segmetry.segmentation.base import Segmentation
from segmetry.storage.chunk_grid import overlapped
from segmetry.storage.precomputed_chunks import PrecomputedChunks
from segmetry.storage.precomputed_shards import ENCODINGS, HASHES, Sharding
from segmetry.storage.stored_arrays import Region

INFO = "info"
_TYPES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32")
_PACKED_TYPES = ("uint32", "uint64")
_ENCODINGS = ("raw", "compressed_segmentation")


@dataclass(frozen=True, eq=False)
class PrecomputedFolder(PrecomputedChunks):
    """One scale in an untrusted folder; the names of its chunks begin with ``key``."""

    folder: Path
    key: str
    options: ReadOptions

    def file_of(self, name: str) -> Path | None:
        inside = f"{self.key}/{name}"
        return file_inside(self.folder, inside, "the chunk") if (self.folder / inside).is_file() else None

    def files(self, box: Region) -> Iterable[Path]:
        places = [place for place, _ in overlapped(box, self.chunks)]
        return [self.folder / f"{self.key}/{name}" for place in places for name in self.file_names(place)]

    def fill_of(self, place: tuple[int, ...]) -> Any:
        return fill_of_absent(0, f"{self.folder}: the chunk {self.key}/{self.name_of(place)}", self.options)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    yield Item(path.name.removesuffix(".precomputed"), within(str(path), partial(_labels, path, options)))


def _labels(folder: Path, options: ReadOptions) -> Segmentation:
    info, where = load_metadata(folder, INFO), str(folder / INFO)
    kind = field(info, "data_type", where)
    if not isinstance(kind, str) or kind not in _TYPES:
        raise LabelTypeError(f"{where}: data_type is {str(kind)[:40]!a}; expected integers")
    if integer_field(info, "num_channels", where) != 1:
        raise FormatError(f"{where}: {info['num_channels']} channels; expected one, as a segmentation has")
    scales = list_field(info, "scales", where)
    if not scales:
        raise FormatError(f"{where}: scales are empty; expected at least one")
    scale = scales[0]
    shape, chunks = lengths_field(scale, "size", where), _chunk_size(scale, where)
    if 0 in shape or 0 in chunks:
        raise EmptyInputError(f"{where}: size {shape} in chunks of {chunks}; expected at least one element")
    if len(shape) != 3 or len(chunks) != 3:
        raise FormatError(f"{where}: size {shape} in chunks of {chunks}; expected x, y and z")
    stored = PrecomputedFolder(
        shape[::-1],
        chunks[::-1],
        np.dtype(kind).newbyteorder("<"),
        _offset(scale, where),
        _block(scale, str(kind), where),
        _sharding(scale, where),
        folder,
        check_name(str(field(scale, "key", where)), f"{where}: the key of a scale"),
        options,
    )
    check_grid(stored.shape, stored.chunks, folder, options)
    return read_labels(stored, options, spacing=spacing_field(scale, "resolution", 3, "nm", where))


def _chunk_size(scale: Any, where: str) -> tuple[int, ...]:
    sizes = list_field(scale, "chunk_sizes", where)
    return lengths_field({"chunk_sizes": sizes[0] if sizes else None}, "chunk_sizes", where)


def _offset(scale: Any, where: str) -> tuple[int, ...]:
    offset = lengths_field({"voxel_offset": [0, 0, 0], **scale}, "voxel_offset", where, least=-(2**62))
    if len(offset) != 3:
        raise FormatError(f"{where}: voxel_offset is {offset}; expected x, y and z")
    return offset[::-1]


def _block(scale: Any, kind: str, where: str) -> tuple[int, ...] | None:
    """Return the shape of the blocks of compressed segmentation; None for raw elements."""
    encoding = field(scale, "encoding", where)
    if not isinstance(encoding, str) or encoding not in _ENCODINGS:
        raise FormatError(f"{where}: encoding is {str(encoding)[:40]!a}; expected {' or '.join(_ENCODINGS)}")
    if encoding == "raw":
        return None
    if kind not in _PACKED_TYPES:
        raise FormatError(f"{where}: compressed segmentation of {kind}; expected uint32 or uint64")
    block = lengths_field(scale, "compressed_segmentation_block_size", where, least=1)
    if len(block) != 3 or max(block) > 2**10:
        raise FormatError(f"{where}: blocks of {str(block)[:40]}; expected x, y and z of at most 1024")
    return block[::-1]


def _sharding(scale: Any, where: str) -> Sharding | None:
    """Return how chunks are distributed over shards; None where each is in a file of its own."""
    declared = scale.get("sharding")
    if declared is None:
        return None
    where = f"{where}, sharding"
    words = {"data_encoding": "raw", "minishard_index_encoding": "raw", **_object(declared, where)}
    _check_word(words, "@type", ("neuroglancer_uint64_sharded_v1",), where)
    _check_word(words, "hash", HASHES, where)
    for name in ("data_encoding", "minishard_index_encoding"):
        _check_word(words, name, ENCODINGS, where)
    bits = [integer_field(words, name, where) for name in ("preshift_bits", "minishard_bits", "shard_bits")]
    if min(bits) < 0 or bits[0] > 64 or bits[1] > 20 or bits[1] + bits[2] > 64:
        raise FormatError(f"{where}: {bits} bits of preshift, minishard and shard; expected at most 64, 20 and 64")
    return Sharding(
        bits[0],
        words["hash"],
        bits[1],
        bits[2],
        words["minishard_index_encoding"] == "gzip",
        words["data_encoding"] == "gzip",
    )


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f"{where}: {str(value)[:40]!a}; expected an object")
    return value


def _check_word(data: Any, name: str, choices: tuple[str, ...], where: str) -> None:
    if field(data, name, where) not in choices:
        raise FormatError(f"{where}: {name} is {str(data[name])[:40]!a}; expected {' or '.join(choices)}")


def _sniff(path: Path, _head: bytes) -> bool:
    """A folder whose file ``info`` names scales; other programs call files so, too."""
    info = path / INFO
    if not path.is_dir() or not info.is_file():
        return False
    with info.open("rb") as file:
        return b'"scales"' in file.read(2**16)


declare_reader(
    Reader(
        name="precomputed",
        summary="a segmentation in Neuroglancer's precomputed format, sharded or not, at its finest scale",
        extensions=(".precomputed/",),
        sniff=_sniff,
        read=_read,
        options=(*LABEL_OPTIONS, MISSING_CHUNKS, REMOTE),
        lazy=True,
        remote=True,
    )
)
