"""Rows that a GPU counted, put into order: each has a key of two 32-bit labels, and a count with its item above it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.kernels.backend import native

ITEM_SHIFT = 40
"""A count has the number of its item above these bits."""


class LabelRows(NamedTuple):
    """The item of every row, its two labels, and how often they meet; sorted in this order."""

    items: IntArray
    true_labels: IntArray
    pred_labels: IntArray
    counts: IntArray


def sort_key_rows(keys: IntArray, counts: IntArray, *, true_signed: bool, pred_signed: bool) -> LabelRows:
    """Return the rows by item, true label and pred label, which lie in the upper and the lower half of a key.

    >>> keys = np.array([3 << 32 | 5, 3 << 32 | 4, 2 << 32 | 9])
    >>> [column.tolist() for column in sort_key_rows(keys, np.array([7, 8, 9]), true_signed=True, pred_signed=True)]
    [[0, 0, 0], [2, 3, 3], [9, 4, 5], [9, 8, 7]]
    """
    if native is None:
        return sort_key_rows_numpy(keys, counts, true_signed=true_signed, pred_signed=pred_signed)
    return _native_rows(native, keys, counts, true_signed=true_signed, pred_signed=pred_signed)


def _native_rows(library: Any, keys: IntArray, counts: IntArray, *, true_signed: bool, pred_signed: bool) -> LabelRows:
    return LabelRows(*library.sort_key_rows(keys, counts, true_signed, pred_signed))


def sort_key_rows_numpy(keys: IntArray, counts: IntArray, *, true_signed: bool, pred_signed: bool) -> LabelRows:
    """The same in numpy: the fallback without native code, and its oracle in tests."""
    order = np.argsort(keys.view(np.uint64) ^ np.uint64(sign_bits(true_signed=true_signed, pred_signed=pred_signed)))
    number = counts[order] >> ITEM_SHIFT
    if number.size and number.max():
        few = number.max() < 1 << 16  # numpy sorts 16 bits by counting
        order = order[np.argsort(number.astype(np.uint16) if few else number, kind="stable")]
    return label_rows(keys[order], counts[order], true_signed=true_signed, pred_signed=pred_signed)


def label_rows(keys: IntArray, counts: IntArray, *, true_signed: bool, pred_signed: bool) -> LabelRows:
    """Return the columns of rows that are in order."""
    halves = keys.view(np.uint32).reshape(-1, 2)  # machines on which GPUs are used put the low half first
    true_labels, pred_labels = (
        (half.view(np.int32) if is_signed else half).astype(np.int64)
        for half, is_signed in ((halves[:, 1], true_signed), (halves[:, 0], pred_signed))
    )
    return LabelRows(counts >> ITEM_SHIFT, true_labels, pred_labels, counts & ((1 << ITEM_SHIFT) - 1))


def sign_bits(*, true_signed: bool, pred_signed: bool) -> int:
    """Return the sign bits of the labels in a key."""
    return (true_signed << 63) | (pred_signed << 31)


def as_unsigned(labels: IntArray, *, unsigned: bool) -> NDArray[Any]:
    """Return labels with the type that labels of 64 bits have: uint64 if they are unsigned."""
    return labels.view(np.uint64) if unsigned else labels
