"""Count how often each pair of labels occurs at the same position of two arrays.

This is the one pass over the data from which every overlap is computed. Both versions rest on the same fact: labels
come in runs, so it is enough to find where one ends in either array and to count once per *joint run*. The
cost is that of reading both arrays once, plus a few nanoseconds per joint run.

Label images are compressed as run lengths of equal labels: two of them are counted one joint run at a time, without
reading or storing their elements. Panoptic maps of tensor libraries (items, …, 2) are pairs of category and instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, is_new
from segmetry.kernels.backend import kernel
from segmetry.kernels.label_arrays import id_dtype

_BLOCK = 1 << 17
"""Positions that the numpy version reads together: a mebibyte of labels of 64 bits on each side."""

_FEWEST_PENDING = 1 << 21
"""Joint runs collected before the numpy version adds up equal pairs: about 50 MB."""


class PairCounts(NamedTuple):
    """One row per pair of labels that occurs, sorted by (true label, pred label) in numeric order."""

    true_labels: NDArray[Any]
    pred_labels: NDArray[Any]
    counts: NDArray[np.int64]


@kernel(
    lambda native, true, pred, *, threads=1: PairCounts(
        *native.count_pairs(*_checked_labels(true, pred), threads=_checked_threads(threads))
    )
)
def count_pairs(true: NDArray[Any], pred: NDArray[Any], *, threads: int = 1) -> PairCounts:
    """Count every pair of labels at the same position.

    Both arrays have the same shape and any integer dtype or bool, in any memory layout; nothing is copied as a whole.
    Labels come back as int64, or as uint64 on a side whose dtype is uint64. The rows do not depend on ``threads``.
    """
    true, pred = _checked_labels(true, pred)
    _checked_threads(threads)
    total = PairCounts(np.empty(0, id_dtype(true)), np.empty(0, id_dtype(pred)), np.empty(0, np.int64))
    pending: list[PairCounts] = []
    waiting = 0
    for true_block, pred_block in _label_blocks(true, pred):
        runs = _joint_runs(true_block, pred_block)
        pending.append(runs)
        waiting += len(runs.counts)
        # Waiting rows may be as many as the rows found so far: memory stays within a multiple of the result.
        if waiting > max(_FEWEST_PENDING, len(total.counts)):
            total, pending, waiting = add_up([total, *pending]), [], 0
    return add_up([total, *pending]) if pending else total


def _checked_labels(true: NDArray[Any], pred: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    true, pred = np.asarray(true), np.asarray(pred)
    if true.shape != pred.shape:
        raise ValueError(f"true has shape {true.shape} and pred has shape {pred.shape}; expected equal shapes")
    for name, labels in (("true", true), ("pred", pred)):
        if labels.dtype.kind not in "iub":
            raise ValueError(f"{name} has dtype {labels.dtype}; expected integers or bool")
    return true, pred


def _checked_threads(threads: int) -> int:
    if threads < 1:
        raise ValueError(f"threads is {threads}; expected at least 1")
    return threads


def _label_blocks(true: NDArray[Any], pred: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Both arrays in one-dimensional pieces, in memory order; only pieces that are not dense are copied."""
    if true.size == 0:
        return
    dtypes = [true.dtype.newbyteorder("="), pred.dtype.newbyteorder("=")]
    with np.nditer(
        [true, pred],
        flags=["external_loop", "buffered"],
        op_flags=[["readonly"], ["readonly"]],
        op_dtypes=dtypes,
        # The order of memory: which element is which does not matter for counts.
        order="K",
        casting="equiv",
        buffersize=_BLOCK,
    ) as pieces:
        yield from pieces


def _joint_runs(true: NDArray[Any], pred: NDArray[Any]) -> PairCounts:
    """The runs of a block in which neither label changes, in order of position."""
    changes = true[1:] != true[:-1]
    changes |= pred[1:] != pred[:-1]
    starts = np.concatenate(([0], np.flatnonzero(changes) + 1))
    lengths = np.diff(starts, append=len(true))
    return PairCounts(true[starts].astype(id_dtype(true)), pred[starts].astype(id_dtype(pred)), lengths)


