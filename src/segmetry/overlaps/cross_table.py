"""The contingency table of two partitions, from which clustering metrics are computed: of one item, or of many.

A segmentation is a *partial* partition; Rand, mutual information, BCubed and others compare total ones.
``background=`` names how elements in no segment of a side are treated, see :data:`BACKGROUNDS`: as one more block of
that side, as blocks of one element each, or left out. Elements that are void on either side are not counted.

Equal cells and blocks are stored once with their ``count``, so 2⁴⁰ singletons need no more memory than one. Segments of
different items share nothing, so the cells and blocks of many items are stored end to end, and a formula of sums over
cells and blocks holds for all of them: a sum is a number for one item, and a column with a number per item for many.
Sums of floats are exactly rounded, so both are the same bits.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from segmetry._base import (
    FloatArray,
    IndexArray,
    IntArray,
    as_python_ints,
    frozen_dataclass,
    magnitude_bound,
    products_fit,
    sum_by,
)
from segmetry.errors import InputError, OptionError
from segmetry.kernels import group_order, group_sums, rounded_sum
from segmetry.overlaps.table import HOW_DISJOINT, OverlapTable

Treatment = Literal["segment", "singletons", "ignored"]

BACKGROUNDS: dict[str, tuple[Treatment, Treatment]] = {
    "segment": ("segment", "segment"),
    "singletons": ("singletons", "singletons"),
    "common": ("ignored", "ignored"),
    "cremi": ("ignored", "segment"),
    "snemi": ("ignored", "singletons"),
    "foreground": ("ignored", "segment"),
}
"""How the elements in no segment of the truth, and of the prediction, are treated, by the name of the convention.

