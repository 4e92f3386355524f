"""The contingency table of two partitions, from which clustering metrics are computed.

A segmentation is a *partial* partition; Rand, mutual information, BCubed and others compare total ones.
``uncovered=`` defines how elements in no segment are treated: ``"common"`` uses only elements that both sides cover,
``"segment"`` makes the outside of a side one block, ``"singletons"`` makes every such element a separate block.
Elements that are void on either side are not counted.

Equal cells and blocks are stored once with their ``count``, so 2⁴⁰ singletons need no more memory than one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray, as_python_ints, products_fit, sum_by
from segmetry.errors import InputError, OptionError
from segmetry.overlaps.table import OverlapTable, Side

UNCOVERED = ("common", "segment", "singletons")


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
class Contingency:
    """Two partitions of ``n`` elements: ``count[i]`` cells in which a true and a pred block share ``shared[i]``
    elements.
    """

    true: Blocks
    pred: Blocks
    at_true: NDArray[np.intp]
    at_pred: NDArray[np.intp]
    shared: IntArray
    count: IntArray
    uncovered: str

    @cached_property
    def n(self) -> int:
        """The number of elements that are counted."""
        return sum(s * k for s, k in zip(self.shared.tolist(), self.count.tolist(), strict=True))

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


def pairs_inside(size: IntArray, count: IntArray) -> int:
    """Return Σ count · size·(size − 1)/2 as an exact integer.

    >>> pairs_inside(np.array([2**40]), np.array([1])) == 2**39 * (2**40 - 1)
    True
    """
    total = int(np.dot(size.astype(np.float64), count.astype(np.float64))) + size.size + 1
    if not products_fit(2 * total, 2 * total):
        size, count = as_python_ints(size), as_python_ints(count)  # type: ignore[assignment]
    return int((count * size * (size - 1)).sum()) // 2


def contingency(table: OverlapTable, uncovered: str = "common") -> Contingency:
    """Return the contingency of a table of disjoint segments.

    >>> import segmetry as sm
    >>> table = sm.overlap([[1, 1, 1, 0, 0]], [[7, 7, 0, 0, 8]])
    >>> [contingency(table, how).n for how in UNCOVERED]
    [2, 5, 5]
    >>> contingency(table, "segment").true.size.tolist(), contingency(table, "singletons").true.number
    ([3, 2], 3)
    """
    if uncovered not in UNCOVERED:
        raise OptionError(f"uncovered is {uncovered!r}; expected one of {', '.join(UNCOVERED)}")
    for name, side in (("true", table.true), ("pred", table.pred)):
        if not side.disjoint:
            raise InputError(
                f"the {name} segments overlap, and clustering metrics compare partitions; make them disjoint first "
                "(resolve='by_score' paints masks in descending order of score) or choose a metric of another family"
            )
    if uncovered == "common":
        return _common(table)
    return _with_outside(table, uncovered)


def _common(table: OverlapTable) -> Contingency:
    """Count only the rows; segments without a row are left out."""
    true_at, true = _renumbered(table.row_true, table.shared, len(table.true))
    pred_at, pred = _renumbered(table.row_pred, table.shared, len(table.pred))
    return Contingency(true, pred, true_at, pred_at, table.shared, np.ones_like(table.shared), "common")


def _renumbered(rows: NDArray[np.intp], shared: IntArray, count: int) -> tuple[NDArray[np.intp], Blocks]:
    sizes = sum_by(rows, shared, count)
    kept = sizes > 0
    return (np.cumsum(kept) - 1)[rows], Blocks(sizes[kept], np.ones(int(kept.sum()), dtype=np.int64))


def _with_outside(table: OverlapTable, uncovered: str) -> Contingency:
    """Count the rows, and the cells outside on one side or on both."""
    in_true, in_pred = np.flatnonzero(table.true.outside), np.flatnonzero(table.pred.outside)
    neither = table.background.outside_outside
    corner = np.array([neither] if neither else [], dtype=np.int64)
    elements = np.concatenate((table.true.outside[in_true], table.pred.outside[in_pred], corner))
    beyond_true, beyond_pred = len(table.true), len(table.pred)
    no_pred = np.full(in_true.size, beyond_pred)
    no_true = np.full(in_pred.size, beyond_true)
    last = corner.size
    at_true = np.concatenate((table.row_true, in_true, no_true, np.full(last, beyond_true)))
    at_pred = np.concatenate((table.row_pred, no_pred, in_pred, np.full(last, beyond_pred)))
    single = np.ones_like(elements)
    ones = np.ones_like(table.shared)
    singles = uncovered == "singletons"
    shared = np.concatenate((table.shared, single if singles else elements))
    count = np.concatenate((ones, elements if singles else single))
    outside_true = int(table.pred.outside.sum()) + neither
    outside_pred = int(table.true.outside.sum()) + neither
    true_at, true = _blocks(table.true, outside_true, at_true, singles=singles)
    pred_at, pred = _blocks(table.pred, outside_pred, at_pred, singles=singles)
    return Contingency(true, pred, true_at, pred_at, shared, count, uncovered)


def _blocks(side: Side, outside: int, at: NDArray[np.intp], *, singles: bool) -> tuple[NDArray[np.intp], Blocks]:
    """Return the segments without void elements, and the outside as one block or as blocks of one element."""
    size = np.concatenate((side.sizes - side.void, [1 if singles else outside]))
    count = np.concatenate((np.ones(len(side), dtype=np.int64), [outside if singles else min(outside, 1)]))
    kept = (size > 0) & (count > 0)
    return (np.cumsum(kept) - 1)[at], Blocks(size[kept], count[kept])