def add_up(parts: list[PairCounts]) -> PairCounts:
    """One row per pair, sorted, with the counts of equal pairs summed."""
    true_labels, pred_labels, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    if len(counts) == 0:
        return PairCounts(true_labels, pred_labels, counts)
    # Sorting one integer is several times faster than sorting by two columns.
    keys = _packed_keys(true_labels, pred_labels)
    order = np.lexsort((pred_labels, true_labels)) if keys is None else np.argsort(keys)
    true_labels, pred_labels = true_labels[order], pred_labels[order]
    new = (true_labels[1:] != true_labels[:-1]) | (pred_labels[1:] != pred_labels[:-1])
    first = np.concatenate(([0], np.flatnonzero(new) + 1))
    return PairCounts(true_labels[first], pred_labels[first], np.add.reduceat(counts[order], first))


def _packed_keys(true_labels: NDArray[Any], pred_labels: NDArray[Any]) -> NDArray[np.int64] | None:
    """Keys in the order of the pairs, or None where the ranges of labels are too wide for 63 bits."""
    low_true, low_pred = int(true_labels.min()), int(pred_labels.min())
    range_true, range_pred = int(true_labels.max()) - low_true + 1, int(pred_labels.max()) - low_pred + 1
    if range_true * range_pred > np.iinfo(np.int64).max:
        return None
    # Each difference is below 2^63 by the check above, so it is exact in the labels' own dtype and in int64.
    true_part: NDArray[np.int64] = (true_labels - true_labels.min()).astype(np.int64)
    pred_part: NDArray[np.int64] = (pred_labels - pred_labels.min()).astype(np.int64)
    return true_part * range_pred + pred_part


class PairsOfItems(NamedTuple):
    """The counted pairs of labels of many items: those of item ``i`` are ``starts[i] : starts[i + 1]``, sorted."""

    starts: IntArray
    true_labels: NDArray[np.int64]
    pred_labels: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, items: Sequence[PairCounts]) -> PairsOfItems:
        """Return the pairs of some items."""
        starts = np.cumsum([0, *(len(rows.counts) for rows in items)])
        return cls(starts, *(np.concatenate(column) for column in zip(*items, strict=True)))


@kernel(
    lambda native, true, pred, *, threads=1: PairsOfItems(
        *native.count_item_pairs(list(true), list(pred), _checked_threads(threads))
    )
)
def count_item_pairs(true: Sequence[NDArray[Any]], pred: Sequence[NDArray[Any]], *, threads: int = 1) -> PairsOfItems:
    """Count the pairs of labels of every item: as many arrays on both sides, of any integers that fit into int64."""
    _checked_threads(threads)
    if len(true) != len(pred) or any(labels.dtype == np.uint64 for labels in (*true, *pred)):
        raise ValueError("there must be as many arrays on both sides, and labels must fit into int64")
    return PairsOfItems.of([count_pairs(*sides) for sides in zip(true, pred, strict=True)])


def add_up_items(pairs: PairsOfItems) -> PairsOfItems:
    """Return the rows of every item sorted, with the counts of equal pairs summed, as after labels were replaced."""
    n = pairs.starts.size - 1
    item = np.repeat(np.arange(n), np.diff(pairs.starts))
    order = np.lexsort((pairs.pred_labels, pairs.true_labels, item))
    item, true_labels, pred_labels = item[order], pairs.true_labels[order], pairs.pred_labels[order]
    first = np.flatnonzero(is_new(item, true_labels, pred_labels))
    counts = np.add.reduceat(pairs.counts[order], first) if first.size else pairs.counts
    return PairsOfItems(np.searchsorted(item[first], np.arange(n + 1)), true_labels[first], pred_labels[first], counts)


