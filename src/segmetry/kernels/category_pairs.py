"""Count the pairs of (category, instance) of two batches (items, …, 2), the panoptic maps of tensor libraries."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray
from segmetry.kernels.backend import kernel


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
    """Count every pair of (category, instance) at the same position of two int64 arrays (items, …, 2).

    >>> true = np.array([[[7, 1], [7, 1], [6, 0]]])
    >>> pred = np.array([[[7, 2], [7, 2], [7, 2]]])
    >>> [column.tolist() for column in count_category_pairs(true, pred)]
    [[0, 0], [6, 7], [0, 1], [7, 7], [2, 2], [1, 2]]
    """
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
