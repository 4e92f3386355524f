"""How many segments of each class are matched, from the counted pairs of (category, instance) of many items.

Elements of a thing category are one segment per instance, those of a stuff category one segment, all others are void.
Sizes, decisions and what is left over are found in one pass over the rows of an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import BoolArray, FloatArray, IndexArray, IntArray, ratio, sum_by
from segmetry.kernels.backend import native
from segmetry.kernels.statistics.group_sums import group_order, group_sums_numpy
from segmetry.kernels.tables.rule_pairs import Inequalities, accept

DENSE = 2**16
"""Categories below this number are looked up in a table."""


class CategoryRows(NamedTuple):
    """Counted pairs: true category and instance, pred category and instance, elements; item after item.

    ``lengths`` are the numbers of rows of the items.
    """

    rows: NDArray[np.int64]
    lengths: IntArray


@dataclass(frozen=True, eq=False)
class ClassKinds:
    """The categories that count, ascending, and which of them are things."""

    categories: IntArray
    is_thing: BoolArray

    @cached_property
    def _dense(self) -> IndexArray | None:
        """The number of every category from 0 on, and -1 at the end; None where there would be too many."""
        if not self.categories.size or self.categories[0] < 0 or self.categories[-1] >= DENSE:
            return None
        numbers = np.full(int(self.categories[-1]) + 2, -1, dtype=np.intp)
        numbers[self.categories] = np.arange(self.categories.size)
        return numbers

    def numbers(self, categories: IntArray) -> IndexArray:
        """Return the number of every category, -1 for those that do not count.

        >>> ClassKinds(np.array([3, 5]), np.array([True, False])).numbers(np.array([5, 4, 3, 9, -2])).tolist()
        [1, -1, 0, -1, -1]
        """
        if not self.categories.size or not categories.size:
            return np.full(categories.size, -1, dtype=np.intp)
        if self._dense is not None:
            if categories.min() < 0 or categories.max() >= self._dense.size:
                categories = np.where((categories < 0) | (categories >= self._dense.size), -1, categories)
            return self._dense[categories]
        found = np.searchsorted(self.categories, categories)
        found[found == self.categories.size] = 0
        return np.where(self.categories[found] == categories, found, -1)


class VoidUse(NamedTuple):
    """What void elements do, as in a :class:`~segmetry.alignments.policy.Policy`."""

    pred_void: bool
    true_void: bool
    drop_preds: bool
    drop_trues: bool
    removes_void: bool


class ClassTotals(NamedTuple):
    """The matched pairs, the missed and the spurious segments of every class, and the sum of the IoU of its pairs."""

    n_pairs: IntArray
    n_unmatched_true: IntArray
    n_unmatched_pred: IntArray
    iou_sum: FloatArray

    @property
    def n_true(self) -> IntArray:
        """Matched and missed true segments."""
        return self.n_pairs + self.n_unmatched_true

    @property
    def n_pred(self) -> IntArray:
        """Matched and spurious pred segments."""
        return self.n_pairs + self.n_unmatched_pred


def class_totals(
    counted: CategoryRows, kinds: ClassKinds, void: VoidUse, inequalities: Inequalities, factors: IntArray | None
) -> ClassTotals:
    """Return what a local rule matches that is one-to-one; ``factors`` are its inequalities as an array, if they fit.

    >>> counted = CategoryRows(np.array([[7, 1, 7, 2, 5], [7, 1, 6, 0, 1], [6, 0, 6, 0, 9]]), np.array([3]))
    >>> kinds = ClassKinds(np.array([6, 7]), np.array([False, True]))
    >>> iou_above_half = ((0, 1, 1, 1, 1),)
    >>> found = class_totals(counted, kinds, VoidUse(*[False] * 5), iou_above_half, np.array(iou_above_half))
    >>> found.n_pairs.tolist(), found.iou_sum.tolist()
    ([1, 1], [0.9, 0.8333333333333334])
    """
    if native is not None and factors is not None:
        rows, lengths = np.ascontiguousarray(counted.rows), np.ascontiguousarray(counted.lengths)
        found = native.class_totals(rows, lengths, kinds.categories, kinds.is_thing, factors, *void)
        if found is not None:
            return ClassTotals(*found)
    return class_totals_numpy(counted, kinds, void, inequalities)


def class_totals_numpy(
    counted: CategoryRows, kinds: ClassKinds, void: VoidUse, inequalities: Inequalities
) -> ClassTotals:
    """The numpy twin of :func:`class_totals`, also used where 64 bits might not be enough."""
    item = np.repeat(np.arange(counted.lengths.size), counted.lengths)
    first, true_class = _segments(item, counted.rows[:, 0], counted.rows[:, 1], kinds)
    second, pred_class = _segments(item, counted.rows[:, 2], counted.rows[:, 3], kinds)
    counts = counted.rows[:, 4]
    true_sizes, true_void = _sizes(first, counts, second < 0, true_class.size)
    pred_sizes, pred_void = _sizes(second, counts, first < 0, pred_class.size)
    both = (first >= 0) & (second >= 0)
    pairs, of_row = np.unique(np.stack((first[both], second[both])), axis=1, return_inverse=True)
    shared = sum_by(of_row.reshape(-1), counts[both], pairs.shape[1])
    at_true, at_pred = pairs
    true_counted, pred_counted = true_sizes - void.true_void * true_void, pred_sizes - void.pred_void * pred_void
    missed, spurious = true_counted[at_true] - shared, pred_counted[at_pred] - shared
    chosen = accept(shared, missed, spurious, inequalities) & (true_class[at_true] == pred_class[at_pred])
    rest_true, rest_pred = np.ones(true_class.size, dtype=bool), np.ones(pred_class.size, dtype=bool)
    rest_true[at_true[chosen]] = False
    rest_pred[at_pred[chosen]] = False
    if void.drop_trues:
        rest_true &= true_void <= true_sizes - true_void
    if void.drop_preds:
        rest_pred &= pred_void <= pred_sizes - pred_void
    if void.removes_void:
        rest_true &= true_counted > 0
        rest_pred &= pred_counted > 0
    n = kinds.categories.size
    of_class = true_class[at_true[chosen]]
    order, starts = group_order(of_class, n)
    weights = ratio(shared[chosen], (shared + missed + spurious)[chosen])
    return ClassTotals(
        np.bincount(of_class, minlength=n),
        np.bincount(true_class[rest_true], minlength=n),
        np.bincount(pred_class[rest_pred], minlength=n),
        group_sums_numpy(weights[order], starts),
    )


def _segments(
    item: IndexArray, category: IntArray, instance: IntArray, kinds: ClassKinds
) -> tuple[IndexArray, IndexArray]:
    """Return the segment of every row, -1 for void, and the class of every segment."""
    found = kinds.numbers(category)
    counts = found >= 0
    if not counts.any():
        return found, np.zeros(0, dtype=np.intp)
    keys = np.stack((item, found, np.where(kinds.is_thing[found], instance, 0)))[:, counts]
    of_row = np.full(item.size, -1, dtype=np.intp)
    segments, number = np.unique(keys, axis=1, return_inverse=True)
    of_row[counts] = number.reshape(-1)
    return of_row, segments[1].astype(np.intp)


def _sizes(of_row: IndexArray, counts: IntArray, opposite_void: BoolArray, n: int) -> tuple[IntArray, IntArray]:
    """Return the elements of every segment, and how many of them are void on the other side."""
    known = of_row >= 0
    in_void = known & opposite_void
    return sum_by(of_row[known], counts[known], n), sum_by(of_row[in_void], counts[in_void], n)
