"""Count the label pairs of every item of a batch, on the device that holds it."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Any

import numpy as np

from segmetry.errors import DeviceMismatchError, EmptyInputError, LabelTypeError, ShapeMismatchError
from segmetry.kernels.category_pairs import CategoryPairs, count_category_pairs
from segmetry.kernels.gpu.device_labels import device_of
from segmetry.kernels.gpu.device_pairs import count_device_categories, count_device_pairs
from segmetry.kernels.pairs import PairCounts, add_up, count_pairs

CATEGORY = 2**32
"""The label of an instance of a category is ``category * CATEGORY + instance``."""


def batch_pairs(
    true: Any, pred: Any, *, categories: bool = False, stuff: Collection[int] = ()
) -> tuple[int, list[PairCounts]]:
    """Return the number of axes of an item, and the counted label pairs of every item.

    Batches are arrays or tensors of integers of shape (B, …), or (B, …, 2) with category and instance last. Tensors on
    a GPU are counted there, all items together, with one wait for the device.

    >>> axes, (item,) = batch_pairs(np.array([[1, 1, 2]]), np.array([[5, 5, 5]]))
    >>> axes, item.true_labels.tolist(), item.counts.tolist()
    (1, [1, 2], [2, 1])
    """
    _check(true, pred, categories=categories)
    axes = len(true.shape) - 1 - categories
    on_device = device_of(true) is not None
    if categories:
        first, second = _long(true), _long(pred)
        counted = (
            count_device_categories(first, second) if on_device else count_category_pairs(_array(first), _array(second))
        )
        return axes, _labels_of_categories(counted, len(true), stuff)
    if on_device:
        items = count_device_pairs(true.detach(), pred.detach(), items=len(true))
    else:
        items = [count_pairs(*pair) for pair in zip(_array(true), _array(pred), strict=True)]
    return axes, [PairCounts(*map(_as_int64, item)) for item in items]


def _check(true: Any, pred: Any, *, categories: bool) -> None:
    expected = "(B, …, 2), with (category, instance) last" if categories else "(B, …)"
    if (
        tuple(true.shape) != tuple(pred.shape)
        or len(true.shape) < 2 + categories
        or (categories and true.shape[-1] != 2)
    ):
        raise ShapeMismatchError(
            f"pred has shape {tuple(pred.shape)} and true {tuple(true.shape)}; expected the same shape {expected}"
        )
    if 0 in tuple(true.shape)[1:]:
        raise EmptyInputError(f"the items have shape {tuple(true.shape)[1:]}; expected at least one element")
    places = [device_of(side) or "this machine" for side in (pred, true)]
    if places[0] != places[1]:
        raise DeviceMismatchError(
            f"pred is on {places[0]} and true on {places[1]}; expected both on one device: "
            "true.to(pred.device) moves the truth"
        )
    for name, side in (("pred", pred), ("true", true)):
        kind = str(side.dtype).removeprefix("torch.")
        if kind.startswith(("float", "bfloat", "complex")):
            raise LabelTypeError(
                f"{name} has dtype {kind}; expected integer labels: the argmax over the classes of scores, or .long()"
            )


def _array(side: Any) -> Any:
    return np.asarray(side.detach() if hasattr(side, "detach") else side)


def _long(side: Any) -> Any:
    return side.detach().long() if hasattr(side, "detach") else np.asarray(side).astype(np.int64)


def _as_int64(column: Any) -> Any:
    if column.dtype == np.uint64 and column.size and int(column.max()) >= 2**63:
        raise LabelTypeError(f"labels contain {int(column.max())}; expected labels below 2**63")
    return column.astype(np.int64, copy=False)


def _labels_of_categories(counted: CategoryPairs, items: int, stuff: Collection[int]) -> list[PairCounts]:
    """Return pairs of labels that contain category and instance; the instances of stuff are one."""
    labels = []
    for category, instance in (counted[1:3], counted[3:5]):
        kept = np.where(np.isin(category, list(stuff)), 0, instance)
        wrong = (kept < 0) | (kept >= CATEGORY) | (np.abs(category) >= 2**30)
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise LabelTypeError(
                f"instance {int(instance[at])} of category {int(category[at])}; expected instances from 0 to 2**32 - 1 "
                "and categories below 2**30"
            )
        labels.append(category * CATEGORY + kept)
    bounds = np.searchsorted(counted.item, np.arange(items + 1)).tolist()
    return [
        add_up([PairCounts(labels[0][start:stop], labels[1][start:stop], counted.counts[start:stop])])
        for start, stop in pairwise(bounds)
    ]
