"""Check label arrays and prepare them for native code, and number the labels of lines by their first occurrence."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from itertools import chain
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base import IntArray, frozen_dataclass
from segmetry.errors import InputError, LabelTypeError
from segmetry.kernels.backend import kernel

LabelNDArray = NDArray[Any]
"""An array of integers or booleans with one axis or more."""


def as_label_array(labels: ArrayLike) -> LabelNDArray:
    """Return the labels as an array of integers or booleans, without a copy where possible."""
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
    """Return the sorted ids that occur, and the labels replaced by their positions among them."""
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


@frozen_dataclass(eq=False)
class LabelCodes:
    """``codes`` are positions in ``labels``, those of all lines one after the other; ``lengths`` are those of lines."""

    codes: IntArray
    lengths: IntArray
    labels: list[Any]


def _number_texts(native: ModuleType, lines: Collection[Collection[Hashable]]) -> Any:
    numbered = native.number_texts(lines)
    return NotImplemented if numbered is None else LabelCodes(*numbered)  # labels other than texts


@kernel(_number_texts)
def number_labels(lines: Collection[Collection[Hashable]]) -> LabelCodes:
    """Return the number of every label; a label that cannot be hashed raises TypeError."""
    lengths = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    # A dictionary that numbers what it lacks: one lookup per label, without a branch in Python.
    known = _Known()
    numbers = map(known.__getitem__, chain.from_iterable(lines))
    codes = np.fromiter(numbers, dtype=np.int64, count=int(lengths.sum()))
    return LabelCodes(codes, lengths, list(known))


class _Known(dict[Hashable, int]):
    """The number of every distinct label, in the order in which they occur."""

    def __missing__(self, label: Hashable) -> int:
        self[label] = number = len(self)
        return number
