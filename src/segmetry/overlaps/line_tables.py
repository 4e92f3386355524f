"""The overlap tables of many short lines, counted in one walk along all of them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from segmetry._base import IndexArray, IntArray
from segmetry.kernels import line_overlaps
from segmetry.overlaps.item_tables import ItemTables
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation import SpanLines

FARTHEST = 2**62
"""The lines must have fewer elements than this together."""


def count_lines(true: SpanLines, pred: SpanLines, *, has_classes: bool) -> ItemTables:
    """Count the overlaps of one or more lines, both sides of which have the same length."""
    lengths = true.lengths
    begins = np.cumsum(lengths) - lengths
    first, second = _Moved.of(true, begins), _Moved.of(pred, begins)
    pairs = line_overlaps((first.starts, first.stops), (second.starts, second.stops))
    names, true_classes, pred_classes = _classes_of(true, pred) if has_classes else (None, None, None)
    counts = np.zeros((lengths.size, 5), dtype=np.int64)
    counts[:, 0] = lengths
    counts[:, 1] = lengths - first.sums(pairs.true_outside) - second.sums(second.stops - second.starts)
    table = OverlapTable(
        true=first.side(pairs.true_outside, true_classes),
        pred=second.side(pairs.pred_outside, pred_classes),
        row_true=pairs.row_true,
        row_pred=pairs.row_pred,
        shared=pairs.shared,
        background=BackgroundCounts(),
        n_elements=int(lengths.sum()),
        class_names=names,
    )
    table.__dict__["has_void"] = False  # a line has none
    return ItemTables(table, first.line_of, second.line_of, counts)


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

    def side(self, outside: IntArray, classes: IntArray | None) -> Side:
        """Return the segments, numbered from 1 in every line."""
        ids = np.arange(1, self.starts.size + 1) - self.offsets[self.line_of]
        sizes = self.stops - self.starts
        return Side(ids.astype(np.int64, copy=False), sizes, outside, np.zeros_like(sizes), classes)


def _offsets(counts: IntArray) -> IntArray:
    """Return where parts of these sizes begin, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64, copy=False)
