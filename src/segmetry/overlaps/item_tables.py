"""The overlap tables of many items as one, so that what each contributes is counted in one pass over all of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IndexArray, IntArray, distinct, frozen_dataclass, products_fit, sum_by
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side

_COLUMNS = ("ids", "sizes", "outside", "void")


class LabelCells(NamedTuple):
    """The pairs of item and label, by item; ``true``, ``pred``: cells of segments; ``code``: positions in ``names``."""

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
    def starts(self) -> tuple[IndexArray, IndexArray, IndexArray]:
        """Where the true segments, the pred segments and the rows of every item begin, and where the last ones end."""
        items = np.arange(len(self) + 1)
        of_item = self.true_item, self.pred_item, self.true_item[self.table.row_true]
        first, second, rows = (np.searchsorted(column, items) for column in of_item)
        return first, second, rows

    @property
    def have_crowd(self) -> tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None]:
        """Which items have a crowd segment in the truth, and which in the prediction; None where none has."""
        sides = (self.table.true, self.true_item), (self.table.pred, self.pred_item)
        first, second = (
            None if side.crowd is None else np.bincount(of_item[side.crowd], minlength=len(self)) > 0
            for side, of_item in sides
        )
        return first, second

    def tables(self) -> list[OverlapTable]:
        """Return the table of every item, with the classes that occur in it."""
        whole, tables, cuts = self.table, [], [starts.tolist() for starts in self.starts]
        for at, (n_elements, *background) in enumerate(self.counts.tolist()):
            of_true, of_pred, rows = (slice(starts[at], starts[at + 1]) for starts in cuts)
            true, pred, names = _part(whole.true, of_true), _part(whole.pred, of_pred), whole.class_names
            if names is not None:
                used = distinct(np.concatenate((true.class_codes, pred.class_codes)))
                names = tuple(names[code] for code in used.tolist())
                true, pred = (replace(side, classes=np.searchsorted(used, side.class_codes)) for side in (true, pred))
            row_true, row_pred = whole.row_true[rows] - of_true.start, whole.row_pred[rows] - of_pred.start
            corners = BackgroundCounts(*background)
            table = OverlapTable(true, pred, row_true, row_pred, whole.shared[rows], corners, n_elements, names)
            if "has_void" in whole.__dict__:
                table.__dict__["has_void"] = False  # it is known of all items
            tables.append(table)
        return tables

    @classmethod
    def together(cls, tables: Sequence[OverlapTable]) -> ItemTables:
        """Return the tables of several items, none of which has ids beyond int64; all or none carry classes."""
        names = None
        if tables[0].class_names is not None:
            names = sorted_names({name for table in tables for name in table.class_names or ()})
        true, true_at = _joined_sides([table.true for table in tables], tables, names)
        pred, pred_at = _joined_sides([table.pred for table in tables], tables, names)
        n_rows, counts = [len(table) for table in tables], [(table.n_elements, *table.background) for table in tables]
        whole = OverlapTable(
            true=true,
            pred=pred,
            row_true=np.concatenate([table.row_true for table in tables]) + np.repeat(true_at[:-1], n_rows),
            row_pred=np.concatenate([table.row_pred for table in tables]) + np.repeat(pred_at[:-1], n_rows),
            shared=np.concatenate([table.shared for table in tables]),
            background=BackgroundCounts(),
            n_elements=sum(table.n_elements for table in tables),
            class_names=names,
        )
        of_true, of_pred = (np.repeat(np.arange(len(tables)), np.diff(starts)) for starts in (true_at, pred_at))
        return cls(whole, of_true, of_pred, np.array(counts, dtype=np.int64))

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


def _joined_sides(
    sides: Sequence[Side], tables: Sequence[OverlapTable], names: Sequence[Hashable] | None
) -> tuple[Side, IndexArray]:
    """Return one side of several items, whose classes are positions in these names, and where each item begins."""
    columns: dict[str, Any] = {name: np.concatenate([getattr(side, name) for side in sides]) for name in _COLUMNS}
    for name in ("crowd", "superseded"):
        flags = [getattr(side, name) for side in sides]
        if any(column is not None for column in flags):
            every = zip(flags, sides, strict=True)
            columns[name] = np.concatenate([np.zeros(len(side), bool) if own is None else own for own, side in every])
    if names is not None:
        code = {name: at for at, name in enumerate(names)}
        codes = [np.array([code[name] for name in table.class_names or ()], dtype=np.int64) for table in tables]
        columns["classes"] = np.concatenate([own[side.class_codes] for own, side in zip(codes, sides, strict=True)])
    return Side(**columns), np.cumsum([0, *map(len, sides)])


def _part(side: Side, part: slice) -> Side:
    """Return some segments of a side; flags that none of them has are left out."""
    columns = {name: getattr(side, name)[part] for name in _COLUMNS}
    flags = {name: column[part] for name in ("crowd", "superseded") if (column := getattr(side, name)) is not None}
    classes = None if side.classes is None else side.classes[part]
    return Side(**columns, classes=classes, **{name: column for name, column in flags.items() if column.any()})