class LabelRunLengths(NamedTuple):
    """Run ``r`` has the label ``labels[r]`` and ends before element ``stops[r]``; the first begins at 0."""

    stops: NDArray[np.int64]
    labels: NDArray[np.int64]


def label_run_lengths(labels: NDArray[Any]) -> LabelRunLengths:
    """Return the run lengths of an array, in the order of its elements."""
    flat = labels.ravel()
    stops = np.append(np.flatnonzero(flat[1:] != flat[:-1]) + 1, flat.size)
    return LabelRunLengths(stops, flat[stops - 1].astype(np.int64))


@kernel(lambda native, true, pred: PairCounts(*native.count_run_length_pairs(*true, *pred)))
def count_run_length_pairs(true: LabelRunLengths, pred: LabelRunLengths) -> PairCounts:
    """Count every pair of labels at the same position of two arrays with the same number of elements."""
    lengths = {int(side.stops[-1]) for side in (true, pred)}
    if len(lengths) != 1:
        raise ValueError(f"both sides must have the same number of elements, not {sorted(lengths)}")
    stops = np.union1d(true.stops, pred.stops)
    true_labels, pred_labels = (side.labels[np.searchsorted(side.stops, stops)] for side in (true, pred))
    return add_up([PairCounts(true_labels, pred_labels, np.diff(stops, prepend=0))])


@kernel(lambda native, run_lengths: native.run_length_sizes(*run_lengths))
def run_length_sizes(run_lengths: LabelRunLengths) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the labels that occur, in ascending order, and the number of elements of each."""
    labels, at = np.unique(run_lengths.labels, return_inverse=True)
    counts = np.zeros(labels.size, dtype=np.int64)
    np.add.at(counts, at, np.diff(run_lengths.stops, prepend=0))
    return labels, counts


class CategoryPairs(NamedTuple):
    """One row per item and pair that occurs, sorted."""

    item: IntArray
    true_category: IntArray
    true_instance: IntArray
    pred_category: IntArray
    pred_instance: IntArray
    counts: IntArray


@kernel(lambda native, true, pred: CategoryPairs(*native.count_category_pairs(*_checked_maps(true, pred))))
def count_category_pairs(true: NDArray[Any], pred: NDArray[Any]) -> CategoryPairs:
    """Count every pair of (category, instance) at the same position of two int64 arrays (items, …, 2)."""
    first, second = _checked_maps(true, pred)
    items, n = first.shape[:2]
    columns = [side[..., at].reshape(-1) for side in (first, second) for at in (0, 1)]
    starts_run = np.zeros(items * n, dtype=bool)
    starts_run[::n] = True
    for column in columns:
        starts_run[1:] |= column[1:] != column[:-1]
    # Only the first element of each run of equal pairs is sorted; runs never cross the border of two items.
    starts = np.flatnonzero(starts_run)
    lengths = np.diff(starts, append=items * n)
    keys = np.stack([starts // n, *(column[starts] for column in columns)])
    order = np.lexsort(keys[::-1])
    keys = keys[:, order]
    is_new = np.concatenate(([True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    counts = np.add.reduceat(lengths[order], np.flatnonzero(is_new))
    return CategoryPairs._make([*keys[:, is_new], counts])


def _checked_maps(true: NDArray[Any], pred: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if true.shape != pred.shape or true.ndim < 3 or true.shape[-1] != 2 or true.size == 0:
        raise ValueError(f"true has shape {true.shape} and pred {pred.shape}; expected one shape (items, …, 2)")
    for name, side in (("true", true), ("pred", pred)):
        if side.dtype.kind not in "iub" or side.dtype == np.uint64:
            raise ValueError(f"{name} has dtype {side.dtype}; expected integers that fit into int64")
    first, second = (np.ascontiguousarray(side, dtype=np.int64).reshape(len(side), -1, 2) for side in (true, pred))
    return first, second
