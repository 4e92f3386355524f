"""Label arrays that stay in storage: only the requested part is read.

A stored array has a shape, a dtype and *edges*: the positions along each axis where one chunk (of a sharded zarr array:
one shard) ends and the next begins. Reading a part between edges decodes nothing else; any other part decodes every
chunk it overlaps.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

Region = tuple[slice, ...]
"""A part of an array: one slice with a start and a stop along each axis."""
Edges = tuple[tuple[int, ...], ...]
"""For every axis the ascending positions where chunks begin, and the length of the axis."""

READ_AT_ONCE = 2**21
"""Number of elements up to which a stored array is read at once."""
PIECE = 2**18
"""Number of elements per piece of an array without chunks."""


class StoredArray(ABC):
    """An array in storage, read in parts."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    edges: Edges

    @abstractmethod
    def read(self, box: Region) -> NDArray[Any]:
        """Return the elements of a box; the result may be read-only."""

    def files(self, box: Region) -> Iterable[Path] | None:  # noqa: ARG002 - where it is known, it depends on the box
        """Return the files that a box is read from, whether they exist or not; None if that is not known."""
        return None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def whole(self) -> NDArray[Any]:
        return self.read(tuple(slice(0, length) for length in self.shape))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.whole(), dtype=dtype, copy=copy)


@frozen_dataclass(eq=False)
class StoredRegion:
    """A part of a stored array, read on conversion to an array."""

    stored: StoredArray
    box: Region

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.stored.read(self.box), dtype=dtype, copy=copy)


def regular_edges(shape: Sequence[int], chunks: Sequence[int]) -> Edges:
    """Return the edges of a regular grid."""
    return tuple((*range(0, length, step), length) for length, step in zip(shape, chunks, strict=True))


