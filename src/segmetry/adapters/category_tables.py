"""The overlap tables of all items of an epoch, from counted pairs of (category, instance)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from segmetry._base import BoolArray, IndexArray, IntArray, is_new, sum_by
from segmetry.kernels import CategoryPairs
from segmetry.overlaps import BackgroundCounts
from segmetry.runfile import ItemFacts, RunSideColumns, RunTables

VOID = -1


class _Segments(NamedTuple):
    """The segments of one side, by item, category and instance; ``of_row`` is VOID for elements that do not count."""

    item: IntArray
    category: IntArray
    of_row: IndexArray


def tables_of_categories(
    rows: CategoryPairs, names: Sequence[str], things: Sequence[int], stuff: Sequence[int]
) -> RunTables:
    """Return the tables of all items; elements of other categories are void.

    Elements of a thing category are one segment per instance, those of a stuff category one segment.

    >>> one = np.ones(3, dtype=np.int64)
    >>> pairs = CategoryPairs(0 * one, np.array([7, 7, 9]), one, np.array([7, 6, 6]), np.array([1, 4, 5]), one)
    >>> tables = tables_of_categories(pairs, ["a"], things=[7], stuff=[6])
    >>> tables.true.sizes.tolist(), tables.pred.sizes.tolist(), tables.pred.void.tolist(), tables.shared.tolist()
    ([2], [2, 1], [1, 0], [1, 1])
    """
    n_items, classes = len(names), tuple(sorted({*things, *stuff}))
    true = _segments_of_side(rows.item, rows.true_category, rows.true_instance, classes, things)
    pred = _segments_of_side(rows.item, rows.pred_category, rows.pred_instance, classes, things)
    true_void, pred_void = true.of_row == VOID, pred.of_row == VOID
    both = ~true_void & ~pred_void
    # Segments are numbered by item first, so a pair of numbers as one integer keeps the order of items.
    pairs, at = _number_values(true.of_row[both] * max(pred.item.size, 1) + pred.of_row[both])
    row_true, row_pred = np.divmod(pairs, max(pred.item.size, 1))
    true_columns = _side_columns(true, rows.counts, pred_void, classes, n_items)
    pred_columns = _side_columns(pred, rows.counts, true_void, classes, n_items)
    row_item = true.item[row_true]
    void = true_void & pred_void
    n_elements = sum_by(rows.item, rows.counts, n_items).tolist()
    void_void = sum_by(rows.item[void], rows.counts[void], n_items).tolist()
    return RunTables(
        items=tuple(map(_item_facts, names, n_elements, void_void)),
        class_names=classes,
        true=true_columns,
        pred=pred_columns,
        row_starts=np.searchsorted(row_item, np.arange(n_items + 1)),
        row_item=row_item,
        row_true=row_true - true_columns.starts[row_item],
        row_pred=row_pred - pred_columns.starts[row_item],
        shared=sum_by(at, rows.counts[both], pairs.size),
    )


def _segments_of_side(
    item: IntArray, category: IntArray, instance: IntArray, classes: tuple[int, ...], things: Sequence[int]
) -> _Segments:
    counts = np.isin(category, classes)
    kept = item[counts], category[counts], np.where(np.isin(category, things), instance, 0)[counts]
    # Counted pairs are sorted, so the true side nearly always is: a check is cheaper than sorting three columns.
    codes = _row_codes(kept)
    if codes is None:
        order = np.lexsort(kept[::-1])
    elif (codes[1:] >= codes[:-1]).all():
        order = np.arange(codes.size)
    else:
        order = np.argsort(codes)
    ordered = [column[order] for column in kept]
    begins = is_new(*ordered)
    number = np.empty(order.size, dtype=np.intp)
    number[order] = np.cumsum(begins) - 1
    of_row = np.full(item.size, VOID, dtype=np.intp)
    of_row[counts] = number
    return _Segments(ordered[0][begins], ordered[1][begins], of_row)


def _row_codes(columns: Sequence[IntArray]) -> IntArray | None:
    """Return integers in the order of rows of columns; None where they would not fit into 62 bits."""
    codes, bits = np.zeros(columns[0].size, dtype=np.int64), 0
    for column in columns:
        if not column.size:
            break
        least = int(column.min())
        width = (int(column.max()) - least).bit_length()
        bits += width
        if bits > 62:
            return None
        codes = (codes << width) | (column - least)
    return codes


def _number_values(values: IntArray) -> tuple[IntArray, IndexArray]:
    """Return the different values in order, and the number of each; most often they are in order."""
    if (values[1:] > values[:-1]).all():
        return values, np.arange(values.size)
    found, number = np.unique(values, return_inverse=True)
    return found, number


def _side_columns(
    segments: _Segments, counts: IntArray, opposite_void: BoolArray, classes: tuple[int, ...], n_items: int
) -> RunSideColumns:
    n = segments.item.size
    known = segments.of_row != VOID
    void = known & opposite_void
    starts = np.searchsorted(segments.item, np.arange(n_items + 1))
    return RunSideColumns(
        starts=starts,
        item=segments.item.astype(np.intp),
        ids=np.arange(n, dtype=np.int64) - starts[segments.item] + 1,
        large_ids={},
        classes=np.searchsorted(np.array(classes), segments.category).astype(np.int64),
        sizes=sum_by(segments.of_row[known], counts[known], n),
        outside=np.zeros(n, dtype=np.int64),
        void=sum_by(segments.of_row[void], counts[void], n),
        crowd=np.zeros(n, dtype=bool),
        superseded=np.zeros(n, dtype=bool),
    )


def _item_facts(name: str, n_elements: int, void_void: int) -> ItemFacts:
    return ItemFacts(
        name=name,
        kind="labels",
        axes=None,
        n_elements=n_elements,
        background=BackgroundCounts(void_void=void_void),
        true_disjoint=True,
        pred_disjoint=True,
        has_classes=True,
        true_has_crowd=False,
        pred_has_crowd=False,
    )
