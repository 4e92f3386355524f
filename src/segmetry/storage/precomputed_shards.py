"""Decode Neuroglancer's precomputed format: shards of many chunks, and compressed segmentation.

A shard is a file of chunks, found through two levels of indices. The number of a chunk is the compressed Morton code of
its place in the grid. Its hash says in which shard, a file, and in which minishard of that file it is. A shard begins
with the positions of the indices of its minishards, relative to the end of these positions; such an index lists
numbers, positions and lengths of chunks, each relative to the one before. [Neuroglancer, sharded format,
neuroglancer_uint64_sharded_v1]

Compressed segmentation has blocks of few labels, each a table and indices of few bits. The words of a channel are 32
bits, little-endian. Two of them for every block: the place of its table in the low 24 bits and the bits of an index in
the high 8, then the place of its indices. Blocks and elements run along x first. [Neuroglancer, compressed segmentation
format]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.errors import FormatError
from segmetry.storage.decompression import decompressed

HASHES = ("identity", "murmurhash3_x86_128")
ENCODINGS = ("raw", "gzip")
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
        """Return the name of the shard of a chunk, and its minishard there.

        >>> Sharding(0, "identity", 1, 5, False, False).place_of(0b101011)
        ('15.shard', 1)
        """
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
    """Return numbers, positions and lengths of the chunks of a minishard."""
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
    """Return the compressed Morton code of a cell: the axes interleaved, without those that are 0 everywhere.

    >>> morton_code((2, 1, 0), (4, 2, 1)), morton_code((3, 1, 0), (4, 2, 1))
    (6, 7)
    """
    code, at = 0, 0
    for bit in range(max(grid).bit_length()):
        for cell, cells in zip(place, grid, strict=True):
            if 1 << bit < cells:
                code |= (cell >> bit & 1) << at
                at += 1
    return code


def murmur_hash(number: int) -> int:
    """Return the low 64 bits of MurmurHash3_x86_128 of a 64-bit number, with seed 0. [Appleby, MurmurHash3]

    >>> hex(murmur_hash(0)), hex(murmur_hash(1))
    ('0x4772b084e028ae41', '0xe8bd67d616d4ce9a')
    """
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
    """Return the labels of one chunk of one channel; shapes are of z, y and x.

    >>> words = np.array([1, 0 | 1 << 24, 0, 0, 0], dtype="<u4")
    >>> words[1:] = [3 | 1 << 24, 2, 0b0110, 7]  # indices 0, 1, 1, 0 of the table 7, 9
    >>> content = words.tobytes() + np.array([9], dtype="<u4").tobytes()
    >>> decode_segmentation(content, (1, 2, 2), (1, 2, 2), np.dtype("<u4"), "chunk").tolist()
    [[[7, 9], [9, 7]]]
    """
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