``cremi`` and ``foreground`` count alike: the first is the name that connectomics uses [funke2016cremi], the second that
of object discovery (FG-ARI) [greff2019multi].
"""

MOST_ELEMENTS = 2**26
"""Items with fewer elements are computed together: up to here every product of two sizes, and every number of pairs of
elements, is an integer below 2⁵², which int64 and floats hold exactly. Larger items are few; each is computed by
itself, in Python integers where needed.
"""


@frozen_dataclass(eq=False)
class Blocks:
    """The blocks of one side: ``count[i]`` blocks of ``size[i]`` elements each.

    Those of item j of many are ``starts[j] : starts[j + 1]``; one item has no ``starts``. ``segments`` are the
    positions of the blocks among the segments of their side, where the position after the last segment is what lies
    outside.
    """

    size: IntArray
    count: IntArray
    starts: IndexArray | None = None
    segments: IndexArray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    @cached_property
    def number(self) -> Any:
        """The number of blocks."""
        return _totals(self.count, self.starts)

    @cached_property
    def together(self) -> Any:
        """The number of unordered pairs of elements in one block, exactly."""
        return pairs_inside(self.size, self.count, self.starts)


@frozen_dataclass(eq=False)
class Contingency:
    """Two partitions of ``n`` elements: ``count[i]`` cells in which a true and a pred block share ``shared[i]``
    elements.

    The cells of item j of many are ``starts[j] : starts[j + 1]``; one item has no ``starts``. ``true_whole`` and
    ``pred_whole`` are the sizes of the blocks of every cell with the elements that the convention leaves out, so of
    whole segments. ``n_elements`` counts also what the convention leaves out. ``memo`` keeps what several metrics
    share.
    """

    true: Blocks
    pred: Blocks
    at_true: IndexArray
    at_pred: IndexArray
    shared: IntArray
    count: IntArray
    true_whole: IntArray
    pred_whole: IntArray
    n_elements: Any
    starts: IndexArray | None = None
    memo: dict[Hashable, Any] = field(default_factory=dict)

    @cached_property
    def n(self) -> Any:
        """The number of elements that are counted."""
        elements = self.shared * self.count
        if self.starts is None and not products_fit(magnitude_bound(elements), elements.size):
            elements = as_python_ints(elements)  # type: ignore[assignment]
        return _totals(elements, self.starts)

    @cached_property
    def details(self) -> dict[str, float]:
        """The share of the elements of one item, void ones excepted, that are counted, where some are left out."""
        return {"counted_share": self.n / self.n_elements} if self.n < self.n_elements else {}

    @cached_property
    def true_size(self) -> IntArray:
        """The size of the true block of every cell."""
        return self.true.size[self.at_true]

    @cached_property
    def pred_size(self) -> IntArray:
        """The size of the pred block of every cell."""
        return self.pred.size[self.at_pred]

    @cached_property
    def together(self) -> Any:
        """The number of unordered pairs of elements in one block on both sides, exactly."""
        return pairs_inside(self.shared, self.count, self.starts)

    @cached_property
    def is_wide(self) -> bool:
        """Whether products of two sizes may be beyond int64."""
        return self.starts is None and not products_fit(2 * self.n, self.n)

    @cached_property
    def n_of_cells(self) -> IntArray:
        """The number of elements of its item that are counted, for every cell."""
        return _of_rows(self.n, self.starts, self.shared.size)

    @cached_property
    def n_cells(self) -> Any:
        """The number of cells."""
        return _totals(self.count, self.starts)

    def n_of(self, blocks: Blocks) -> IntArray:
        """Return the number of elements of its item that are counted, for every block."""
        return _of_rows(self.n, blocks.starts, blocks.size.size)

    def sum_of(self, blocks: Blocks, terms: FloatArray) -> Any:
        """Return the exactly rounded sum over blocks."""
        return rounded_sum(terms) if blocks.starts is None else group_sums(terms, blocks.starts)

    def sum_of_cells(self, *terms: FloatArray) -> Any:
        """Return the exactly rounded sum over cells."""
        values = terms[0] if len(terms) == 1 else np.stack(terms, axis=1).ravel()
        return rounded_sum(values) if self.starts is None else group_sums(values, len(terms) * self.starts)

    def sum_of_largest(self, blocks: Blocks, at: IndexArray) -> Any:
        """Return Σ over blocks of the largest cell; ``at`` are the blocks of the cells."""
        largest = np.zeros(blocks.size.size, dtype=np.int64)
        np.maximum.at(largest, at, self.shared)
        return _totals(largest * blocks.count, blocks.starts)


def pairs_inside(size: IntArray, count: IntArray, starts: IndexArray | None = None) -> Any:
    """Return Σ count · size·(size − 1)/2 as exact integers."""
    if starts is None:
        total = int(np.dot(size.astype(np.float64), count.astype(np.float64))) + size.size + 1
        if not products_fit(2 * total, 2 * total):
            size, count = as_python_ints(size), as_python_ints(count)  # type: ignore[assignment]
    return _totals(count * size * (size - 1), starts) // 2


def contingency(table: OverlapTable, background: str = "segment") -> Contingency:
    """Return the contingency of a table of disjoint segments."""
    check_disjoint(true=table.true.disjoint, pred=table.pred.disjoint)
    true, pred = (
        ItemSegments(np.array([0, len(side)]), np.zeros(len(side), np.intp), side.sizes, side.outside, side.void)
        for side in (table.true, table.pred)
    )
    outside = np.array([table.background.outside_outside])
    rows = ItemOverlaps(np.zeros(len(table), np.intp), table.row_true, table.row_pred, table.shared, outside)
    return contingency_of_items(true, pred, rows, background, alone=True)


def check_disjoint(**sides: bool) -> None:
    """Raise an error for a side whose segments overlap; ``sides`` says of ``true`` and ``pred`` whether they do not."""
    for name, disjoint in sides.items():
        if not disjoint:
            raise InputError(
                f"the {name} segments overlap, and clustering metrics compare partitions; make them disjoint first "
                f"({HOW_DISJOINT[name]}) or choose a metric of another family"
            )


def checked_background(background: str) -> str:
    """Return the name of a convention; raise an error for any other text."""
    if background not in BACKGROUNDS:
        raise OptionError(f"background is {background!r}; expected one of {', '.join(BACKGROUNDS)}")
    return background


class ItemSegments(NamedTuple):
    """The segments of one side of all items: those of item i are ``starts[i] : starts[i + 1]``."""

    starts: IndexArray
    item: IndexArray
    sizes: IntArray
    outside: IntArray
    void: IntArray


class ItemOverlaps(NamedTuple):
    """The overlap rows of all items, positions within items; ``outside``: elements outside on both sides, by item."""

    item: IndexArray
    true: IndexArray
    pred: IndexArray
    shared: IntArray
    outside: IntArray


def contingency_of_items(
    true: ItemSegments, pred: ItemSegments, rows: ItemOverlaps, background: str = "segment", *, alone: bool = False
) -> Contingency:
    """Return the contingency tables of many items of disjoint segments, or of one that is ``alone``.

    Of many, those with :data:`MOST_ELEMENTS` or more are left empty.
    """
    treatments = BACKGROUNDS[checked_background(background)]
    items = np.arange(rows.outside.size)
    in_true, in_pred, corner = (side.outside.nonzero()[0] for side in (true, pred, rows))
    item = np.concatenate((rows.item, true.item[in_true], pred.item[in_pred], corner))
    elements = np.concatenate((rows.shared, true.outside[in_true], pred.outside[in_pred], rows.outside[corner]))
    # The segments of an item and then its outside are numbered through; items are shifted by the outsides before.
    (first_true, beyond_true), (first_pred, beyond_pred) = (
        (side.starts[:-1] + items, side.starts[1:] + items) for side in (true, pred)
    )
    at_true = np.concatenate(
        (
            rows.true + first_true[rows.item],
            in_true + true.item[in_true],
            beyond_true[pred.item[in_pred]],
            beyond_true[corner],
        )
    )
    at_pred = np.concatenate(
        (
            rows.pred + first_pred[rows.item],
            beyond_pred[true.item[in_true]],
            in_pred + pred.item[in_pred],
            beyond_pred[corner],
        )
    )
    starts: IndexArray | None = None
    n_elements: Any = int(elements.sum())
    kept = np.ones(item.size, dtype=np.bool_)
    if not alone:
        order, starts = group_order(item, items.size)
        item, elements, at_true, at_pred = (column[order] for column in (item, elements, at_true, at_pred))
        n_elements = sum_by(item, elements, items.size)
        kept = (n_elements < MOST_ELEMENTS)[item]
    single = np.zeros(item.size, dtype=np.bool_)
    for at, beyond, treatment in zip((at_true, at_pred), (beyond_true, beyond_pred), treatments, strict=True):
        if treatment == "ignored":
            kept &= at != beyond[item]
        elif treatment == "singletons":
            single |= at == beyond[item]
    if not kept.all():
        item, elements, at_true, at_pred = (column[kept] for column in (item, elements, at_true, at_pred))
        single = single[kept]
        starts = None if starts is None else np.searchsorted(item, np.arange(items.size + 1))
    true_at, true_blocks, true_whole = _blocks(true, at_true, elements, beyond_true, treatments[0], alone=alone)
    pred_at, pred_blocks, pred_whole = _blocks(pred, at_pred, elements, beyond_pred, treatments[1], alone=alone)
    return Contingency(
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
    )


def _blocks(
    side: ItemSegments, at: IndexArray, elements: IntArray, beyond: IndexArray, treatment: Treatment, *, alone: bool
) -> tuple[IndexArray, Blocks, IntArray]:
    """Return blocks, that of every cell and its size; outside is one block or, as singletons, blocks of one element."""
    size = sum_by(at, elements, side.sizes.size + beyond.size)
    whole = size.copy()
    whole[np.arange(side.sizes.size) + side.item] = side.sizes - side.void
    count = np.ones_like(size)
    kept = size > 0
    if treatment == "singletons":
        count[beyond] = size[beyond]
        size[beyond] = whole[beyond] = 1
    before = np.concatenate(([0], np.cumsum(kept)))
    starts = None if alone else before[np.append(0, beyond + 1)]
    return before[at], Blocks(size[kept], count[kept], starts, np.flatnonzero(kept)), whole[at]


def _totals(values: Any, starts: IndexArray | None) -> Any:
    """Return the exact sum of integers: one number, or one per item."""
    return int(values.sum()) if starts is None else np.diff(np.concatenate(([0], np.cumsum(values)))[starts])


def _of_rows(number: Any, starts: IndexArray | None, n_rows: int) -> IntArray:
    """Return the number of its item for every row."""
    return np.full(n_rows, number) if starts is None else np.repeat(number, np.diff(starts))
