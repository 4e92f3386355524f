"""The overlap tables of many short lines in flat columns, counted in one walk along all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from segmetry._base import IndexArray, IntArray
from segmetry.kernels import line_overlaps
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation import Spans

FARTHEST = 2**62
"""The lines must have fewer elements than this together."""


class LineSide(NamedTuple):
    """The segments of one side; those of line ``i`` are ``offsets[i] : offsets[i + 1]``.

    The other columns are those of :class:`~segmetry.overlaps.table.Side`.
    """

    offsets: IntArray
    ids: IntArray
    sizes: IntArray
    outside: IntArray
    void: IntArray

    def sides(self) -> list[Side]:
        """Return the side of every line."""
        return [
            Side(self.ids[start:stop], self.sizes[start:stop], self.outside[start:stop], self.void[start:stop])
            for start, stop in pairwise(self.offsets.tolist())
        ]


class LineTables(NamedTuple):
    """The overlap tables of many lines, without classes; the rows of line ``i`` are ``row_offsets[i : i + 2]``.

    ``lengths`` are the numbers of elements of the lines, ``uncovered`` those in no segment of either side.
    """

    lengths: IntArray
    uncovered: IntArray
    true: LineSide
    pred: LineSide
    row_offsets: IntArray
    row_true: IntArray
    row_pred: IntArray
    shared: IntArray

    @classmethod
    def of(cls, true: Sequence[Spans], pred: Sequence[Spans]) -> LineTables:
        """Count the overlaps of one or more lines, both sides of which have the same length.

        >>> tables = LineTables.of([Spans.from_masses([2, 1]), Spans([0], [2], 3)], [Spans.from_masses([3])] * 2)
        >>> tables.row_true.tolist(), tables.shared.tolist(), tables.pred.outside.tolist()
        ([0, 1, 0], [2, 1, 2], [0, 1])
        """
        lengths = np.array([spans.n for spans in true], dtype=np.int64)
        begins = np.cumsum(lengths) - lengths
        first, second = _Moved.of(true, begins), _Moved.of(pred, begins)
        pairs = line_overlaps((first.starts, first.stops), (second.starts, second.stops))
        of_row = first.line_of[pairs.row_true]
        return cls(
            lengths=lengths,
            uncovered=lengths - first.sums(pairs.true_outside) - second.sums(second.stops - second.starts),
            true=first.side(pairs.true_outside),
            pred=second.side(pairs.pred_outside),
            row_offsets=_offsets(np.bincount(of_row, minlength=len(true))),
            row_true=pairs.row_true - first.offsets[of_row],
            row_pred=pairs.row_pred - second.offsets[of_row],
            shared=pairs.shared,
        )

    def tables(self) -> list[OverlapTable]:
        """Return the table of every line."""
        true, pred = self.true.sides(), self.pred.sides()
        tables = []
        for at, (start, stop) in enumerate(pairwise(self.row_offsets.tolist())):
            table = OverlapTable(
                true[at],
                pred[at],
                self.row_true[start:stop],
                self.row_pred[start:stop],
                self.shared[start:stop],
                BackgroundCounts(int(self.uncovered[at])),
                int(self.lengths[at]),
            )
            table.__dict__["has_void"] = False  # a line has none
            tables.append(table)
        return tables


class _Moved(NamedTuple):
    """The spans of one side of all lines, moved to where their lines begin."""

    line_of: IndexArray
    offsets: IntArray
    starts: IntArray
    stops: IntArray

    @classmethod
    def of(cls, lines: Sequence[Spans], begins: IntArray) -> _Moved:
        counts = [spans.starts.size for spans in lines]
        line_of = np.repeat(np.arange(len(lines)), counts)
        moved = begins[line_of]
        starts = np.concatenate([spans.starts for spans in lines]) + moved
        stops = np.concatenate([spans.stops for spans in lines]) + moved
        return cls(line_of, _offsets(np.array(counts)), starts, stops)

    def sums(self, column: IntArray) -> IntArray:
        """Return the sum of a column over the spans of every line."""
        return np.diff(_offsets(column)[self.offsets])

    def side(self, outside: IntArray) -> LineSide:
        """Return the segments, numbered from 1 in every line."""
        ids = np.arange(1, self.starts.size + 1) - self.offsets[self.line_of]
        sizes = self.stops - self.starts
        return LineSide(self.offsets, ids.astype(np.int64, copy=False), sizes, outside, np.zeros_like(sizes))


def _offsets(counts: IntArray) -> IntArray:
    """Return where parts of these sizes begin, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64, copy=False)
