"""The overlap tables of many items as one, so that what each contributes is counted in one pass over all of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IndexArray, IntArray, distinct, frozen_dataclass, products_fit, sum_by
from segmetry.overlaps.table import OverlapTable


class LabelCells(NamedTuple):
    """The pairs of an item and a label, by item; ``true`` and ``pred`` are the cells of the segments.

    ``code`` are the labels as positions in ``names``.
    """

    item: IndexArray
    code: IndexArray
    names: Sequence[Hashable]
    true: IndexArray
    pred: IndexArray

    def elements(self, table: OverlapTable) -> dict[str, IntArray]:
        """Return the elements of every cell on both sides, in the truth and in the prediction, without void ones."""
        of_true, of_pred = self.true[table.row_true], self.pred[table.row_pred]
        same = of_true == of_pred
        n = self.item.size
        return {
            "shared": sum_by(of_true[same], table.shared[same], n),
            "true": sum_by(self.true, table.true.sizes - table.true.void, n),
            "pred": sum_by(self.pred, table.pred.sizes - table.pred.void, n),
        }


@frozen_dataclass(eq=False)
class ItemTables:
    """The overlap tables of n ≥ 1 items: one table of the segments of all of them, and the item of each.

    The ids of a segment are those of its own item. ``counts`` are the elements of every item (a row), and the four
    numbers of its background. The tables of several items are disjoint, and all or none of them carry classes.
    """

    table: OverlapTable
    true_item: IndexArray
    pred_item: IndexArray
    counts: IntArray

    @classmethod
    def of(cls, table: OverlapTable) -> ItemTables:
        """Return one table."""
        true, pred = (np.zeros(len(side), dtype=np.intp) for side in (table.true, table.pred))
        counts = table.n_elements, *table.background
        fits = products_fit(max(counts))  # masses of spans may exceed int64
        return cls(table, true, pred, np.array([counts], dtype=np.int64 if fits else object))

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def by_class(self) -> LabelCells:
        """The classes of every item: all that one table names, those that occur in each of several."""
        true, pred, names = self.table.true.class_codes, self.table.pred.class_codes, self.table.class_names or ()
        if len(self) > 1:
            return self._cells(true, pred, names)
        return LabelCells(np.zeros(len(names), dtype=np.intp), np.arange(len(names)), names, true, pred)

    @cached_property
    def by_id(self) -> LabelCells:
        """The ids of every item."""
        true: NDArray[Any]
        pred: NDArray[Any]
        true, pred = self.table.true.ids, self.table.pred.ids
        if true.dtype != pred.dtype:  # numpy would compare int64 and uint64 as floats
            true, pred = true.astype(object), pred.astype(object)
        names = distinct(np.concatenate((true, pred)))
        of_true, of_pred = np.searchsorted(names, true), np.searchsorted(names, pred)
        if len(self) > 1:
            return self._cells(of_true, of_pred, names.tolist())
        return LabelCells(np.zeros(names.size, dtype=np.intp), np.arange(names.size), names.tolist(), of_true, of_pred)

    def all_as(self, label: Hashable) -> LabelCells:
        """Return the cells of one label that all segments have."""
        items = np.arange(len(self))
        return LabelCells(items, np.zeros_like(items), (label,), self.true_item, self.pred_item)

    @property
    def outside_outside(self) -> IntArray:
        """The number of elements of every item that are outside on both sides."""
        return self.counts[:, 1]

    @cached_property
    def not_void(self) -> IntArray:
        """The number of elements of every item that are void on neither side."""
        n = len(self)
        in_true = sum_by(self.true_item, self.table.true.void, n)
        in_pred = sum_by(self.pred_item, self.table.pred.void, n)
        not_void: IntArray = self.counts[:, 0] - self.counts[:, 2:].sum(axis=1) - in_true - in_pred
        return not_void

    def _cells(self, true: IntArray, pred: IntArray, names: Sequence[Hashable]) -> LabelCells:
        width = max(len(names), 1)
        in_true, in_pred = self.true_item * width + true, self.pred_item * width + pred
        cells = distinct(np.concatenate((in_true, in_pred)))
        of_true, of_pred = np.searchsorted(cells, in_true), np.searchsorted(cells, in_pred)
        return LabelCells(cells // width, cells % width, names, of_true, of_pred)
