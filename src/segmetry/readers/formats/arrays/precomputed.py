"""Neuroglancer's precomputed volumes: the finest scale of a segmentation; x, y, z in the file is z, y, x here.

Chunks are in files of their own or in shards. Elements are raw or compressed segmentation. All is decoded here, not by
tensorstore; docs/decisions/decoders.md says why. [Neuroglancer, precomputed volume format]

A shard is a file of chunks, found through two levels of indices. The number of a chunk is the compressed Morton code of
its place in the grid. Its hash says in which shard and in which minishard of that file it is. A shard begins with the
positions of the indices of its minishards, relative to the end of these positions; such an index lists numbers,
positions and lengths of chunks, each relative to the one before. [Neuroglancer, sharded format,
neuroglancer_uint64_sharded_v1]

Compressed segmentation has blocks of few labels, each a table and indices of few bits. The words of a channel are 32
bits, little-endian. Two of them for every block: the place of its table in the low 24 bits and the bits of an index in
the high 8, then the place of its indices. Blocks and elements run along x first. [Neuroglancer, compressed segmentation
format]
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

from segmetry._base import IntArray, field, integer_field, lengths_field, list_field, translate_errors
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.formats.arrays.chunked_volumes import (
    MISSING_CHUNKS,
    ChunkedFolder,
    as_object,
    check_grid,
    load_metadata,
    spacing_field,
)
from segmetry.readers.items import Item, check_name, within
from segmetry.readers.label_reading import LABEL_OPTIONS, read_labels
from segmetry.readers.reader import ReadOptions, reads
from segmetry.readers.source import REMOTE
from segmetry.segmentation import Segmentation
from segmetry.storage import Region, decompressed

_MASK = 2**32 - 1


@dataclass(frozen=True)
class Sharding:
    """How chunks are distributed over shards, as the metadata of a scale declare it."""

    preshift_bits: int
    hash: str
    minishard_bits: int
    shard_bits: int
    index_is_gzip: bool
    data_is_gzip: bool

    def place_of(self, number: int) -> tuple[str, int]:
        """Return the name of the shard of a chunk, and its minishard there."""
        shifted = number >> self.preshift_bits
        hashed = shifted if self.hash == "identity" else murmur_hash(shifted)
        shard = (hashed >> self.minishard_bits) & (2**self.shard_bits - 1)
        return f"{shard:0{-(-self.shard_bits // 4)}x}.shard", hashed & (2**self.minishard_bits - 1)


def read_chunk(file: Path, number: int, sharding: Sharding, most: int) -> bytes | None:
    """Return the bytes of a chunk of a shard, at most one more than ``most``; None if the chunk is absent."""
    size, head = file.stat().st_size, 16 * 2**sharding.minishard_bits
    if size < head:
        raise FormatError(f"{file}: {size} bytes; its index alone needs {head}: the shard is cut off")
    with file.open("rb") as content:
        content.seek(16 * sharding.place_of(number)[1])
        start, stop = (head + int(at) for at in np.frombuffer(content.read(16), dtype="<u8"))
        if start == stop:
            return None
        if not head <= start < stop <= size:
            raise FormatError(f"{file}: an index at bytes {start} to {stop} of {size}: the shard is damaged")
        content.seek(start)
        numbers, starts, lengths = _minishard_index(content.read(stop - start), sharding, str(file))
        at = np.flatnonzero(numbers == number)
        if not at.size:
            return None
        first, length = head + int(starts[at[0]]), int(lengths[at[0]])
        if first + length > size:
            raise FormatError(f"{file}: a chunk at bytes {first} to {first + length} of {size}: the shard is damaged")
        content.seek(first)
        packed = content.read(length if sharding.data_is_gzip else min(length, most + 1))
    if not sharding.data_is_gzip:
        return packed
    return bytes(decompressed(packed, "gzip", most, str(file), exactly=False))


def _minishard_index(packed: bytes, sharding: Sharding, where: str) -> NDArray[np.uint64]:
    plain = packed
    if sharding.index_is_gzip:
        most = 24 * 2**24  # 16 million chunks: no writer puts as many into one minishard
        plain = bytes(decompressed(packed, "gzip", most, where, exactly=False))
    if len(plain) % 24:
        raise FormatError(f"{where}: an index of {len(plain)} bytes; expected a multiple of 24: the shard is damaged")
    index = np.frombuffer(plain, dtype="<u8").reshape(3, -1).astype(np.uint64)
    numbers, lengths = np.cumsum(index[0], dtype=np.uint64), index[2]
    ends = np.cumsum(index[1] + lengths, dtype=np.uint64)
    return np.stack([numbers, ends - lengths, lengths])


def morton_code(place: tuple[int, ...], grid: tuple[int, ...]) -> int:
    """Return the compressed Morton code of a cell: the axes interleaved, without those that are 0 everywhere."""
    code, at = 0, 0
    for bit in range(max(grid).bit_length()):
        for cell, cells in zip(place, grid, strict=True):
            if 1 << bit < cells:
                code |= (cell >> bit & 1) << at
                at += 1
    return code


def murmur_hash(number: int) -> int:
    """Return the low 64 bits of MurmurHash3_x86_128 of a 64-bit number, with seed 0. [Appleby, MurmurHash3]"""
    low, high = number & _MASK, number >> 32 & _MASK
    first = _rotate_left(low * 0x239B961B & _MASK, 15) * 0xAB0E9789 & _MASK
    second = _rotate_left(high * 0xAB0E9789 & _MASK, 16) * 0x38B34AE5 & _MASK
    one, two, three, four = first ^ 8, second ^ 8, 8, 8
    one = (one + two + three + four) & _MASK
    two, three, four = (two + one) & _MASK, (three + one) & _MASK, (four + one) & _MASK
    one, two, three, four = map(_final_mix, (one, two, three, four))
    one = (one + two + three + four) & _MASK
    return one | ((two + one) & _MASK) << 32


def _rotate_left(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & _MASK


def _final_mix(value: int) -> int:
    value = (value ^ value >> 16) * 0x85EBCA6B & _MASK
    value = (value ^ value >> 13) * 0xC2B2AE35 & _MASK
    return value ^ value >> 16


ChannelWords = NDArray[np.uint32]

BITS = (0, 1, 2, 4, 8, 16, 32)
"""The numbers of bits an index may have."""
_WORD = np.dtype("<u4")


def decode_segmentation(
    content: bytes, shape: tuple[int, ...], block: tuple[int, ...], dtype: np.dtype[Any], where: str
) -> NDArray[Any]:
    """Return the labels of one chunk of one channel; shapes are of z, y and x."""
    if len(content) % 4 or len(content) < 8:
        raise _damaged_segmentation(where, f"{len(content)} bytes")
    words = np.frombuffer(content, dtype=_WORD)
    start = int(words[0])
    grid = tuple(-(-length // step) for length, step in zip(shape, block, strict=True))
    count, size = math.prod(grid), math.prod(block)
    channel = words[start:]
    if start < 1 or channel.size < 2 * count:
        raise _damaged_segmentation(where, f"{channel.size} words for {count} blocks")
    heads = channel[: 2 * count].reshape(count, 2).astype(np.int64)
    tables, bits, places = heads[:, 0] & 0xFFFFFF, heads[:, 0] >> 24, heads[:, 1]
    if not np.isin(bits, BITS).all():
        raise _damaged_segmentation(where, f"indices of {int(bits[~np.isin(bits, BITS)][0])} bits")
    labels = np.empty((count, size), dtype=dtype)
    for width in np.unique(bits).tolist():
        chosen = np.flatnonzero(bits == width)
        index = _block_indices(channel, places[chosen], width, size, where)
        labels[chosen] = _looked_up(channel, tables[chosen], index, dtype, where)
    whole = (
        labels.reshape(*grid, *block)
        .transpose(0, 3, 1, 4, 2, 5)
        .reshape([g * b for g, b in zip(grid, block, strict=True)])
    )
    return whole[tuple(slice(0, length) for length in shape)]


def _block_indices(channel: ChannelWords, places: IntArray, width: int, size: int, where: str) -> IntArray:
    """Return the indices of blocks, all of the same number of bits; the first is in the lowest bits of a word."""
    if width == 0:
        return np.zeros((places.size, size), dtype=np.int64)
    per_word = 32 // width
    n_words = -(-size // per_word)
    if int(places.max()) + n_words > channel.size:
        raise _damaged_segmentation(where, f"indices at word {int(places.max())} of {channel.size}")
    packed = channel[places[:, None] + np.arange(n_words)].astype(np.int64)
    shifts = np.arange(per_word, dtype=np.int64) * width
    every: IntArray = (packed[:, :, None] >> shifts) & ((1 << width) - 1)
    return every.reshape(places.size, -1)[:, :size]


def _looked_up(
    channel: ChannelWords, tables: IntArray, index: IntArray, dtype: np.dtype[Any], where: str
) -> NDArray[Any]:
    """Return the labels that indices into the tables of blocks stand for."""
    step = dtype.itemsize // _WORD.itemsize
    place = tables[:, None] + index * step
    if int(place.max()) + step > channel.size:
        raise _damaged_segmentation(where, f"a label at word {int(place.max())} of {channel.size}")
    labels: NDArray[Any] = channel[place].astype(dtype)
    if step == 2:
        labels |= channel[place + 1].astype(dtype) << np.array(32, dtype=dtype)
    return labels


def _damaged_segmentation(where: str, words: str) -> FormatError:
    return FormatError(f"{where}: damaged compressed segmentation: {words}")


INFO = "info"
_TYPES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32")
_PACKED_TYPES = ("uint32", "uint64")
_ENCODINGS = ("raw", "compressed_segmentation")
_SHARDING = {
    "@type": ("neuroglancer_uint64_sharded_v1",),
    "hash": ("identity", "murmurhash3_x86_128"),
    "data_encoding": ("raw", "gzip"),
    "minishard_index_encoding": ("raw", "gzip"),
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
    info, where = load_metadata(folder, INFO) or {}, str(folder / INFO)
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
    dtype = np.dtype(kind).newbyteorder("<")
    offset = lengths_field({"voxel_offset": [0, 0, 0], **scale}, "voxel_offset", where, least=-(2**62))[::-1]
    if len(offset) != 3:
        raise FormatError(f"{where}: voxel_offset is {offset[::-1]}; expected x, y and z")
    block, sharding = _block_shape(scale, str(kind), where), _sharding_of(scale, where)
    key = check_name(str(field(scale, "key", where)), f"{where}: the key of a scale")
    stored = PrecomputedFolder(folder, options, shape[::-1], chunks[::-1], dtype, offset, block, sharding, key)
    check_grid(stored.shape, stored.chunks, folder, options)
    return read_labels(stored, options, spacing=spacing_field(scale, "resolution", 3, "nm", where))


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
