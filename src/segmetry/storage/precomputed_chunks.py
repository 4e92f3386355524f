"""Chunks of a volume in Neuroglancer's precomputed format: raw, or compressed segmentation, perhaps in gzip.

A volume of x, y and z is presented as an array of z, y and x. [Neuroglancer, precomputed volume format]
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import translate_errors
from segmetry.errors import FormatError
from segmetry.storage.chunk_grid import ChunkGrid
from segmetry.storage.compressed_segmentation import decode_segmentation
from segmetry.storage.decompression import decompressed
from segmetry.storage.precomputed_shards import Sharding, morton_code, read_chunk

_PACKED = 3
"""Compressed segmentation is at most about so many times as long as the elements."""


@dataclass(frozen=True, eq=False)
class PrecomputedChunks(ChunkGrid):
    """One scale of a volume, all in our order of axes.

    ``offset`` is where it begins, ``block`` the shape of the blocks of compressed segmentation, None for raw elements,
    and ``sharding`` says in which shard a chunk is, None where each is in a file of its own.
    """

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: tuple[int, ...]
    block: tuple[int, ...] | None
    sharding: Sharding | None

    @abstractmethod
    def file_of(self, name: str) -> Path | None:
        """Return the file of a chunk or shard; None if it is absent."""

    def name_of(self, place: tuple[int, ...]) -> str:
        """Return the name of a chunk: where it begins and ends along x, y and z."""
        ends = [
            f"{first + at * step}-{first + min(length, (at + 1) * step)}"
            for at, step, length, first in zip(place, self.chunks, self.shape, self.offset, strict=True)
        ]
        return "_".join(reversed(ends))

    def number_of(self, place: tuple[int, ...]) -> int:
        """Return the number of a chunk in a shard."""
        grid = tuple(-(-length // step) for length, step in zip(self.shape, self.chunks, strict=True))
        return morton_code(place[::-1], grid[::-1])

    def file_names(self, place: tuple[int, ...]) -> tuple[str, ...]:
        """Return the names of the files that may contain a chunk."""
        if self.sharding is not None:
            return (self.sharding.place_of(self.number_of(place))[0],)
        return self.name_of(place), f"{self.name_of(place)}.gz"

    def chunk(self, place: tuple[int, ...]) -> NDArray[Any] | None:
        file = next((file for name in self.file_names(place) if (file := self.file_of(name)) is not None), None)
        if file is None:
            return None
        shape = tuple(
            min(step, length - at * step) for at, step, length in zip(place, self.chunks, self.shape, strict=True)
        )
        n_bytes = math.prod(shape) * self.dtype.itemsize
        most = n_bytes if self.block is None else _PACKED * n_bytes + 2**16
        with translate_errors(file, "chunk"):
            plain = self._plain(file, place, most)
            if plain is None:
                return None
            if self.block is not None:
                return decode_segmentation(plain, shape, self.block, self.dtype, str(file))
            if len(plain) != n_bytes:
                raise FormatError(f"{file}: {len(plain)} bytes of elements; expected {n_bytes}")
            return np.frombuffer(plain, dtype=self.dtype).reshape(shape)

    def _plain(self, file: Path, place: tuple[int, ...], most: int) -> bytes | None:
        if self.sharding is not None:
            return read_chunk(file, self.number_of(place), self.sharding, most)
        is_packed = file.name.endswith(".gz")
        with file.open("rb") as content:
            plain = content.read(-1 if is_packed else most + 1)
        return bytes(decompressed(plain, "gzip", most, str(file))) if is_packed else plain
