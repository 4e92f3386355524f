"""The contingency table of two partitions, from which clustering metrics are computed.

A segmentation is a *partial* partition; Rand, mutual information, BCubed and others compare total ones.
``background=`` names how elements in no segment of a side are treated, see :data:`BACKGROUNDS`: as one more block of
that side, as blocks of one element each, or left out. Elements that are void on either side are not counted.

Equal cells and blocks are stored once with their ``count``, so 2⁴⁰ singletons need no more memory than one. The tables
of many items at once are :class:`~segmetry.overlaps.contingency_columns.ContingencyColumns`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import field
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray, IntArray, as_python_ints, products_fit, sum_by, widest
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import InputError, OptionError
from segmetry.overlaps.table import HOW_DISJOINT, OverlapTable, Side

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


@frozen_dataclass(eq=False)
class Blocks:
    """The blocks of one partition: ``count[i]`` blocks of ``size[i]`` elements each."""

    size: IntArray
    count: IntArray

    @cached_property
    def number(self) -> int:
        """The number of blocks."""
        return int(self.count.sum())

    @cached_property
    def together(self) -> int:
        """The number of unordered pairs of elements in one block, exactly."""
        return pairs_inside(self.size, self.count)


@frozen_dataclass(eq=False)
class Contingency:
    """Two partitions of ``n`` elements: ``count[i]`` cells in which a true and a pred block share ``shared[i]``
    elements.

    ``true_whole`` and ``pred_whole`` are the sizes of the blocks of every cell with the elements that the convention
    leaves out, so of whole segments. ``true_segments`` and ``pred_segments`` are the positions of the blocks among the
    segments of their side; the position after the last segment is what lies outside. What is not
    a contingency of segments has none. ``memo`` keeps what several metrics share.
    """

    true: Blocks
    pred: Blocks
    at_true: NDArray[np.intp]
    at_pred: NDArray[np.intp]
    shared: IntArray
    count: IntArray
    true_whole: IntArray
    pred_whole: IntArray
    n_elements: int
    true_segments: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    pred_segments: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    memo: dict[Hashable, Any] = field(default_factory=dict)

    @cached_property
    def n(self) -> int:
        """The number of elements that are counted."""
        if products_fit(widest(self.shared), widest(self.count), self.shared.size):
            return int(self.shared @ self.count)
        return sum(s * k for s, k in zip(self.shared.tolist(), self.count.tolist(), strict=True))

    @cached_property
    def details(self) -> dict[str, float]:
        """The share of the elements, void ones excepted, that are counted, where the convention leaves out some."""
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
    def together(self) -> int:
        """The number of unordered pairs of elements in one block on both sides, exactly."""
        return pairs_inside(self.shared, self.count)

    @cached_property
    def is_wide(self) -> bool:
        """Whether products of two sizes may be beyond int64."""
        return not products_fit(2 * self.n, self.n)

    @cached_property
    def n_of_cells(self) -> IntArray:
        """The number of elements that are counted, for every cell."""
        return np.full(self.shared.size, self.n)

    @cached_property
    def n_cells(self) -> int:
        """The number of cells."""
        return int(self.count.sum())

    def n_of(self, blocks: Blocks) -> IntArray:
        """Return the number of elements that are counted, for every block."""
        return np.full(blocks.size.size, self.n)

    def sum_of(self, blocks: Blocks, terms: FloatArray) -> float:  # noqa: ARG002 - the signature of Partitions
        """Return the exactly rounded sum over blocks."""
        return math.fsum(terms.tolist())

    def sum_of_cells(self, *terms: FloatArray) -> float:
        """Return the exactly rounded sum over cells."""
        return math.fsum(chain.from_iterable(term.tolist() for term in terms))

    def sum_of_largest(self, blocks: Blocks, at: IndexArray) -> int:
        """Return Σ over blocks of the largest cell; ``at`` are the blocks of the cells."""
        largest = np.zeros(blocks.size.size, dtype=np.int64)
        np.maximum.at(largest, at, self.shared)
        return int((largest * blocks.count).sum())


def pairs_inside(size: IntArray, count: IntArray) -> int:
    """Return Σ count · size·(size − 1)/2 as an exact integer.

    >>> pairs_inside(np.array([2**40]), np.array([1])) == 2**39 * (2**40 - 1)
    True
    """
    total = int(np.dot(size.astype(np.float64), count.astype(np.float64))) + size.size + 1
    if not products_fit(2 * total, 2 * total):
        size, count = as_python_ints(size), as_python_ints(count)  # type: ignore[assignment]
    return int((count * size * (size - 1)).sum()) // 2


def contingency(table: OverlapTable, background: str = "segment") -> Contingency:
    """Return the contingency of a table of disjoint segments.

    >>> import segmetry as sm
    >>> table = sm.overlap([[1, 1, 1, 0, 0]], [[7, 7, 0, 0, 8]])
    >>> {name: contingency(table, name).n for name in BACKGROUNDS}
    {'segment': 5, 'singletons': 5, 'common': 2, 'cremi': 3, 'snemi': 3, 'foreground': 3}
    >>> contingency(table, "segment").true.size.tolist(), contingency(table, "singletons").true.number
    ([3, 2], 3)
    """
    check_disjoint(true=table.true.disjoint, pred=table.pred.disjoint)
    true_outside, pred_outside = BACKGROUNDS[checked_background(background)]
    cells = _cells(table)
    beyond_true, beyond_pred = len(table.true), len(table.pred)
    kept = np.ones(cells.elements.size, dtype=np.bool_)
    if true_outside == "ignored":
        kept &= cells.at_true < beyond_true
    if pred_outside == "ignored":
        kept &= cells.at_pred < beyond_pred
    at_true, at_pred, elements = cells.at_true[kept], cells.at_pred[kept], cells.elements[kept]
    single = np.zeros(elements.size, dtype=np.bool_)
    if true_outside == "singletons":
        single |= at_true == beyond_true
    if pred_outside == "singletons":
        single |= at_pred == beyond_pred
    true_at, true, true_whole, true_segments = _blocks(
        table.true, at_true, elements, singletons=true_outside == "singletons"
    )
    pred_at, pred, pred_whole, pred_segments = _blocks(
        table.pred, at_pred, elements, singletons=pred_outside == "singletons"
    )
    return Contingency(
        true,
        pred,
        true_at,
        pred_at,
        shared=np.where(single, 1, elements),
        count=np.where(single, elements, 1),
        true_whole=true_whole,
        pred_whole=pred_whole,
        n_elements=int(cells.elements.sum()),
        true_segments=true_segments,
        pred_segments=pred_segments,
    )


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


@frozen_dataclass(eq=False)
class _Cells:
    """Every cell with elements; the position after the last segment of a side is its outside."""

    at_true: NDArray[np.intp]
    at_pred: NDArray[np.intp]
    elements: IntArray


def _cells(table: OverlapTable) -> _Cells:
    """Return the rows of a table, and the cells outside on one side or on both."""
    in_true, in_pred = np.flatnonzero(table.true.outside), np.flatnonzero(table.pred.outside)
    neither = table.background.outside_outside
    corner = np.array([neither] if neither else [], dtype=np.int64)
    beyond_true, beyond_pred = len(table.true), len(table.pred)
    no_pred = np.full(in_true.size, beyond_pred)
    no_true = np.full(in_pred.size, beyond_true)
    last = corner.size
    return _Cells(
        np.concatenate((table.row_true, in_true, no_true, np.full(last, beyond_true))),
        np.concatenate((table.row_pred, no_pred, in_pred, np.full(last, beyond_pred))),
        np.concatenate((table.shared, table.true.outside[in_true], table.pred.outside[in_pred], corner)),
    )


def _blocks(
    side: Side, at: NDArray[np.intp], elements: IntArray, *, singletons: bool
) -> tuple[NDArray[np.intp], Blocks, IntArray, NDArray[np.intp]]:
    """Return the block of every cell, the blocks, the size of the whole block of every cell, and the segment of every
    block.

    The outside is one block or, with ``singletons``, blocks of one element.
    """
    size = sum_by(at, elements, len(side) + 1)
    whole = np.append(side.sizes - side.void, size[-1])
    count = np.ones_like(size)
    kept = size > 0
    if singletons:
        count[-1] = size[-1]
        size[-1] = whole[-1] = 1
    return (np.cumsum(kept) - 1)[at], Blocks(size[kept], count[kept]), whole[at], np.flatnonzero(kept)
