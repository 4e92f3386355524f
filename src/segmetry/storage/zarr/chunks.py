"""The chunks of a zarr array, version 2 or 3, that lie in files: unpacked into no more than they declare.

Read by hand instead of by a library, so that a packed chunk cannot grow beyond its declared size, and because unpacking
into memory that is used again takes half the time. Read are chunks packed by gzip, zlib, Zstandard or Blosc, or not at
all, each in a file or many in a shard.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import translate_errors
from segmetry.errors import FormatError
from segmetry.storage.stored_arrays import Edges, Region, StoredArray, regular_edges
from segmetry.storage.zarr.codecs import unpacked
from segmetry.storage.zarr.metadata import ArrayFacts
from segmetry.storage.zarr.shards import shard_parts


@dataclass(frozen=True, eq=False)
class ZarrChunks(StoredArray):
    """A zarr array in files. Chunks are unpacked when a part that touches them is read."""

    facts: ArrayFacts

    @abstractmethod
    def file_of(self, name: str) -> Path | None:
        """The file of a chunk or shard; None if it is absent."""

    @abstractmethod
    def fill_of(self, name: str) -> Any:
        """What an absent chunk holds in all its elements."""

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The length of every axis."""
        return self.facts.shape

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """The type of the elements."""
        return self.facts.dtype

    @cached_property
    def edges(self) -> Edges:  # type: ignore[override]
        """Where chunks end."""
        return regular_edges(self.facts.shape, self.facts.chunks)

    def read(self, box: Region) -> NDArray[Any]:
        facts, found = self.facts, _Joined(box, self.facts.dtype)
        for place, inside in touched(box, facts.chunks):
            name = facts.prefix + facts.separator.join(map(str, place))
            file = self.file_of(name)
            if file is None:
                found.fill(inside, self.fill_of(name))
                continue
            here = shifted(inside, [-at * step for at, step in zip(place, facts.chunks, strict=True)])
            found.put(inside, self._chunk(file)[here] if facts.shards is None else self._of_shard(file, name, here))
        return found.elements

    def _chunk(self, file: Path) -> NDArray[Any]:
        with translate_errors(file, "chunk"):
            limit = math.prod(self.facts.chunks) * self.facts.dtype.itemsize + 1 if self.facts.packer is None else -1
            with file.open("rb") as content:
                packed = content.read(limit)
            return self._elements(packed, self.facts.chunks, str(file))

    def _of_shard(self, file: Path, name: str, box: Region) -> NDArray[Any]:
        """A box of one shard, from those of its chunks that it touches."""
        facts, found = self.facts, _Joined(box, self.facts.dtype)
        assert facts.shards is not None  # noqa: S101 - for the types
        inner = facts.shards.chunks
        with translate_errors(file, "shard"):
            parts = touched(box, inner)
            for (place, inside), packed in zip(parts, shard_parts(file, facts, [p for p, _ in parts]), strict=True):
                if packed is None:
                    found.fill(inside, self.fill_of(f"{name}, chunk {'/'.join(map(str, place))}"))
                    continue
                chunk = self._elements(packed, inner, f"{file}: chunk {place}")
                found.put(inside, chunk[shifted(inside, [-at * step for at, step in zip(place, inner, strict=True)])])
        return found.elements

    def _elements(self, packed: bytes, shape: tuple[int, ...], where: str) -> NDArray[Any]:
        needed = math.prod(shape) * self.facts.dtype.itemsize
        content = unpacked(packed, self.facts.packer, needed, where)
        if len(content) != needed:
            raise FormatError(f"{where}: {len(content)} bytes of elements; expected {needed}")
        order: Any = self.facts.order
        return np.frombuffer(content, dtype=self.facts.dtype).reshape(shape, order=order)


class _Joined:
    """The elements of a box, put together from parts.

    Memory is taken for the first part that has elements of its own: a few bytes of metadata may declare a huge chunk
    and leave it out. A part that is all of the box is not copied.
    """

    def __init__(self, box: Region, dtype: np.dtype[Any]) -> None:
        self._box, self._dtype = box, dtype
        self._lengths = tuple(part.stop - part.start for part in box)
        self._array: NDArray[Any] | None = None
        self._filled: list[tuple[Region, Any]] = []

    def fill(self, part: Region, value: Any) -> None:
        """A part that holds one value; the same value for every such part."""
        self._filled.append((part, value))

    def put(self, part: Region, elements: NDArray[Any]) -> None:
        """A part with its elements."""
        if part == self._box:
            self._array = elements
            return
        if self._array is None:
            self._array = np.empty(self._lengths, dtype=self._dtype)
        self._array[self._inside(part)] = elements

    @property
    def elements(self) -> NDArray[Any]:
        """All of them, when every part is in; the result may be read-only."""
        if self._array is None:
            return np.broadcast_to(np.asarray(self._filled[0][1], dtype=self._dtype), self._lengths)
        for part, value in self._filled:
            self._array[self._inside(part)] = value
        return self._array

    def _inside(self, part: Region) -> Region:
        return shifted(part, [-whole.start for whole in self._box])


def touched(box: Region, steps: tuple[int, ...]) -> list[tuple[tuple[int, ...], Region]]:
    """The cells of a regular grid that a box touches, and what of the box lies in each.

    >>> touched((slice(1, 5),), (4,))
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
    """A box moved along every axis.

    >>> shifted((slice(4, 6),), [-4])
    (slice(0, 2, None),)
    """
    return tuple(slice(part.start + step, part.stop + step) for part, step in zip(box, by, strict=True))
