"""The sums of columns over many samples of items at once, for every part of a data set.

A sample is a vector of weights over the items: how often each is in it. The sums of a part are a matrix product of its
columns with the weights of its items. It is cut into pieces that a BLAS computes in one thread: waiting threads would
cost more than they save, and the last digits would depend on their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from segmetry.exact import FloatArray

ONE_THREAD = 2**18
"""So many multiplications a BLAS does in one thread."""
MOST_SAMPLES = 64
"""As many samples are summed at once; more would need smaller pieces."""

_SHORTEST, _LONGEST = 16, 192
_PIECES_IN_CACHE = 16

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns (rows of ``numbers``) of the cells of every part.

    The cells of part ``p`` are ``starts[p] : starts[p + 1]``, by item; ``items`` are their positions in the data set.
    """

    items: Positions
    starts: Positions
    numbers: FloatArray

    @property
    def n_parts(self) -> int:
        """How many parts there are."""
        return self.starts.size - 1

    @cached_property
    def part(self) -> Positions:
        """The part of every cell."""
        return np.repeat(np.arange(self.n_parts), np.diff(self.starts))

    @cached_property
    def totals(self) -> FloatArray:
        """The sums of the whole data set: parts × columns."""
        found = np.zeros((self.n_parts, self.numbers.shape[0]))
        for part in np.flatnonzero(np.diff(self.starts)).tolist():
            found[part] = self.numbers[:, self.starts[part] : self.starts[part + 1]].sum(axis=1)
        return found

    @cached_property
    def _pieces(self) -> _Pieces:
        return _Pieces.of(self)

    def batches(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Consecutive parts, as many at once as the processor's cache holds."""
        first = self._pieces.first
        while start < stop:
            most = int(np.searchsorted(first, first[start] + _PIECES_IN_CACHE, side="right")) - 1
            end = min(max(start + 1, most), stop)
            yield start, end
            start = end

    def sums(self, weights: FloatArray, start: int, stop: int) -> FloatArray:
        """The sums of some parts (parts × columns × samples), where items (rows) are in samples so often."""
        return self._pieces.sums(weights, start, stop)


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Cells in pieces of equal length, filled up with zeros; part ``p`` has the pieces ``first[p] : first[p + 1]``."""

    items: Positions
    numbers: FloatArray
    first: Positions

    @classmethod
    def of(cls, columns: Columns) -> _Pieces:
        lengths = np.diff(columns.starts)
        step = _length(lengths, columns.numbers.shape[0])
        first = np.concatenate(([0], np.cumsum(-(-lengths // step))))
        place = (first[:-1] * step - columns.starts[:-1])[columns.part] + np.arange(columns.items.size)
        items = np.zeros((int(first[-1]), step), dtype=np.intp)
        items.flat[place] = columns.items
        numbers = np.zeros((int(first[-1]), columns.numbers.shape[0], step))
        numbers[place // step, :, place % step] = columns.numbers.T
        return cls(items, numbers, first)

    def sums(self, weights: FloatArray, start: int, stop: int) -> FloatArray:
        """See :meth:`Columns.sums`."""
        found = np.zeros((stop - start, self.numbers.shape[1], weights.shape[1]))
        begin, end = int(self.first[start]), int(self.first[stop])
        home = np.repeat(np.arange(stop - start), np.diff(self.first[start : stop + 1])).tolist()
        for low in range(begin, end, _PIECES_IN_CACHE):
            high = min(low + _PIECES_IN_CACHE, end)
            products = np.matmul(self.numbers[low:high], weights[self.items[low:high]])
            for part, product in zip(home[low - begin : high - begin], products, strict=True):
                found[part] += product
        return found


def _length(lengths: Positions, width: int) -> int:
    """How long pieces are: what one thread computes, with few zeros to fill them up."""
    longest = max(_SHORTEST, min(_LONGEST, ONE_THREAD // (MOST_SAMPLES * max(1, width))))
    choices = np.arange(_SHORTEST, longest + 1, 8)
    pieces = -(-lengths[:, None] // choices)
    return int(choices[np.argmin((pieces * (choices + _SHORTEST)).sum(axis=0))])