def planes(shape: Sequence[int], piece: int = PIECE) -> Edges:
    """Return the edges of pieces that are contiguous when the last axis runs fastest."""
    steps = []
    for axis, length in enumerate(shape):
        inner = math.prod(shape[axis + 1 :])
        steps.append(max(1, min(length, piece // inner)) if inner else 1)
    return regular_edges(shape, steps)


def words_of(box: Region) -> str:
    """Return a box in numpy's notation."""
    return "[" + ", ".join(f"{part.start}:{part.stop}" for part in box) + "]"


class ChunkGrid(StoredArray):
    """An array in a regular grid of chunks; only those that a part overlaps are decoded when it is read."""

    chunks: tuple[int, ...]

    @abstractmethod
    def name_of(self, place: tuple[int, ...]) -> str:
        """Return the name of a chunk by its place in the grid."""

    @abstractmethod
    def part(self, place: tuple[int, ...], box: Region) -> NDArray[Any] | None:
        """Return a box of a chunk, relative to its beginning; None if the chunk is absent."""

    @abstractmethod
    def fill_of(self, name: str) -> Any:
        """Return the value of all elements of an absent chunk."""

    @cached_property
    def edges(self) -> Edges:  # type: ignore[override]
        return regular_edges(self.shape, self.chunks)

    def read(self, box: Region) -> NDArray[Any]:
        return join_chunks(box, self.chunks, self.dtype, self.part, lambda place: self.fill_of(self.name_of(place)))


def join_chunks(
    box: Region,
    chunks: tuple[int, ...],
    dtype: np.dtype[Any],
    part_of: Callable[[tuple[int, ...], Region], NDArray[Any] | None],
    fill_of: Callable[[tuple[int, ...]], Any],
) -> NDArray[Any]:
    """Return the elements of a box, assembled from the chunks it overlaps; absent ones have one value."""
    lengths, origin = tuple(part.stop - part.start for part in box), [-part.start for part in box]
    array: NDArray[Any] | None = None
    filled: list[tuple[Region, Any]] = []
    for place, inside in overlapped(box, chunks):
        part = part_of(place, shifted(inside, [-at * step for at, step in zip(place, chunks, strict=True)]))
        if part is None:
            filled.append((shifted(inside, origin), fill_of(place)))
        elif inside == box:
            return part  # not copied
        else:
            # Not before the first stored chunk: a few bytes of metadata may declare a huge array and leave it out.
            array = np.empty(lengths, dtype=dtype) if array is None else array
            array[shifted(inside, origin)] = part
    if array is None:
        return np.broadcast_to(np.asarray(filled[0][1], dtype=dtype), lengths)
    for here, value in filled:
        array[here] = value
    return array


def overlapped(box: Region, steps: tuple[int, ...]) -> list[tuple[tuple[int, ...], Region]]:
    """Return the cells of a regular grid that a box overlaps, and the part of the box in each."""
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
    """Return a box moved along every axis."""
    return tuple(slice(part.start + step, part.stop + step) for part, step in zip(box, by, strict=True))


@dataclass(frozen=True, eq=False)
class FrameStack(StoredArray):
    """Images of one size along the first axis; ``load`` returns the image of one of the ``frames``."""

    frames: tuple[Any, ...]
    load: Callable[[Any], NDArray[Any]]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def edges(self) -> Edges:  # type: ignore[override]
        return regular_edges(self.shape, (1, *self.shape[1:]))

    def read(self, box: Region) -> NDArray[Any]:
        frames = [self._checked_image(frame)[box[1:]].astype(self.dtype, copy=False) for frame in self.frames[box[0]]]
        if not frames:
            return np.zeros((0, *self.shape[1:]), dtype=self.dtype)
        if len(frames) == 1:
            return frames[0][None]
        if all(frame.flags.f_contiguous for frame in frames):  # run lengths of COCO go down the columns
            return np.stack([frame.T for frame in frames]).swapaxes(1, -1)
        return np.stack(frames)

    def _checked_image(self, frame: Any) -> NDArray[Any]:
        image = self.load(frame)
        if image.shape != self.shape[1:]:
            raise FormatError(
                f"{frame}: has shape {image.shape}, the first frame of the video {self.shape[1:]}; expected frames of "
                "one size"
            )
        if not np.can_cast(image.dtype, self.dtype):
            raise FormatError(
                f"{frame}: is {image.dtype}, the first frame of the video {self.dtype}; expected one type"
            )
        return image


MOST_BYTES = 2**26


class CachedArray(StoredArray):
    """A stored array with a cache of decoded chunks, at most ``most_bytes``, dropped in order of last use."""

    def __init__(self, stored: StoredArray, most_bytes: int = MOST_BYTES) -> None:
        self.stored, self.shape, self.dtype, self.edges = stored, stored.shape, stored.dtype, stored.edges
        self._most, self._cached_bytes = most_bytes, 0
        self._chunks: OrderedDict[tuple[int, ...], NDArray[Any]] = OrderedDict()

    def read(self, box: Region) -> NDArray[Any]:
        touched = [
            range(bisect_right(cuts, part.start) - 1, bisect_left(cuts, part.stop))
            for cuts, part in zip(self.edges, box, strict=True)
        ]
        result = np.empty([part.stop - part.start for part in box], dtype=self.dtype)
        for place in itertools.product(*touched):
            ends = [(cuts[at], cuts[at + 1]) for cuts, at in zip(self.edges, place, strict=True)]
            both = [(max(p.start, low), min(p.stop, high)) for p, (low, high) in zip(box, ends, strict=True)]
            source = tuple(slice(a - low, b - low) for (a, b), (low, _) in zip(both, ends, strict=True))
            target = tuple(slice(a - p.start, b - p.start) for (a, b), p in zip(both, box, strict=True))
            result[target] = self._cached_chunk(place, tuple(slice(*end) for end in ends))[source]
        return result

    def _cached_chunk(self, place: tuple[int, ...], box: Region) -> NDArray[Any]:
        if place in self._chunks:
            self._chunks.move_to_end(place)
            return self._chunks[place]
        chunk = self.stored.read(box)
        self._chunks[place] = chunk
        self._cached_bytes += chunk.nbytes
        while self._cached_bytes > self._most and len(self._chunks) > 1:
            self._cached_bytes -= self._chunks.popitem(last=False)[1].nbytes
        return chunk
