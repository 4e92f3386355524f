"""Count how often each pair of labels occurs at the same position of two arrays.

This is the one pass over the data from which every overlap is computed. Both versions rest on the same fact: labels
come in runs, so it is enough to find where one ends in either array and to count once per *joint run*. The
cost is that of reading both arrays once, plus a few nanoseconds per joint run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.backend import native
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


def count_pairs(true: NDArray[Any], pred: NDArray[Any], *, threads: int = 1) -> PairCounts:
    """Count every pair of labels at the same position.

    Both arrays have the same shape and any integer dtype or bool, in any memory layout; nothing is copied as a whole.
    Labels come back as int64, or as uint64 on a side whose dtype is uint64. The rows do not depend on ``threads``.

    >>> import numpy as np
    >>> rows = count_pairs(np.array([1, 1, 1, 2]), np.array([7, 7, 0, 0]))
    >>> list(zip(rows.true_labels.tolist(), rows.pred_labels.tolist(), rows.counts.tolist()))
    [(1, 0, 1), (1, 7, 2), (2, 0, 1)]
    """
    true, pred = _checked_labels(true, pred)
    if threads < 1:
        raise ValueError(f"threads is {threads}; expected at least 1")
    if native is None:
        return count_pairs_numpy(true, pred)
    return PairCounts(*native.count_pairs(true, pred, threads=threads))


def count_pairs_numpy(true: NDArray[Any], pred: NDArray[Any]) -> PairCounts:
    """The same in numpy: the fallback without native code, and its oracle in tests.

    >>> import numpy as np
    >>> count_pairs_numpy(np.array([True, False]), np.array([3, 3])).counts.tolist()
    [1, 1]
    """
    true, pred = _checked_labels(true, pred)
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
