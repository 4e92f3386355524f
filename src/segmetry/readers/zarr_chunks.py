"""One zarr array, version 2 or 3: its chunks, unpacked into no more than they declare.

Read by hand instead of by a library, so that a packed chunk cannot grow beyond its declared size. Read are chunks
packed by gzip, zlib, Zstandard or Blosc, or not at all, each in a file or many in a shard.

By the rules of the format a chunk that is absent is full of the fill value, and writers leave out chunks that hold
nothing else. A chunk that was lost looks the same. So an absent chunk is accepted where its fill value means outside or
void, is an error where it would make a segment out of nothing, and always with ``--missing-chunks refuse``.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import FormatError
from segmetry.readers.foreign import reading
from segmetry.readers.inside import file_inside
from segmetry.readers.options import ReadOptions
from segmetry.readers.zarr_facts import ArrayFacts, facts_of
from segmetry.readers.zarr_shards import shard_parts
from segmetry.readers.zarr_unpack import unpacked
from segmetry.segmentation.stored import Box, Edges, StoredArray, regular_edges

MOST_SMALL_CHUNKS, SMALL_CHUNK = 10**6, 2**12
"""Chunks of few elements cost more than they hold: so many are taken for an attack."""


@dataclass(frozen=True, eq=False)
class ZarrFolder(StoredArray):
    """A zarr array in a folder. Chunks are unpacked when a part that touches them is read."""

    folder: Path
    facts: ArrayFacts
    holds_nothing: frozenset[int] | None
    """Labels that mean outside or void: a chunk that is absent may be full of these. None: no chunk may be absent."""

    @classmethod
    def of(cls, folder: Path, options: ReadOptions) -> ZarrFolder:
        """The array in a folder, nothing of it read but its metadata."""
        facts = facts_of(folder)
        options.check_size(facts.shape, str(folder))
        options.check_size(facts.chunks, f"{folder}, one chunk")
        count = math.prod(-(-length // step) for length, step in zip(facts.shape, facts.chunks, strict=True))
        if count > MOST_SMALL_CHUNKS and math.prod(facts.chunks) < SMALL_CHUNK:
            raise FormatError(
                f"{folder}: {count} chunks of {facts.chunks}; expected at most {MOST_SMALL_CHUNKS} as small as these"
            )
        return cls(folder, facts, None if options.missing_chunks == "refuse" else frozenset(options.nothing))

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

    def read(self, box: Box) -> NDArray[Any]:
        files = touched(box, self.facts.chunks)
        if len(files) == 1 and self.facts.shards is None:
            return self._part(*files[0])
        found = np.empty([part.stop - part.start for part in box], dtype=self.facts.dtype)
        for place, inside in files:
            found[shifted(inside, [-part.start for part in box])] = self._part(place, inside)
        return found

    def _part(self, place: tuple[int, ...], inside: Box) -> NDArray[Any]:
        """What lies in a box inside one file."""
        facts = self.facts
        name = facts.prefix + facts.separator.join(map(str, place))
        if not (self.folder / name).exists():
            return np.full([part.stop - part.start for part in inside], self._fill(name), dtype=facts.dtype)
        file = file_inside(self.folder, name, "the chunk")
        here = shifted(inside, [-at * step for at, step in zip(place, facts.chunks, strict=True)])
        return self._chunk(file)[here] if facts.shards is None else self._of_shard(file, name, here)

    def _chunk(self, file: Path) -> NDArray[Any]:
        with reading(file, "chunk"):
            limit = math.prod(self.facts.chunks) * self.facts.dtype.itemsize + 1 if self.facts.packer is None else -1
            with file.open("rb") as content:
                packed = content.read(limit)
            return self._elements(packed, self.facts.chunks, str(file))

    def _of_shard(self, file: Path, name: str, box: Box) -> NDArray[Any]:
        """A box of one shard, from those of its chunks that it touches."""
        facts = self.facts
        assert facts.shards is not None  # noqa: S101 - for the types
        inner = facts.shards.chunks
        found = np.empty([part.stop - part.start for part in box], dtype=facts.dtype)
        with reading(file, "shard"):
            parts = touched(box, inner)
            for (place, inside), packed in zip(parts, shard_parts(file, facts, [p for p, _ in parts]), strict=True):
                target = shifted(inside, [-part.start for part in box])
                if packed is None:
                    found[target] = self._fill(f"{name}, chunk {'/'.join(map(str, place))}")
                    continue
                chunk = self._elements(packed, inner, f"{file}: chunk {place}")
                found[target] = chunk[shifted(inside, [-at * step for at, step in zip(place, inner, strict=True)])]
        return found

    def _elements(self, packed: bytes, shape: tuple[int, ...], where: str) -> NDArray[Any]:
        needed = math.prod(shape) * self.facts.dtype.itemsize
        content = unpacked(packed, self.facts.packer, needed, where)
        if len(content) != needed:
            raise FormatError(f"{where}: {len(content)} bytes of elements; expected {needed}")
        order: Any = self.facts.order
        return np.frombuffer(content, dtype=self.facts.dtype).reshape(shape, order=order)

    def _fill(self, name: str) -> Any:
        """What an absent chunk holds: nothing. A segment nobody wrote is an error."""
        fill = self.facts.fill
        if fill is None:
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store, and no fill value says what it holds"
            )
        if self.holds_nothing is None:
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store; restore it, or take missing chunks as "
                f"full of the fill value, {fill} (--missing-chunks fill)"
            )
        if fill not in self.holds_nothing:
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store, which would make its elements {fill}, a "
                "segment; restore it, or declare that label outside or void (--outside, --void)"
            )
        return fill


def touched(box: Box, steps: tuple[int, ...]) -> list[tuple[tuple[int, ...], Box]]:
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


def shifted(box: Box, by: list[int]) -> Box:
    """A box moved along every axis.

    >>> shifted((slice(4, 6),), [-4])
    (slice(0, 2, None),)
    """
    return tuple(slice(part.start + step, part.stop + step) for part, step in zip(box, by, strict=True))
