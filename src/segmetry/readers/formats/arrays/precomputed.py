"""Neuroglancer's precomputed volumes: the finest scale of a segmentation; x, y, z in the file is z, y, x here.

Chunks are decoded here: tensorstore follows links out of the folder and inflates the index and the chunks of a shard
without a limit, so that a file of 1.5 MB took 3 GB and 11 s. [Neuroglancer, precomputed volume format]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.json_fields import field, integer_field, list_field
from segmetry._base.optional import translate_errors
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.items import Item, within
from segmetry.readers.label_options import LABEL_OPTIONS
from segmetry.readers.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.chunked_folders import (
    MISSING_CHUNKS,
    ChunkedFolder,
    as_object,
    check_grid,
    lengths_field,
    load_metadata,
    spacing_field,
)
from segmetry.readers.parts.safe_names import check_name
from segmetry.readers.reader import reads
from segmetry.readers.source import REMOTE
from segmetry.segmentation.base import Segmentation
from segmetry.storage.decompression import decompressed
from segmetry.storage.precomputed_shards import (
    ENCODINGS,
    HASHES,
    Sharding,
    decode_segmentation,
    morton_code,
    read_chunk,
)
from segmetry.storage.stored_arrays import Region

INFO = "info"
_TYPES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32")
_PACKED_TYPES = ("uint32", "uint64")
_ENCODINGS = ("raw", "compressed_segmentation")
_SHARDING = {
    "@type": ("neuroglancer_uint64_sharded_v1",),
    "hash": HASHES,
    "data_encoding": ENCODINGS,
    "minishard_index_encoding": ENCODINGS,
}
_PACKED = 3
"""Compressed segmentation is at most about so many times as long as the elements."""


@dataclass(frozen=True, eq=False)
class PrecomputedFolder(ChunkedFolder):
    """One scale of a volume, all in our order of axes; the names of its chunks begin with ``key``.

    ``offset`` is where it begins, ``block`` the shape of the blocks of compressed segmentation, None for raw elements,
    and ``sharding`` says in which shard a chunk is, None where each is in a file of its own.
    """

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: tuple[int, ...]
    block: tuple[int, ...] | None
    sharding: Sharding | None
    key: str

    def name_of(self, place: tuple[int, ...]) -> str:
        """Return the name of a chunk: where it begins and ends along x, y and z."""
        ends = [
            f"{first + at * step}-{first + min(length, (at + 1) * step)}"
            for at, step, length, first in zip(place, self.chunks, self.shape, self.offset, strict=True)
        ]
        return f"{self.key}/{'_'.join(reversed(ends))}"

    def number_of(self, place: tuple[int, ...]) -> int:
        """Return the number of a chunk in a shard."""
        grid = tuple(-(-length // step) for length, step in zip(self.shape, self.chunks, strict=True))
        return morton_code(place[::-1], grid[::-1])

    def file_names(self, place: tuple[int, ...]) -> tuple[str, ...]:
        if self.sharding is not None:
            return (f"{self.key}/{self.sharding.place_of(self.number_of(place))[0]}",)
        return self.name_of(place), f"{self.name_of(place)}.gz"  # as CloudVolume writes into folders

    def part(self, place: tuple[int, ...], box: Region) -> NDArray[Any] | None:
        file = next((file for name in self.file_names(place) if (file := self.file_of(name)) is not None), None)
        if file is None:
            return None
        shape = self.shape_of(place)
        n_bytes = math.prod(shape) * self.dtype.itemsize
        most = n_bytes if self.block is None else _PACKED * n_bytes + 2**16
        with translate_errors(file, "chunk"):
            plain = self._chunk_bytes(file, place, most)
            if plain is None:
                return None
            if self.block is not None:
                return decode_segmentation(plain, shape, self.block, self.dtype, str(file))[box]
            if len(plain) != n_bytes:
                raise FormatError(f"{file}: {len(plain)} bytes of elements; expected {n_bytes}")
            return np.frombuffer(plain, dtype=self.dtype).reshape(shape)[box]

    def _chunk_bytes(self, file: Path, place: tuple[int, ...], most: int) -> bytes | None:
        if self.sharding is not None:
            return read_chunk(file, self.number_of(place), self.sharding, most)
        is_packed = file.name.endswith(".gz")
        with file.open("rb") as content:
            plain = content.read(-1 if is_packed else most + 1)
        return bytes(decompressed(plain, "gzip", most, str(file))) if is_packed else plain


def _load_labels(folder: Path, options: ReadOptions) -> Segmentation:
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
    sizes = list_field(scale, "chunk_sizes", where)
    shape = lengths_field(scale, "size", where)
    chunks = lengths_field({"chunk_sizes": sizes[0] if sizes else None}, "chunk_sizes", where)
    if 0 in shape or 0 in chunks:
        raise EmptyInputError(f"{where}: size {shape} in chunks of {chunks}; expected at least one element")
    if len(shape) != 3 or len(chunks) != 3:
        raise FormatError(f"{where}: size {shape} in chunks of {chunks}; expected x, y and z")
    stored = PrecomputedFolder(
        folder,
        options,
        shape[::-1],
        chunks[::-1],
        np.dtype(kind).newbyteorder("<"),
        _voxel_offset(scale, where),
        _block_shape(scale, str(kind), where),
        _sharding_of(scale, where),
        check_name(str(field(scale, "key", where)), f"{where}: the key of a scale"),
    )
    check_grid(stored.shape, stored.chunks, folder, options)
    return read_labels(stored, options, spacing=spacing_field(scale, "resolution", 3, "nm", where))


def _voxel_offset(scale: Any, where: str) -> tuple[int, ...]:
    offset = lengths_field({"voxel_offset": [0, 0, 0], **scale}, "voxel_offset", where, least=-(2**62))
    if len(offset) != 3:
        raise FormatError(f"{where}: voxel_offset is {offset}; expected x, y and z")
    return offset[::-1]


def _block_shape(scale: Any, kind: str, where: str) -> tuple[int, ...] | None:
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


def _sharding_of(scale: Any, where: str) -> Sharding | None:
    """Return how chunks are distributed over shards; None where each is in a file of its own."""
    declared = scale.get("sharding")
    if declared is None:
        return None
    where = f"{where}, sharding"
    stated = {"data_encoding": "raw", "minishard_index_encoding": "raw", **as_object(declared, where)}
    for name, choices in _SHARDING.items():
        if field(stated, name, where) not in choices:
            raise FormatError(f"{where}: {name} is {str(stated[name])[:40]!a}; expected {' or '.join(choices)}")
    bits = [integer_field(stated, name, where) for name in ("preshift_bits", "minishard_bits", "shard_bits")]
    # 2**20 minishards have an index of 16 MB at the beginning of every shard.
    if min(bits) < 0 or bits[0] > 64 or bits[1] > 20 or bits[1] + bits[2] > 64:
        raise FormatError(f"{where}: {bits} bits of preshift, minishard and shard; expected at most 64, 20 and 64")
    packed = [stated[name] == "gzip" for name in ("minishard_index_encoding", "data_encoding")]
    return Sharding(bits[0], stated["hash"], bits[1], bits[2], *packed)


def _is_precomputed(path: Path, _head: bytes) -> bool:
    """A folder whose file ``info`` names scales; other programs call files so, too."""
    info = path / INFO
    if not path.is_dir() or not info.is_file():
        return False
    with info.open("rb") as file:
        return b'"scales"' in file.read(2**16)


@reads(
    "precomputed",
    "a segmentation in Neuroglancer's precomputed format, sharded or not, at its finest scale",
    (".precomputed/",),
    sniff=_is_precomputed,
    options=(*LABEL_OPTIONS, MISSING_CHUNKS, REMOTE),
    lazy=True,
    remote=True,
)
def _read_precomputed(path: Path, options: ReadOptions) -> Iterator[Item]:
    yield Item(path.name.removesuffix(".precomputed"), within(str(path), partial(_load_labels, path, options)))
