"""The chunks of a zarr array, version 2 or 3, in files: decompressed to no more than their declared size.

Implemented here instead of by a library, so that a compressed chunk cannot grow beyond its declared size, and because
decompressing into pooled buffers takes half the time. Each chunk is in a file of its own, or many are in a shard.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import translate_errors
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

    def read(self, box: Region) -> NDArray[Any]:
        metadata, joined = self.metadata, _Joined(box, self.metadata.dtype)
        for place, inside in overlapped(box, metadata.chunks):
            name = metadata.prefix + metadata.separator.join(map(str, place))
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
                compressed = content.read(-1 if length is None else length + 1)
            return self._elements(compressed, self.metadata.chunks, str(file))

    def _of_shard(self, file: Path, name: str, box: Region) -> NDArray[Any]:
        """Return a box of one shard from the chunks it overlaps."""
        metadata, joined = self.metadata, _Joined(box, self.metadata.dtype)
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

    def _elements(self, compressed: bytes, shape: tuple[int, ...], where: str) -> NDArray[Any]:
        metadata = self.metadata
        return decoded(compressed, metadata.steps, ChunkLayout(shape, metadata.dtype), metadata.order, where)


class _Joined:
    """The elements of a box, assembled from parts.

    Memory is allocated for the first part with stored elements: a few bytes of metadata may declare a huge chunk and
    leave it out. A part that is the entire box is not copied.
    """

    def __init__(self, box: Region, dtype: np.dtype[Any]) -> None:
        self._box, self._dtype = box, dtype
        self._lengths = tuple(part.stop - part.start for part in box)
        self._array: NDArray[Any] | None = None
        self._filled: list[tuple[Region, Any]] = []

    def fill(self, part: Region, value: Any) -> None:
        """Fill a part with one value, the same for every such part."""
        self._filled.append((part, value))

    def put(self, part: Region, elements: NDArray[Any]) -> None:
        """Set the elements of a part."""
        if part == self._box:
            self._array = elements
            return
        if self._array is None:
            self._array = np.empty(self._lengths, dtype=self._dtype)
        self._array[self._inside(part)] = elements

    @property
    def elements(self) -> NDArray[Any]:
        """All elements, once every part is set; the result may be read-only."""
        if self._array is None:
            return np.broadcast_to(np.asarray(self._filled[0][1], dtype=self._dtype), self._lengths)
        for part, value in self._filled:
            self._array[self._inside(part)] = value
        return self._array

    def _inside(self, part: Region) -> Region:
        return shifted(part, [-outer.start for outer in self._box])


def overlapped(box: Region, steps: tuple[int, ...]) -> list[tuple[tuple[int, ...], Region]]:
    """Return the cells of a regular grid that a box overlaps, and the part of the box in each.

    >>> overlapped((slice(1, 5),), (4,))
    [((0,), (slice(1, 4, None),)), ((1,), (slice(4, 5, None),))]
    """
    ranges = [range(part.start // step, -(-part.stop // step)) for part, step in zip(box, steps, strict=True)]
    return [
        (
            place,
            tuple(
                slice(max(part.start, at * step), min(part.stop, (at + 1) * step))
                for part, at, step in zip(box, place, steps, strict=True)
            ),
        )
        for place in itertools.product(*ranges)
    ]


def shifted(box: Region, by: list[int]) -> Region:
    """Return a box moved along every axis.

    >>> shifted((slice(4, 6),), [-4])
    (slice(0, 2, None),)
    """
    return tuple(slice(part.start + step, part.stop + step) for part, step in zip(box, by, strict=True))
