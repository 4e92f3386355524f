"""The overlap tables of many label arrays, from the label pairs that were counted of all of them at once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, IndexArray, IntArray, distinct, is_new, sum_by
from segmetry.kernels import PairsOfItems, add_up_items
from segmetry.overlaps.item_tables import ItemTables
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation import LabelArray, LabelMeaning, classes_of

_SEGMENT, _OUTSIDE, _VOID, _N_ROLES = range(4)


def tables_of_labels(
    pairs: PairsOfItems, n_elements: IntArray, true: LabelMeaning, pred: LabelMeaning
) -> ItemTables | None:
    """Return the tables of items of so many elements, whose labels mean the same; None where one of them is wrong."""
    true_labels, pred_labels = true.replaced(pairs.true_labels), pred.replaced(pairs.pred_labels)
    if true_labels is None or pred_labels is None:
        return None
    if true_labels is not pairs.true_labels or pred_labels is not pairs.pred_labels:
        pairs = add_up_items(PairsOfItems(pairs.starts, true_labels, pred_labels, pairs.counts))
    n = n_elements.size
    item = np.repeat(np.arange(n), np.diff(pairs.starts))
    first = _LabelColumn.of(item, pairs.true_labels, true.template, is_sorted=True)
    second = _LabelColumn.of(item, pairs.pred_labels, pred.template, is_sorted=False)
    if not (first.may_be_segments(true.template) and second.may_be_segments(pred.template)):
        return None
    names, true_classes, pred_classes = _class_codes(true.template, first.ids, pred.template, second.ids)
    both = np.flatnonzero((first.row_role == _SEGMENT) & (second.row_role == _SEGMENT))
    of_roles = sum_by(_N_ROLES**2 * item + _N_ROLES * first.row_role + second.row_role, pairs.counts, n * _N_ROLES**2)
    corners = of_roles.reshape(n, _N_ROLES, _N_ROLES)[:, _OUTSIDE:, _OUTSIDE:].reshape(n, 4)
    table = OverlapTable(
        true=first.side(second, pairs.counts, true_classes),
        pred=second.side(first, pairs.counts, pred_classes),
        row_true=first.positions[both],
        row_pred=second.positions[both],
        shared=pairs.counts[both],
        background=BackgroundCounts(),
        n_elements=int(n_elements.sum()),
        class_names=names,
    )
    if not (true.template.void or pred.template.void):
        table.__dict__["has_void"] = False  # as of a single table
    return ItemTables(table, first.item, second.item, np.column_stack((n_elements, corners)))


def _class_codes(
    true: LabelArray, true_ids: IntArray, pred: LabelArray, pred_ids: IntArray
) -> tuple[tuple[Hashable, ...] | None, IntArray | None, IntArray | None]:
    if true.classes is None or pred.classes is None:
        return None, None, None
    sides = (true.classes, true_ids, distinct(true_ids)), (pred.classes, pred_ids, distinct(pred_ids))
    classes = [classes_of(known, ids.tolist(), "") for known, _, ids in sides]
    names = sorted_names({name for of_side in classes for name in of_side})
    code = {name: at for at, name in enumerate(names)}
    first, second = (
        np.array([code[name] for name in of_side], dtype=np.int64)[np.searchsorted(known, ids)]
        for of_side, (_, ids, known) in zip(classes, sides, strict=True)
    )
    return names, first, second


class _LabelColumn(NamedTuple):
    """The labels of one side of counted pairs: those that are segments, by item and label, and the role of every row.

    ``cell`` is the place of the label of a row among all labels of the items, ``positions`` that among the segments.
    """

    item: IndexArray
    ids: IntArray
    is_segment: BoolArray
    cell: IndexArray
    row_role: IntArray
    positions: IndexArray

    @classmethod
    def of(cls, item: IndexArray, labels: IntArray, template: LabelArray, *, is_sorted: bool) -> _LabelColumn:
        order = None if is_sorted else _sorting(item, labels)
        items, ordered = (item, labels) if order is None else (item[order], labels[order])
        new = is_new(items, ordered)
        cell = np.cumsum(new) - 1
        role = np.zeros(int(new.sum()), dtype=np.int64)
        for number, special in ((_OUTSIDE, template.outside), (_VOID, template.void)):
            for label in special:
                role[ordered[new] == label] = number
        if order is not None:
            cell[order] = cell.copy()
        is_segment = role == _SEGMENT
        positions = (np.cumsum(is_segment) - 1)[cell]
        return cls(items[new][is_segment], ordered[new][is_segment], is_segment, cell, role[cell], positions)

    def may_be_segments(self, template: LabelArray) -> bool:
        return template.allow_negative or not self.ids.size or int(self.ids.min()) >= 0

    def side(self, other: _LabelColumn, counts: IntArray, classes: IntArray | None) -> Side:
        divided = sum_by(_N_ROLES * self.cell + other.row_role, counts, _N_ROLES * self.is_segment.size)
        in_segments, outside, void = divided.reshape(-1, _N_ROLES)[self.is_segment].T
        return Side(self.ids, in_segments + outside + void, outside.copy(), void.copy(), classes)


def _sorting(item: IndexArray, labels: IntArray) -> NDArray[Any]:
    """Return an order by item and label."""
    if labels.size:
        low, width = int(labels.min()), int(labels.max()) - int(labels.min()) + 1
        if width * (int(item[-1]) + 1) < 2**63:
            return np.argsort(item * width + (labels - low))
    return np.lexsort((labels, item))
