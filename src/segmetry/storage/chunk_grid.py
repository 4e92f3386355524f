"""Arrays cut into a regular grid of chunks, each in a file of its own: a part is joined from the chunks it overlaps."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.storage.stored_arrays import Edges, Region, StoredArray, regular_edges


class ChunkGrid(StoredArray):
    """An array in chunks; only those that a part overlaps are decoded when it is read."""

    chunks: tuple[int, ...]

    @abstractmethod
    def chunk(self, place: tuple[int, ...]) -> NDArray[Any] | None:
        """Return the elements of a chunk by its place in the grid; None if it is absent."""

    @abstractmethod
    def fill_of(self, place: tuple[int, ...]) -> Any:
        """Return the value of all elements of an absent chunk."""

    @cached_property
    def edges(self) -> Edges:  # type: ignore[override]
        """The positions where chunks begin and end."""
        return regular_edges(self.shape, self.chunks)

    def read(self, box: Region) -> NDArray[Any]:
        joined = JoinedParts(box, self.dtype)
        for place, inside in overlapped(box, self.chunks):
            elements = self.chunk(place)
            if elements is None:
                joined.fill(inside, self.fill_of(place))
            else:
                here = shifted(inside, [-at * step for at, step in zip(place, self.chunks, strict=True)])
                joined.put(inside, elements[here])
        return joined.elements


class JoinedParts:
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
