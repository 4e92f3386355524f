"""Check label arrays and prepare them for native code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry.errors import InputError, LabelTypeError

LabelNDArray = NDArray[Any]
"""An array of integers or booleans with one axis or more."""


def as_label_array(labels: ArrayLike) -> LabelNDArray:
    """Return the labels as an array of integers or booleans, without a copy where possible.

    >>> as_label_array([[0, 7], [7, 7]]).dtype.kind
    'i'
    >>> as_label_array([0.0, 1.0])
    Traceback (most recent call last):
    segmetry.errors.LabelTypeError: labels are float64, expected integers or booleans; convert them first
    """
    array = np.asarray(labels)
    if array.dtype.kind not in "iub":
        raise LabelTypeError(f"labels are {array.dtype}, expected integers or booleans; convert them first")
    if array.ndim == 0:
        raise InputError("labels are a single number, expected an array with at least one axis")
    return array


def id_dtype(labels: LabelNDArray) -> np.dtype[Any]:
    """Return the type in which ids of these labels are reported: uint64 for uint64 labels, else int64."""
    return np.dtype(np.uint64 if labels.dtype.kind == "u" and labels.dtype.itemsize == 8 else np.int64)


def dense_labels(labels: LabelNDArray) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted ids that occur, and the labels replaced by their positions among them.

    >>> ids, dense = dense_labels(np.array([[9, 2], [9, 9]]))
    >>> ids.tolist(), dense.tolist()
    ([2, 9], [[1, 0], [1, 1]])
    """
    ids, inverse = np.unique(labels, return_inverse=True)
    return ids.astype(id_dtype(labels)), inverse.reshape(labels.shape)


def unsigned_view(labels: LabelNDArray) -> LabelNDArray:
    """Return the same memory as unsigned integers of the same width: kernels only compare labels for equality.

    Byte order does not matter either, as long as ids are viewed in the order of the labels.
    Arrays that are not aligned to element boundaries (a field of packed records) are copied.
    """
    size = labels.dtype.itemsize
    if not labels.flags.aligned or any(stride % size for stride in labels.strides):
        labels = np.ascontiguousarray(labels)
    return labels.view(np.dtype(f"u{size}"))
