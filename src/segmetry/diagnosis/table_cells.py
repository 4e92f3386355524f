"""The cells of an overlap table, and the table after cells are assigned to other pred segments.

Where neither side overlaps itself, every element is in exactly one cell: in one true segment, outside or void of the
truth, and in one pred segment, outside or void of the prediction. The table contains the size of each cell. A fix that
assigns complete cells to other pred segments therefore needs no elements: its table follows from the old table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from segmetry._base import BoolArray, IndexArray, IntArray, is_new, sum_by
from segmetry.errors import InputError
from segmetry.kernels import group_order
from segmetry.overlaps import BackgroundCounts, OverlapTable, Side

OUTSIDE, VOID = -1, -2
"""In the place of a position: elements in no segment of that side."""


@dataclass(frozen=True, eq=False)
class FixedTable:
    """A table after a fix; ``origin``: the former position of each pred, or ``-1 - t`` where it covers true t."""

    table: OverlapTable
    origin: IndexArray


@dataclass(frozen=True, eq=False)
class TableCells:
    """The cells of a table: positions in ``table.true`` and ``table.pred`` (or OUTSIDE, VOID), and elements."""

    table: OverlapTable
    true: IndexArray
    pred: IndexArray
    count: IntArray

    @classmethod
    def of(cls, table: OverlapTable) -> TableCells:
        """Return all cells that contain an element."""
        if not table.is_disjoint:
            raise InputError("segments of one side overlap; their cells cannot be derived from the overlap table")
        trues, preds = np.arange(len(table.true)), np.arange(len(table.pred))
        corner = table.background
        corners = (corner.outside_outside, corner.outside_void, corner.void_outside, corner.void_void)
        true = [table.row_true, trues, trues, np.full(preds.size, OUTSIDE), np.full(preds.size, VOID)]
        pred = [table.row_pred, np.full(trues.size, OUTSIDE), np.full(trues.size, VOID), preds, preds]
        count = [table.shared, table.true.outside, table.true.void, table.pred.outside, table.pred.void]
        true.append(np.array([OUTSIDE, OUTSIDE, VOID, VOID]))
        pred.append(np.array([OUTSIDE, VOID, OUTSIDE, VOID]))
        count.append(np.array(corners, dtype=np.int64))
        counts = np.concatenate(count)
        some = counts > 0
        cells = cls(table, np.concatenate(true)[some], np.concatenate(pred)[some], counts[some])
        cells._check_sums()
        return cells

    def _check_sums(self) -> None:
        for side, at, word in ((self.table.true, self.true, "true"), (self.table.pred, self.pred, "pred")):
            sizes = sum_by(at[at >= 0], self.count[at >= 0], len(side))
            wrong = np.flatnonzero(sizes != side.sizes)
            if wrong.size:
                first = int(wrong[0])
                raise InputError(
                    f"{word}: segment {side.ids[first]} has {int(side.sizes[first])} elements, but its overlaps, "
                    f"outside and void have {int(sizes[first])}; expected the same"
                )

    def reassigned(
        self,
        pred: IndexArray,
        *,
        new_for: IndexArray | None = None,
        new_classes: IntArray | None = None,
        dropped: BoolArray | None = None,
        classes: IntArray | None = None,
    ) -> FixedTable:
        """Return the table after every cell is assigned to the pred segment ``pred``.

        ``pred`` is the position of each cell's new segment; positions from ``len(table.pred)`` on are new segments,
        for the true segments ``new_for``, of the classes ``new_classes``. A segment that loses all its
        elements disappears; a segment that was empty before stays, unless it is ``dropped``. ``classes`` are
        the new classes of the old segments, if they change.
        """
        side = self.table.pred
        added = np.zeros(0, dtype=np.intp) if new_for is None else new_for
        total = len(side) + added.size
        is_kept = np.zeros(total, dtype=bool)
        is_kept[pred[pred >= 0]] = True
        was_empty = side.sizes == 0
        is_kept[: len(side)] |= was_empty if dropped is None else was_empty & ~dropped
        kept = np.flatnonzero(is_kept)
        place = np.full(total + 2, OUTSIDE, dtype=np.intp)
        place[kept], place[VOID] = np.arange(kept.size), VOID  # -1 and -2 look up the last two
        own = side.classes if classes is None else classes
        return FixedTable(
            self._table_of_counts(place[pred], self._side_after(kept, own, new_classes, added.size)),
            np.concatenate((np.arange(len(side)), -1 - added))[kept],
        )

    def _side_after(self, kept: IndexArray, classes: IntArray | None, new_classes: IntArray | None, n_new: int) -> Side:
        side, zeros = self.table.pred, np.zeros(kept.size, dtype=np.int64)
        crowd = None if side.crowd is None else np.concatenate((side.crowd, np.zeros(n_new, dtype=bool)))[kept]
        if classes is not None and new_classes is not None:
            classes = np.concatenate((classes, new_classes))
        return Side(
            ids=np.arange(1, kept.size + 1),
            sizes=zeros,
            outside=zeros,
            void=zeros,
            classes=None if classes is None else classes[kept],
            crowd=crowd,
        )

    def _table_of_counts(self, pred: IndexArray, side: Side) -> OverlapTable:
        """Return the table of these cells."""
        # Two stable sorts by counting, the less significant column first; - VOID makes positions start at 0.
        order, _ = group_order(pred - VOID, len(side) - VOID)
        order = order[group_order(self.true[order] - VOID, len(self.table.true) - VOID)[0]]
        true, pred, count = self.true[order], pred[order], self.count[order]
        new = is_new(true, pred)
        if true.size:
            true, pred, count = true[new], pred[new], np.add.reduceat(count, np.flatnonzero(new))
        rows = (true >= 0) & (pred >= 0)

        def total(at: IndexArray, where: BoolArray, size: int) -> IntArray:
            where = where & (at >= 0)
            return sum_by(at[where], count[where], size)

        def corner(true_is: int, pred_is: int) -> int:
            return int(count[(true == true_is) & (pred == pred_is)].sum())

        n_true, n_pred = len(self.table.true), len(side)
        return replace(
            self.table,
            true=replace(
                self.table.true, outside=total(true, pred == OUTSIDE, n_true), void=total(true, pred == VOID, n_true)
            ),
            pred=replace(
                side,
                sizes=total(pred, np.ones(pred.size, dtype=bool), n_pred),
                outside=total(pred, true == OUTSIDE, n_pred),
                void=total(pred, true == VOID, n_pred),
            ),
            row_true=true[rows],
            row_pred=pred[rows],
            shared=count[rows],
            background=BackgroundCounts(
                corner(OUTSIDE, OUTSIDE), corner(OUTSIDE, VOID), corner(VOID, OUTSIDE), corner(VOID, VOID)
            ),
        )
