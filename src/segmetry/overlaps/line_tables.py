"""The overlap tables of many short lines in flat columns, counted in one walk along all of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from segmetry._base import IndexArray, IntArray, distinct
from segmetry.kernels import line_overlaps
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation import SpanLines, Spans

FARTHEST = 2**62
"""The lines must have fewer elements than this together."""


class LineSide(NamedTuple):
    """The segments of one side; those of line ``i`` are ``offsets[i] : offsets[i + 1]``.

    The other columns are those of :class:`~segmetry.overlaps.table.Side`; ``classes`` are positions in the class names
    of all lines.
    """

    offsets: IntArray
    ids: IntArray
    sizes: IntArray
    outside: IntArray
    void: IntArray
    classes: IntArray | None = None

    def sides(self) -> list[Side]:
        """Return the side of every line."""
        return [
            Side(self.ids[start:stop], self.sizes[start:stop], self.outside[start:stop], self.void[start:stop])
            for start, stop in pairwise(self.offsets.tolist())
        ]


class LineTables(NamedTuple):
    """The overlap tables of many lines; the rows of line ``i`` are ``row_offsets[i : i + 2]``.

    ``lengths`` are the numbers of elements of the lines, ``uncovered`` those in no segment of either side. There are
    ``class_names`` if both sides of every line have classes.
    """

    lengths: IntArray
    uncovered: IntArray
    true: LineSide
    pred: LineSide
    row_offsets: IntArray
    row_true: IntArray
    row_pred: IntArray
    shared: IntArray
    class_names: tuple[Hashable, ...] | None = None

    @classmethod
    def of(cls, true: Sequence[Spans], pred: Sequence[Spans]) -> LineTables:
        """Count the overlaps of one or more lines, both sides of which have the same length."""
        has_classes = all(spans.classes is not None for spans in chain(true, pred))
        return cls.of_columns(SpanLines.of(true), SpanLines.of(pred), has_classes=has_classes)

    @classmethod
    def of_columns(cls, true: SpanLines, pred: SpanLines, *, has_classes: bool) -> LineTables:
        """Count the overlaps of many lines, whose spans are in columns."""
        lengths = true.lengths
        begins = np.cumsum(lengths) - lengths
        first, second = _Moved.of(true, begins), _Moved.of(pred, begins)
        pairs = line_overlaps((first.starts, first.stops), (second.starts, second.stops))
        of_row = first.line_of[pairs.row_true]
        names, true_classes, pred_classes = _classes_of(true, pred) if has_classes else (None, None, None)
        return cls(
            lengths=lengths,
            uncovered=lengths - first.sums(pairs.true_outside) - second.sums(second.stops - second.starts),
            true=first.side(pairs.true_outside, true_classes),
            pred=second.side(pairs.pred_outside, pred_classes),
            row_offsets=_offsets(np.bincount(of_row, minlength=lengths.size)),
            row_true=pairs.row_true - first.offsets[of_row],
            row_pred=pairs.row_pred - second.offsets[of_row],
            shared=pairs.shared,
            class_names=names,
        )

    def tables(self) -> list[OverlapTable]:
        """Return the table of every line."""
        true, pred = self.true.sides(), self.pred.sides()
        tables = []
        for at, (start, stop) in enumerate(pairwise(self.row_offsets.tolist())):
            names, first, second = self._with_classes_of(at, true[at], pred[at])
            table = OverlapTable(
                first,
                second,
                self.row_true[start:stop],
                self.row_pred[start:stop],
                self.shared[start:stop],
                BackgroundCounts(int(self.uncovered[at])),
                int(self.lengths[at]),
                names,
            )
            table.__dict__["has_void"] = False  # a line has none
            tables.append(table)
        return tables

    def _with_classes_of(self, line: int, true: Side, pred: Side) -> tuple[tuple[Hashable, ...] | None, Side, Side]:
        """Return the classes that occur in a line, and its sides with their positions among these."""
        if self.class_names is None or self.true.classes is None or self.pred.classes is None:
            return None, true, pred
        first = self.true.classes[self.true.offsets[line] : self.true.offsets[line + 1]]
        second = self.pred.classes[self.pred.offsets[line] : self.pred.offsets[line + 1]]
        used = distinct(np.concatenate((first, second)))
        names = tuple(self.class_names[code] for code in used.tolist())
        both = ((true, first), (pred, second))
        true, pred = (replace(side, classes=np.searchsorted(used, codes)) for side, codes in both)
        return names, true, pred


def _classes_of(true: SpanLines, pred: SpanLines) -> tuple[tuple[Hashable, ...], IntArray, IntArray]:
    """Return the classes of all lines, and those of the segments of both sides."""
    names = sorted_names({*true.names, *pred.names})
    code = {name: at for at, name in enumerate(names)}
    first, second = (np.array([code[name] for name in side.names], dtype=np.int64)[side.codes] for side in (true, pred))
    return names, first, second


class _Moved(NamedTuple):
    """The spans of one side of all lines, moved to where their lines begin."""

    line_of: IndexArray
    offsets: IntArray
    starts: IntArray
    stops: IntArray

    @classmethod
    def of(cls, side: SpanLines, begins: IntArray) -> _Moved:
        moved = begins[side.lines]
        offsets = _offsets(np.bincount(side.lines, minlength=begins.size))
        return cls(side.lines, offsets, side.starts + moved, side.stops + moved)

    def sums(self, column: IntArray) -> IntArray:
        """Return the sum of a column over the spans of every line."""
        return np.diff(_offsets(column)[self.offsets])

    def side(self, outside: IntArray, classes: IntArray | None) -> LineSide:
        """Return the segments, numbered from 1 in every line."""
        ids = np.arange(1, self.starts.size + 1) - self.offsets[self.line_of]
        sizes = self.stops - self.starts
        return LineSide(self.offsets, ids.astype(np.int64, copy=False), sizes, outside, np.zeros_like(sizes), classes)


def _offsets(counts: IntArray) -> IntArray:
    """Return where parts of these sizes begin, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64, copy=False)
