"""The contingency tables of many items, one after the other: clustering metrics of all items with a few calls.

Segments of different items share nothing, so cells and blocks of all items are stored end to end, and a sum over the
cells of a table becomes a sum over a stretch. Items of 2²⁶ elements or more are left empty: below, every product of two
sizes and every number of pairs of elements is an integer that a float holds, so all arithmetic is exact without Python
integers. Such items are few, and each is computed by itself.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from segmetry._base.exact import BoolArray, FloatArray, IndexArray, IntArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.kernels.statistics.group_sums import group_order, group_sums
from segmetry.overlaps.contingency import BACKGROUNDS, checked_background

MOST_ELEMENTS = 2**26
"""Items with fewer elements are computed together."""


class SidesOfItems(Protocol):
    """The segments of one side of all items: those of item i are ``starts[i] : starts[i + 1]``."""

    @property
    def starts(self) -> IndexArray: ...
    @property
    def item(self) -> IndexArray: ...
    @property
    def sizes(self) -> IntArray: ...
    @property
    def outside(self) -> IntArray: ...
    @property
    def void(self) -> IntArray: ...


@frozen_dataclass(eq=False)
class OverlapRowColumns:
    """The overlap rows of all items, by position of the segments in their item; ``outside`` is the number of elements
    of every item that are outside on both sides.
    """

    item: IndexArray
    true: IndexArray
    pred: IndexArray
    shared: IntArray
    outside: IntArray


@frozen_dataclass(eq=False)
class BlockColumns:
    """The blocks of one side of all items: ``count[i]`` blocks of ``size[i]`` elements; see ``starts``."""

    size: IntArray
    count: IntArray
    starts: IndexArray

    @cached_property
    def item(self) -> IndexArray:
        """The item of every block."""
        return np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))

    @cached_property
    def number(self) -> IntArray:
        """The number of blocks of every item."""
        return _item_sums(self.item, self.count, self.starts.size - 1)

    @cached_property
    def together(self) -> IntArray:
        """The number of unordered pairs of elements in one block, of every item."""
        return _item_sums(self.item, self.count * self.size * (self.size - 1), self.starts.size - 1) // 2


@frozen_dataclass(eq=False)
class ContingencyColumns:
    """The contingency tables of many items; the cells of item i are ``starts[i] : starts[i + 1]``.

    The names are those of a :class:`~segmetry.overlaps.contingency.Contingency`; what is one number there is a column
    with a number for every item here. ``is_included`` says which items are not left empty for their size.
    """

    true: BlockColumns
    pred: BlockColumns
    at_true: IndexArray
    at_pred: IndexArray
    shared: IntArray
    count: IntArray
    true_whole: IntArray
    pred_whole: IntArray
    n_elements: IntArray
    starts: IndexArray
    is_included: BoolArray
    memo: dict[Hashable, Any] = field(default_factory=dict)

    is_wide = False

    @property
    def n_items(self) -> int:
        return self.starts.size - 1

    @cached_property
    def item(self) -> IndexArray:
        """The item of every cell."""
        return np.repeat(np.arange(self.n_items), np.diff(self.starts))

    @cached_property
    def n(self) -> IntArray:
        """The number of elements of every item that are counted."""
        return _item_sums(self.item, self.shared * self.count, self.n_items)

    @cached_property
    def counted_share(self) -> FloatArray:
        """The share of the elements of every item, void ones excepted, that are counted; 1 where there are none."""
        return np.divide(self.n, self.n_elements, out=np.ones(self.n_items), where=self.n < self.n_elements)

    @cached_property
    def true_size(self) -> IntArray:
        """The size of the true block of every cell."""
        return self.true.size[self.at_true]

    @cached_property
    def pred_size(self) -> IntArray:
        """The size of the pred block of every cell."""
        return self.pred.size[self.at_pred]

    @cached_property
    def together(self) -> IntArray:
        """The number of unordered pairs of elements in one block on both sides, of every item."""
        return _item_sums(self.item, self.count * self.shared * (self.shared - 1), self.n_items) // 2

    @cached_property
    def n_of_cells(self) -> IntArray:
        """The number of elements of its item that are counted, for every cell."""
        return self.n[self.item]

    @cached_property
    def n_cells(self) -> IntArray:
        """The number of cells of every item."""
        return _item_sums(self.item, self.count, self.n_items)

    def n_of(self, blocks: BlockColumns) -> IntArray:
        """Return the number of elements of its item that are counted, for every block."""
        return self.n[blocks.item]

    def sum_of(self, blocks: BlockColumns, terms: FloatArray) -> FloatArray:
        """Return the exactly rounded sum over the blocks of every item."""
        return group_sums(terms, blocks.starts)

    def sum_of_cells(self, *terms: FloatArray) -> FloatArray:
        """Return the exactly rounded sum over the cells of every item."""
        if len(terms) == 1:
            return group_sums(terms[0], self.starts)
        return group_sums(np.stack(terms, axis=1).ravel(), len(terms) * self.starts)

    def sum_of_largest(self, blocks: BlockColumns, at: IndexArray) -> IntArray:
        """Return Σ over the blocks of every item of the largest cell; ``at`` are the blocks of the cells."""
        largest = np.zeros(blocks.size.size, dtype=np.int64)
        np.maximum.at(largest, at, self.shared)
        return _item_sums(blocks.item, largest * blocks.count, self.n_items)


def contingency_columns(
    true: SidesOfItems, pred: SidesOfItems, rows: OverlapRowColumns, background: str = "segment"
) -> ContingencyColumns:
    """Return the contingency tables of many items of disjoint segments."""
    true_outside, pred_outside = BACKGROUNDS[checked_background(background)]
    n_items = rows.outside.size
    in_true, in_pred, corner = map(np.flatnonzero, (true.outside, pred.outside, rows.outside))
    item = np.concatenate((rows.item, true.item[in_true], pred.item[in_pred], corner))
    elements = np.concatenate((rows.shared, true.outside[in_true], pred.outside[in_pred], rows.outside[corner]))
    # The segments of an item and then its outside are numbered through; items are shifted by the outsides before.
    beyond_true, beyond_pred = (side.starts[1:] + np.arange(n_items) for side in (true, pred))
    at_true = np.concatenate(
        (
            rows.true + (true.starts[:-1] + np.arange(n_items))[rows.item],
            in_true + true.item[in_true],
            beyond_true[pred.item[in_pred]],
            beyond_true[corner],
        )
    )
    at_pred = np.concatenate(
        (
            rows.pred + (pred.starts[:-1] + np.arange(n_items))[rows.item],
            beyond_pred[true.item[in_true]],
            in_pred + pred.item[in_pred],
            beyond_pred[corner],
        )
    )
    order, starts = group_order(item, n_items)
    item, elements, at_true, at_pred = (column[order] for column in (item, elements, at_true, at_pred))
    n_elements = _item_sums(item, elements, n_items)
    is_included = n_elements < MOST_ELEMENTS
    kept = is_included[item]
    out_of_true, out_of_pred = at_true == beyond_true[item], at_pred == beyond_pred[item]
    if true_outside == "ignored":
        kept &= ~out_of_true
    if pred_outside == "ignored":
        kept &= ~out_of_pred
    single = np.zeros(item.size, dtype=np.bool_)
    if true_outside == "singletons":
        single |= out_of_true
    if pred_outside == "singletons":
        single |= out_of_pred
    if not kept.all():
        item, at_true, at_pred = item[kept], at_true[kept], at_pred[kept]
        elements, single = elements[kept], single[kept]
        starts = np.searchsorted(item, np.arange(n_items + 1))
    true_at, true_blocks, true_whole = _blocks(
        true, at_true, elements, beyond_true, singletons=true_outside == "singletons"
    )
    pred_at, pred_blocks, pred_whole = _blocks(
        pred, at_pred, elements, beyond_pred, singletons=pred_outside == "singletons"
    )
    return ContingencyColumns(
        true_blocks,
        pred_blocks,
        true_at,
        pred_at,
        shared=np.where(single, 1, elements),
        count=np.where(single, elements, 1),
        true_whole=true_whole,
        pred_whole=pred_whole,
        n_elements=n_elements,
        starts=starts,
        is_included=is_included,
    )


def _blocks(
    side: SidesOfItems, at: IndexArray, elements: IntArray, beyond: IndexArray, *, singletons: bool
) -> tuple[IndexArray, BlockColumns, IntArray]:
    """Return the block of every cell, the blocks, and the size of the whole block of every cell."""
    n_items = beyond.size
    size = _item_sums(at, elements, side.sizes.size + n_items)
    whole = size.copy()
    whole[np.arange(side.sizes.size) + side.item] = side.sizes - side.void
    count = np.ones_like(size)
    kept = size > 0
    if singletons:
        count[beyond] = size[beyond]
        size[beyond] = whole[beyond] = 1
    before = np.concatenate(([0], np.cumsum(kept)))
    starts = before[side.starts + np.arange(n_items + 1)]
    return before[at], BlockColumns(size[kept], count[kept], starts), whole[at]


def _item_sums(item: IndexArray, values: IntArray, n_items: int) -> IntArray:
    """Return the sum of the values of every item; below 2⁵³, so floats add them exactly."""
    return np.bincount(item, weights=values, minlength=n_items).astype(np.int64)
