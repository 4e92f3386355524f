"""Shards of Neuroglancer's precomputed format: files with many chunks, found through two levels of indices.

The number of a chunk is the compressed Morton code of its place in the grid. Its hash says in which shard, a file, and
in which minishard of that file it is. A shard begins with the positions of the indices of its minishards, relative to
the end of these positions; such an index lists numbers, positions and lengths of chunks, each relative to the one
before. [Neuroglancer, sharded format, neuroglancer_uint64_sharded_v1]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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
        numbers, starts, lengths = _minishard(content.read(stop - start), sharding, str(file))
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


def _minishard(packed: bytes, sharding: Sharding, where: str) -> NDArray[np.uint64]:
    """Return numbers, positions and lengths of the chunks of a minishard."""
    plain = packed
    if sharding.index_is_gzip:
        most = 24 * 2**24
        plain = bytes(decompressed(packed, "gzip", most, where, exactly=False))
    if len(plain) % 24:
        raise FormatError(f"{where}: an index of {len(plain)} bytes; expected a multiple of 24: the shard is damaged")
    index = np.frombuffer(plain, dtype="<u8").reshape(3, -1).astype(np.uint64)
    numbers, lengths = np.cumsum(index[0], dtype=np.uint64), index[2]
    ends = np.cumsum(index[1] + lengths, dtype=np.uint64)
    return np.stack([numbers, ends - lengths, lengths])


def morton_code(place: tuple[int, ...], grid: tuple[int, ...]) -> int:
    """Return the compressed Morton code of a cell: bits of all axes in turn, without those that are 0 everywhere.

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
    first = _rotated(low * 0x239B961B & _MASK, 15) * 0xAB0E9789 & _MASK
    second = _rotated(high * 0xAB0E9789 & _MASK, 16) * 0x38B34AE5 & _MASK
    one, two, three, four = first ^ 8, second ^ 8, 8, 8
    one = (one + two + three + four) & _MASK
    two, three, four = (two + one) & _MASK, (three + one) & _MASK, (four + one) & _MASK
    one, two, three, four = map(_mixed, (one, two, three, four))
    one = (one + two + three + four) & _MASK
    return one | ((two + one) & _MASK) << 32


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & _MASK


def _mixed(value: int) -> int:
    value = (value ^ value >> 16) * 0x85EBCA6B & _MASK
    value = (value ^ value >> 13) * 0xC2B2AE35 & _MASK
    return value ^ value >> 16
