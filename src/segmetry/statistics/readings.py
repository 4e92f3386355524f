"""The values of many readings under any weights of items: a data set, resamples, items left out, items exchanged.

A number of a data set is g(L·w): L are the rows of numbers of its items, w how often each item counts, g the formula of
the metric with its means. A bootstrap resample has a vector of counts, a jackknife sample all items but one, and a
paired permutation takes some items from the other system. The rows of all readings are stacked, and equal rows are
multiplied once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from segmetry._base import FloatArray, IndexArray
from segmetry.metrics import Cells, Reading
from segmetry.statistics.random_draws import MOST_SAMPLES, Draws

_BLOCK = 2**22
"""The most sums of a block of samples: 32 MB, so that many classes do not need much memory."""

_FINISHED_TOGETHER = 1024
"""How many samples formulas are asked for at once."""
ONE_THREAD = 2**18
"""The number of multiplications that a BLAS does in one thread.

The sums of a part are a matrix product of its columns with the weights of its items, cut into such pieces: waiting
threads would cost more than they save, and the last digits would depend on their number.
"""


class Stack:
    """The rows of several readings of the same items, equal ones once.

    With several ``sides`` the readings are of the items of as many systems, one system after the other, and weights are
    those of the items of one system.
    """

    def __init__(self, readings: Sequence[Reading], n_items: int, sides: int = 1) -> None:
        self.readings, self.n_items, self.sides = readings, n_items, sides
        self._items = StackRows(None, n_items, sides)
        self._cells: dict[int, StackRows] = {}
        self._places: list[tuple[IndexArray, int | None, IndexArray]] = []
        distinct: list[Cells] = []  # metrics with statistics of their own have equal cells, whose weights serve all
        for reading in readings:
            if reading.is_ranked:
                self._places.append((_NOTHING, None, _NOTHING))
                continue
            linear, at, of_cells = reading.linear, None, _NOTHING
            if linear.cells is not None and linear.of_cells is not None:
                at = next((n for n, cells in enumerate(distinct) if cells.equals(linear.cells)), len(distinct))
                if at == len(distinct):
                    distinct.append(linear.cells)
                    self._cells[at] = StackRows(linear.cells, n_items, sides)
                of_cells = self._cells[at].add(linear.of_cells)
            self._places.append((self._items.add(linear.of_items), at, of_cells))

    def values(self, weights: FloatArray) -> list[FloatArray]:
        """Return the values of every reading (outputs × samples) for weights of items (rows) in samples."""
        (values,) = self.blocks([weights])
        return values

    def blocks(self, every: Iterable[FloatArray]) -> Iterator[list[FloatArray]]:
        """Yield the values of many samples, in larger blocks than their weights come in."""
        return (self._finished(sums.of_side(0, 1), sums.ranked) for sums in self._joined(map(self._sums, every)))

    def exchanged(
        self, pairs: Sequence[tuple[int, int]], swaps: Iterable[FloatArray]
    ) -> Iterator[list[tuple[list[FloatArray], list[FloatArray]]]]:
        """Yield the values of both systems of each pair after exchanges of items (rows) in samples.

        The sums of the exchanged items of each system serve all of its pairs.
        """
        total = self._sums(np.ones((self.n_items, 1)))
        for part in self._joined(self._sums(block, pairs) for block in swaps):
            own = [part.of_side(at, self.sides) for at in range(self.sides)]
            rest = [total.of_side(at, self.sides).plus(part, -1) for at, part in enumerate(own)]
            yield [
                (
                    self._finished(rest[i].plus(own[j], 1), {at: one[pair, 0] for at, one in part.ranked.items()}),
                    self._finished(rest[j].plus(own[i], 1), {at: one[pair, 1] for at, one in part.ranked.items()}),
                )
                for pair, (i, j) in enumerate(pairs)
            ]

    def _joined(self, parts: Iterable[_Sums]) -> Iterator[_Sums]:
        """Yield sums of more samples at once.

        Weights fit in the processor's cache; formulas are asked seldom, as each has a cost of its own.
        """
        most = min(_FINISHED_TOGETHER, _BLOCK // max([1, *(rows.n_sums for rows in self._cells.values())]))
        waiting: list[_Sums] = []
        for sums in parts:
            waiting.append(sums)
            if sum(part.items.shape[-1] for part in waiting) >= most:
                yield _Sums.joined(waiting)
                waiting = []
        if waiting:
            yield _Sums.joined(waiting)

    def _sums(self, weights: FloatArray, pairs: Sequence[tuple[int, int]] | None = None) -> _Sums:
        """Return the sums of samples; with ``pairs`` weights are exchanges, and ranked values those of both sides."""
        ranked = {}
        for at, reading in enumerate(self.readings):
            if reading.is_ranked and self.sides == 1:
                ranked[at] = reading.ranked(weights)
            elif reading.is_ranked and pairs is not None:
                ranked[at] = np.array([self._ranked_sides(reading, weights, pair) for pair in pairs])
        cells = {at: rows.sums(weights) for at, rows in self._cells.items()}
        return _Sums(self._items.sums(weights), cells, ranked)

    def _ranked_sides(self, reading: Reading, swaps: FloatArray, pair: tuple[int, int]) -> list[FloatArray]:
        sides = []
        for i, j in (pair, pair[::-1]):
            weights = np.zeros((self.sides, *swaps.shape))
            weights[i], weights[j] = 1 - swaps, swaps
            sides.append(reading.ranked(weights.reshape(-1, swaps.shape[1])))
        return sides

    def _finished(self, sums: _Sums, ranked: Mapping[int, FloatArray]) -> list[FloatArray]:
        return [
            ranked[at] if reading.is_ranked else self._finish(at, sums.items[0], sums.cells)
            for at, reading in enumerate(self.readings)
        ]

    def without_each(self, clusters: IndexArray | None = None) -> list[FloatArray]:
        """Return the values of every reading without each item, or each cluster of items: outputs × items; nothing of
        n × n is made.
        """
        units = np.arange(self.n_items) if clusters is None else clusters
        n = int(units.max(initial=-1)) + 1
        step = max(1, _BLOCK // max([n, *(rows.n_sums for rows in self._cells.values())]))
        blocks = [self._without(units, start, min(start + step, n)) for start in range(0, n, step)]
        return [np.concatenate(parts, axis=1) for parts in zip(*blocks, strict=True)]

    def _without(self, units: IndexArray, start: int, stop: int) -> list[FloatArray]:
        items = self._items.without(units, start, stop)[0]
        cells = {at: rows.without(units, start, stop) for at, rows in self._cells.items()}
        weights = None
        values = []
        for at, reading in enumerate(self.readings):
            if reading.is_ranked:
                if weights is None:
                    weights = (units[:, None] != np.arange(start, stop)).astype(np.float64)
                values.append(reading.ranked(weights))
            else:
                values.append(self._finish(at, items, cells))
        return values

    def _finish(self, at: int, items: FloatArray, cells: Mapping[int, FloatArray]) -> FloatArray:
        of_items, place, of_cells = self._places[at]
        class_sums = np.zeros((1, 0, items.shape[-1])) if place is None else cells[place][:, of_cells]
        return self.readings[at].linear.finish(items[of_items], class_sums)


class _Sums(NamedTuple):
    """The sums of samples, the last axis: of rows of items, of rows of cells, and the values of ranked readings.

    The first axis of sums are classes (one of items), each for every side.
    """

    items: FloatArray
    cells: Mapping[int, FloatArray]
    ranked: Mapping[int, FloatArray]

    @classmethod
    def joined(cls, parts: Sequence[_Sums]) -> _Sums:
        """Return the sums of all samples."""
        if len(parts) == 1:
            return parts[0]
        items, *others = zip(*parts, strict=True)
        together = ({at: np.concatenate([one[at] for one in own], axis=-1) for at in own[0]} for own in others)
        return cls(np.concatenate(items, axis=-1), *together)

    def of_side(self, side: int, sides: int) -> _Sums:
        """Return the sums of one system."""
        return _Sums(self.items[side::sides], {at: sums[side::sides] for at, sums in self.cells.items()}, {})

    def plus(self, other: _Sums, sign: int) -> _Sums:
        """Return the sums of the items of both, or without those of the other."""
        cells = {at: sums + sign * other.cells[at] for at, sums in self.cells.items()}
        return _Sums(self.items + sign * other.items, cells, {})


_NOTHING: IndexArray = np.zeros(0, dtype=np.intp)


class StackRows:
    """Distinct rows of numbers of items, or of the cells (a class in an item) of one set of statistics.

    Their parts are the classes, each for every side; rows of items are of one class. The cells of part ``p`` are
    ``starts[p] : starts[p + 1]``, by item.
    """

    def __init__(self, cells: Cells | None, n_items: int, sides: int = 1) -> None:
        self.n_items, self.sides = n_items, sides
        self.items = np.arange(n_items * sides) if cells is None else cells.item
        self.starts = np.array([0, self.items.size]) if cells is None else cells.starts
        if sides > 1:  # the items of a class are in order, so that those of a side are together
            part = self.part * sides + self.items // n_items
            counts = np.bincount(part, minlength=sides * self.n_parts)
            self.items, self.starts = self.items % n_items, np.concatenate(([0], np.cumsum(counts)))
            del self.part
        self._number: dict[bytes, int] = {}
        self._rows: list[FloatArray] = []

    def add(self, numbers: FloatArray) -> IndexArray:
        """Add rows; return their places among the distinct ones."""
        places = []
        for row in numbers:
            place = self._number.setdefault(np.ascontiguousarray(row).tobytes(), len(self._rows))
            if place == len(self._rows):
                self._rows.append(row)
            places.append(place)
        return np.array(places, dtype=np.intp)

    @property
    def n_parts(self) -> int:
        """The number of classes of all sides."""
        return self.starts.size - 1

    @property
    def n_sums(self) -> int:
        """The number of sums of one sample."""
        return max(1, len(self._rows)) * max(self.sides, self.n_parts)

    @cached_property
    def part(self) -> IndexArray:
        """The part of every cell."""
        return np.repeat(np.arange(self.n_parts), np.diff(self.starts))

    @cached_property
    def numbers(self) -> FloatArray:
        """All rows: rows × cells."""
        return np.stack(self._rows) if self._rows else np.zeros((0, self.items.size))

    @cached_property
    def totals(self) -> FloatArray:
        """The sums of the whole data set: parts × rows."""
        cuts = pairwise(self.starts.tolist())
        sums = [self.numbers[:, start:stop].sum(axis=1) for start, stop in cuts]
        return np.array(sums).reshape(self.n_parts, len(self.numbers))

    @cached_property
    def _pieces(self) -> list[list[tuple[IndexArray | slice, FloatArray]]]:
        """The items and the rows of every part, in pieces for one thread."""
        step = max(16, ONE_THREAD // (MOST_SAMPLES * max(1, len(self.numbers))))
        pieces = []
        for start, stop in pairwise(self.starts.tolist()):
            cuts = [slice(low, min(low + step, stop)) for low in range(start, stop, step)]
            pieces.append([(_consecutive(self.items[cut]), self.numbers[:, cut]) for cut in cuts])
        return pieces

    @np.errstate(invalid="ignore")  # the samples of a row with an infinite value are NaN
    def sums(self, weights: FloatArray) -> FloatArray:
        """Return the sums of all parts (parts × rows × samples) for weights of items (rows) in samples."""
        # A row of all parts is in one piece of memory: formulas take row by row.
        sums = np.empty((len(self.numbers), self.n_parts, weights.shape[1])).swapaxes(0, 1)
        for room, pieces in zip(sums, self._pieces, strict=True):
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
        return sums

    @np.errstate(invalid="ignore")  # ∞ − ∞ is NaN
    def without(self, units: IndexArray, start: int, stop: int) -> FloatArray:
        """Return the sums without each of some units, items or clusters of them: parts × rows × units."""
        sums = np.repeat(self.totals[:, :, None], stop - start, axis=2)
        unit = units[self.items]
        own = np.flatnonzero((unit >= start) & (unit < stop))
        np.subtract.at(sums.swapaxes(1, 2), (self.part[own], unit[own] - start), self.numbers[:, own].T)
        return sums


def resampled(stack: Stack, draws: Draws) -> list[FloatArray]:
    """Return the values of every reading in all resamples: outputs × resamples."""
    blocks = list(stack.blocks(draws))
    return [np.concatenate(parts, axis=1) for parts in zip(*blocks, strict=True)]


def _consecutive(items: IndexArray) -> IndexArray | slice:
    """Return a range where the items, which are ascending, are one: its rows of weights need not be copied."""
    first, last = int(items[0]), int(items[-1])
    return slice(first, last + 1) if last - first + 1 == items.size else items
