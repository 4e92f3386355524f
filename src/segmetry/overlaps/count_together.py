"""Count the overlaps of many short lines in one walk: the lines are put one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from segmetry._base.exact import IntArray
from segmetry.kernels.lines.line_overlaps import line_overlaps
from segmetry.overlaps.build import with_classes
from segmetry.overlaps.count import count_overlaps
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation.pair import SegmentationPair
from segmetry.segmentation.spans import Spans

_FARTHEST = 2**62


def count_together(pairs: Sequence[SegmentationPair]) -> list[OverlapTable]:
    """Return the overlap table of every checked pair; pairs of spans are counted together, others one by one.

    >>> pairs = [SegmentationPair.of(Spans.from_masses([2, 1]), Spans([0], [2], 3)), SegmentationPair.of([[1]], [[2]])]
    >>> [table.shared.tolist() for table in count_together(pairs)]
    [[2], [1]]
    """
    lines = [(pair.true, pair.pred) for pair in pairs if type(pair.true) is Spans and type(pair.pred) is Spans]
    if len(lines) < len(pairs) or sum(true.n for true, _ in lines) >= _FARTHEST:
        return [count_overlaps(pair) for pair in pairs]
    return _lines(lines)


def _lines(lines: Sequence[tuple[Spans, Spans]]) -> list[OverlapTable]:
    if not lines:
        return []
    lengths = np.array([true.n for true, _ in lines], dtype=np.int64)
    begins = np.cumsum(lengths) - lengths
    true, pred = (_SideColumns([pair[side] for pair in lines], begins) for side in (0, 1))
    pairs = line_overlaps((true.starts, true.stops), (pred.starts, pred.stops))
    of_row = true.line_of[pairs.row_true]
    rows = np.concatenate(([0], np.cumsum(np.bincount(of_row, minlength=len(lines))))).tolist()
    row_true, row_pred = pairs.row_true - true.offsets[of_row], pairs.row_pred - pred.offsets[of_row]
    true_sides, pred_sides = true.sides(pairs.true_outside), pred.sides(pairs.pred_outside)
    uncovered = (lengths - true.sums(pairs.true_outside) - pred.sums(pred.stops - pred.starts)).tolist()
    tables = []
    for at, (first, second) in enumerate(lines):
        part = slice(rows[at], rows[at + 1])
        table = OverlapTable(
            true_sides[at],
            pred_sides[at],
            row_true[part],
            row_pred[part],
            pairs.shared[part],
            BackgroundCounts(uncovered[at]),
            first.n,
        )
        table.__dict__["has_void"] = False  # a line has none
        tables.append(with_classes(table, first.classes, second.classes))
    return tables


class _SideColumns:
    """The spans of one side of all lines, moved to where their lines begin."""

    def __init__(self, lines: Sequence[Spans], begins: IntArray) -> None:
        counts = np.array([spans.starts.size for spans in lines], dtype=np.int64)
        self.line_of = np.repeat(np.arange(len(lines)), counts)
        self.offsets: IntArray = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        moved = begins[self.line_of]
        self.starts: IntArray = np.concatenate([spans.starts for spans in lines]) + moved
        self.stops: IntArray = np.concatenate([spans.stops for spans in lines]) + moved

    def sums(self, column: IntArray) -> IntArray:
        """Return the sum of a column over the spans of every line."""
        until = np.concatenate(([0], np.cumsum(column)))[self.offsets]
        return np.diff(until)

    def sides(self, outside: IntArray) -> list[Side]:
        """Return the side of the table of every line."""
        ends, sizes = self.offsets.tolist(), self.stops - self.starts
        most = int(np.diff(self.offsets).max())
        ids, nothing = np.arange(1, most + 1, dtype=np.int64), np.zeros(most, dtype=np.int64)
        return [
            Side(ids[: stop - start], sizes[start:stop], outside[start:stop], nothing[: stop - start])
            for start, stop in pairwise(ends)
        ]
