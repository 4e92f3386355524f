"""The sums of columns over many samples of items at once, for every part of a data set.

A sample is a vector of weights over the items: how often each is in it. The sums of a part are a matrix product of its
columns with the weights of its items. It is cut into pieces that a BLAS computes in one thread: waiting threads would
cost more than they save, and the last digits would depend on their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from segmetry._base.exact import FloatArray, IndexArray

ONE_THREAD = 2**18
"""The number of multiplications that a BLAS does in one thread."""
MOST_SAMPLES = 48
"""The number of samples that are summed at once: a class of a few hundred items is one piece."""

_IN_CACHE = 2**16


@dataclass(frozen=True, eq=False)
class PartColumns:
    """The columns (rows of ``numbers``) of the cells of every part.

    The cells of part ``p`` are ``starts[p] : starts[p + 1]``, by item; ``items`` are their positions in the data set.
    """

    items: IndexArray
    starts: IndexArray
    numbers: FloatArray

    @property
    def n_parts(self) -> int:
        """The number of parts."""
        return self.starts.size - 1

    @cached_property
    def part(self) -> IndexArray:
        """The part of every cell."""
        return np.repeat(np.arange(self.n_parts), np.diff(self.starts))

    @cached_property
    def totals(self) -> FloatArray:
        """The sums of the whole data set: parts × columns."""
        cuts = pairwise(self.starts.tolist())
        sums = [self.numbers[:, start:stop].sum(axis=1) for start, stop in cuts]
        return np.array(sums).reshape(self.n_parts, self.numbers.shape[0])

    @cached_property
    def column(self) -> IndexArray:
        """Which of the distinct columns each column is: most say that a value is used, and are equal."""
        number: dict[bytes, int] = {}
        return np.array([number.setdefault(_digest(column), len(number)) for column in self.numbers], dtype=np.intp)

    @property
    def n_distinct(self) -> int:
        """The number of distinct columns."""
        return 1 + int(self.column.max(initial=-1))

    @cached_property
    def _pieces(self) -> list[list[tuple[IndexArray | slice, FloatArray]]]:
        """The items and the distinct columns of every part, in pieces for one thread."""
        distinct = [self.column.tolist().index(place) for place in range(self.n_distinct)]
        step = max(16, ONE_THREAD // (MOST_SAMPLES * max(1, len(distinct))))
        pieces = []
        for start, stop in pairwise(self.starts.tolist()):
            cuts = [slice(low, min(low + step, stop)) for low in range(start, stop, step)]
            pieces.append([(_consecutive(self.items[cut]), self.numbers[distinct, cut]) for cut in cuts])
        return pieces

    def batches(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Yield consecutive parts, as many at once as have sums that fit in the processor's cache."""
        step = max(1, _IN_CACHE // (MOST_SAMPLES * self.numbers.shape[0]))
        for low in range(start, stop, step):
            yield low, min(low + step, stop)

    def sums(self, weights: FloatArray, start: int, stop: int) -> FloatArray:
        """Return the sums of some parts (parts × columns × samples) for weights of items (rows) in samples."""
        sums = rows_first(stop - start, self.n_distinct, weights.shape[1])
        self.sum_distinct(weights, start, sums)
        return sums if self.n_distinct == self.column.size else sums[:, self.column]

    @np.errstate(invalid="ignore")  # the samples of a column with an infinite value are NaN
    def sum_distinct(self, weights: FloatArray, start: int, sums: FloatArray) -> None:
        """Write the sums of the distinct columns alone of as many parts, from ``start`` on, as there is room for."""
        for room, pieces in zip(sums, self._pieces[start : start + len(sums)], strict=True):
            if not pieces:
                room[:] = 0
            for at, (items, numbers) in enumerate(pieces):
                if isinstance(items, slice):
                    chosen = weights[items]
                else:
                    chosen = np.empty((items.size, weights.shape[1]))
                    weights.take(items, axis=0, out=chosen, mode="clip")  # another mode would copy once more
                if at == 0:
                    np.matmul(numbers, chosen, out=room)
                else:
                    room += numbers @ chosen


def rows_first(n_parts: int, n_rows: int, n_samples: int) -> FloatArray:
    """Return room for parts × rows × samples in which a row of all parts is in one piece of memory."""
    return np.empty((n_rows, n_parts, n_samples)).swapaxes(0, 1)


def _digest(column: FloatArray) -> bytes:
    from hashlib import sha256  # a score without intervals draws no samples

    return sha256(np.ascontiguousarray(column).data).digest()


def _consecutive(items: IndexArray) -> IndexArray | slice:
    """Return a range where the items, which are ascending, are one: its rows of weights need not be copied.

    >>> _consecutive(np.array([3, 4, 5])), _consecutive(np.array([3, 5]))
    (slice(3, 6, None), array([3, 5]))
    """
    first, last = int(items[0]), int(items[-1])
    return slice(first, last + 1) if last - first + 1 == items.size else items
