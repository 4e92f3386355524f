"""Paint a value per label: precision and recall maps, coloured segmentations."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry.errors import InputError, KindError, LabelTypeError, OptionError
from segmetry.kernels.backend import native
from segmetry.kernels.label_arrays import LabelNDArray, as_label_array, unsigned_view

_BLOCK = 1 << 18
"""Elements the twin looks up at a time, so that its intermediate arrays stay in cache."""


def paint(labels: ArrayLike, ids: ArrayLike, values: ArrayLike, fill: float | Sequence[int]) -> NDArray[Any]:
    """Return an array with the value of every element's label, and ``fill`` where the label is not among the ids.

    ``ids`` ascend; ``values`` has one float64 or float32 per id, or one row of four uint8 (RGBA); ``fill`` is one such
    value. The result has the shape of ``labels``, and a last axis of length four for RGBA.
    """
    array = as_label_array(labels)
    patterns, pattern_of_fill, shown = _as_patterns(np.asarray(values), fill)
    known, positions = _ids_in_range(np.asarray(ids), len(patterns), array.dtype)
    patterns = np.ascontiguousarray(patterns[positions])
    painted = np.empty(array.shape, patterns.dtype)
    if native is None:
        paint_numpy(array, known, patterns, pattern_of_fill, painted)
    else:
        _paint_native(native, array, known, patterns, pattern_of_fill, painted)
    return (painted[..., None] if shown == np.uint8 else painted).view(shown)


def _as_patterns(values: NDArray[Any], fill: float | Sequence[int]) -> tuple[NDArray[Any], NDArray[Any], np.dtype[Any]]:
    """Return values and fill as unsigned integers of the same bits, and their own type."""
    rgba = values.dtype == np.uint8 and values.ndim == 2 and values.shape[1] == 4
    if not rgba and not (values.dtype in (np.float32, np.float64) and values.ndim == 1):
        raise KindError(
            f"values are {values.dtype} of shape {values.shape}, expected one float32 or float64 per id, "
            "or one row of four uint8 (RGBA) per id"
        )
    pattern = np.dtype(np.uint64 if values.dtype == np.float64 else np.uint32)
    filler = np.asarray(fill)
    if filler.shape != values.shape[1:] or (rgba and np.any((filler < 0) | (filler > 255))):
        raise OptionError(f"fill is {fill!r}, expected {'four numbers from 0 to 255 (RGBA)' if rgba else 'one number'}")
    filled = filler.astype(values.dtype)
    return (
        np.ascontiguousarray(values).view(pattern).reshape(len(values)),
        filled.reshape(-1).view(pattern),
        values.dtype,
    )


def _ids_in_range(ids: NDArray[Any], count: int, label_type: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the ids that labels of this type can equal, in this type, and their positions."""
    if ids.size == 0:
        ids = ids.astype(np.int64)
    if ids.dtype.kind not in "iub" or ids.ndim != 1:
        raise LabelTypeError(f"ids are {ids.dtype} of shape {ids.shape}, expected one row of integers")
    if len(ids) != count:
        raise InputError(f"{len(ids)} ids and {count} values, expected one value per id")
    if np.any(ids[1:] <= ids[:-1]):
        raise InputError("ids must be ascending without repetition; sort ids and values together first")
    low, high = (0, 1) if label_type.kind == "b" else (np.iinfo(label_type).min, np.iinfo(label_type).max)
    # As Python integers, because int64 and uint64 have no common integer type.
    fits = np.array([low <= value <= high for value in ids.tolist()], bool)
    return ids[fits].astype(label_type), np.flatnonzero(fits)


def _paint_native(
    kernels: ModuleType,
    labels: LabelNDArray,
    ids: LabelNDArray,
    patterns: NDArray[Any],
    fill: NDArray[Any],
    painted: NDArray[Any],
) -> None:
    view = unsigned_view(labels)
    # Three axes for the kernel: a picture with more is a stack of its last two (contiguous in `painted`).
    stack = view[(None,) * (3 - view.ndim)] if view.ndim <= 3 else view.reshape(-1, *view.shape[-2:])
    wide_ids = unsigned_view(ids).astype(np.uint64)
    kernels.paint(stack, wide_ids, patterns, fill, painted.reshape(stack.shape))


def paint_numpy(
    labels: LabelNDArray, ids: LabelNDArray, patterns: NDArray[Any], fill: NDArray[Any], painted: NDArray[Any]
) -> None:
    """The numpy twin of the native kernel: finds labels by bisection, a block at a time."""
    if len(ids) == 0:
        painted[...] = fill[0]
        return
    target = painted.reshape(-1)
    source = labels.reshape(-1) if labels.flags.c_contiguous else labels.flat
    for start in range(0, labels.size, _BLOCK):
        block = source[start : start + _BLOCK]
        position = np.minimum(np.searchsorted(ids, block), len(ids) - 1)
        target[start : start + _BLOCK] = np.where(ids[position] == block, patterns[position], fill[0])
