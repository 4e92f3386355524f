"""Label arrays that stay in storage: only the requested part is read.

A stored array has a shape, a dtype and *edges*: the positions along each axis where one chunk (of a sharded zarr array:
one shard) ends and the next begins. Reading a part between edges decodes nothing else; any other part decodes every
chunk it overlaps.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.frozen_dataclass import frozen_dataclass

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
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def whole(self) -> NDArray[Any]:
        """Return all elements."""
        return self.read(tuple(slice(0, length) for length in self.shape))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Return all elements, for functions that accept arrays."""
        return np.array(self.whole(), dtype=dtype, copy=copy)


@frozen_dataclass(eq=False)
class StoredRegion:
    """A part of a stored array, read on conversion to an array."""

    stored: StoredArray
    box: Region

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Return the elements."""
        return np.array(self.stored.read(self.box), dtype=dtype, copy=copy)


def regular_edges(shape: Sequence[int], chunks: Sequence[int]) -> Edges:
    """Return the edges of a regular grid.

    >>> regular_edges((5, 4), (2, 4))
    ((0, 2, 4, 5), (0, 4))
    """
    return tuple((*range(0, length, step), length) for length, step in zip(shape, chunks, strict=True))


def planes(shape: Sequence[int], piece: int = PIECE) -> Edges:
    """Return the edges of pieces that are contiguous when the last axis runs fastest.

    >>> planes((6, 2, 3), piece=12), planes((2, 50), piece=12)
    (((0, 2, 4, 6), (0, 2), (0, 3)), ((0, 1, 2), (0, 12, 24, 36, 48, 50)))
    """
    steps = []
    for axis, length in enumerate(shape):
        inner = math.prod(shape[axis + 1 :])
        steps.append(max(1, min(length, piece // inner)) if inner else 1)
    return regular_edges(shape, steps)


def words_of(box: Region) -> str:
    """Return a box in numpy's notation.

    >>> words_of((slice(0, 2), slice(4, 8)))
    '[0:2, 4:8]'
    """
    return "[" + ", ".join(f"{part.start}:{part.stop}" for part in box) + "]"
