"""The chunks of a zarr array, version 2 or 3, in files: decompressed to no more than their declared size.

Implemented here instead of by a library, so that a compressed chunk cannot grow beyond its declared size, and because
decompressing into pooled buffers takes half the time. Each chunk is in a file of its own, or many are in a shard.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import translate_errors
from segmetry.storage.buffers import buffer_of
from segmetry.storage.chunk_grid import JoinedParts, overlapped, shifted
from segmetry.storage.decompression import Buffer
from segmetry.storage.stored_arrays import Edges, Region, StoredArray, regular_edges
from segmetry.storage.zarr.codecs import ChunkLayout, decoded, most_bytes
from segmetry.storage.zarr.metadata import ArrayMetadata
from segmetry.storage.zarr.shards import shard_parts


@dataclass(frozen=True, eq=False)
class ZarrChunks(StoredArray):
    """A zarr array in files. Chunks are decompressed when a part that overlaps them is read."""

    metadata: ArrayMetadata

    @abstractmethod
    def file_of(self, name: str) -> Path | None:
        """Return the file of a chunk or shard; None if it is absent."""

    @abstractmethod
    def fill_of(self, name: str) -> Any:
        """Return the value of all elements of an absent chunk."""

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The length of every axis."""
        return self.metadata.shape

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """The type of the elements."""
        return self.metadata.dtype

    @cached_property
    def edges(self) -> Edges:  # type: ignore[override]
        """The positions where chunks begin and end."""
        return regular_edges(self.metadata.shape, self.metadata.chunks)

    def name_of(self, place: tuple[int, ...]) -> str:
        """Return the name of a chunk or shard."""
        return self.metadata.prefix + self.metadata.separator.join(map(str, place))

    def read(self, box: Region) -> NDArray[Any]:
        metadata, joined = self.metadata, JoinedParts(box, self.metadata.dtype)
        for place, inside in overlapped(box, metadata.chunks):
            name = self.name_of(place)
            file = self.file_of(name)
            if file is None:
                joined.fill(inside, self.fill_of(name))
                continue
            here = shifted(inside, [-at * step for at, step in zip(place, metadata.chunks, strict=True)])
            joined.put(inside, self._chunk(file)[here] if metadata.shards is None else self._of_shard(file, name, here))
        return joined.elements

    def _chunk(self, file: Path) -> NDArray[Any]:
        with translate_errors(file, "chunk"):
            length = most_bytes(self.metadata.steps, ChunkLayout(self.metadata.chunks, self.metadata.dtype))
            with file.open("rb") as content:
                stored = content.read() if length is None else _read_most(content, length)
            return self._elements(stored, self.metadata.chunks, str(file))

    def _of_shard(self, file: Path, name: str, box: Region) -> NDArray[Any]:
        """Return a box of one shard from the chunks it overlaps."""
        metadata, joined = self.metadata, JoinedParts(box, self.metadata.dtype)
        assert metadata.shards is not None  # noqa: S101 - for the types
        inner = metadata.shards.chunks
        with translate_errors(file, "shard"):
            parts = overlapped(box, inner)
            for (place, inside), compressed in zip(
                parts, shard_parts(file, metadata, [p for p, _ in parts]), strict=True
            ):
                if compressed is None:
                    joined.fill(inside, self.fill_of(f"{name}, chunk {'/'.join(map(str, place))}"))
                    continue
                chunk = self._elements(compressed, inner, f"{file}: chunk {place}")
                joined.put(inside, chunk[shifted(inside, [-at * step for at, step in zip(place, inner, strict=True)])])
        return joined.elements

    def _elements(self, compressed: Buffer, shape: tuple[int, ...], where: str) -> NDArray[Any]:
        metadata = self.metadata
        return decoded(compressed, metadata.steps, ChunkLayout(shape, metadata.dtype), metadata.order, where)


def _read_most(content: IO[bytes], n_bytes: int) -> Buffer:
    """Return the bytes of a file, up to one more than expected, in a pooled buffer."""
    if not hasattr(content, "readinto"):
        return content.read(n_bytes + 1)
    buffer = buffer_of(n_bytes)
    length = content.readinto(buffer.data)
    more = content.read(1)
    return buffer.tobytes() + more if more else buffer[:length]
