"""Label arrays whose overlaps are counted together, a group of items at a time: no object is made for any of them.

A group is one of items whose labels mean the same. Anything unusual about an item (another type, a shape that differs,
a label that is wrong) leaves the group to the way of single items, which says what is wrong with which of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.evaluation.inputs import ItemTask, StatedArray
from segmetry.kernels import count_item_pairs
from segmetry.overlaps import ItemTables, tables_of_labels
from segmetry.readers import ReadOptions, label_meaning
from segmetry.segmentation import LabelArray, LabelMeaning

_FITTING = "?bhilqBHI" + ("L" if np.dtype("L").itemsize < 8 else "")
"""The types whose numbers fit into int64."""
LARGEST = 2**20
"""The most elements of an item in a group: a larger one takes long enough to be a job of its own."""


@frozen_dataclass(eq=False)
class LabelGroup:
    """The arrays of both sides of a group of items, and what their labels mean."""

    true: Sequence[NDArray[Any]]
    pred: Sequence[NDArray[Any]]
    meanings: tuple[LabelMeaning, LabelMeaning]

    @classmethod
    def of(cls, tasks: Sequence[ItemTask]) -> LabelGroup | None:
        """Return the group of some items that have one :func:`group_key`; None where it has no labels in memory."""
        true, pred = ([_array_of(getattr(task, side)) for task in tasks] for side in ("true", "pred"))
        arrays = [[labels for labels in side if labels is not None] for side in (true, pred)]
        if not len(arrays[0]) == len(arrays[1]) == len(tasks):
            return None
        first, second = (_meaning_of(side, arrays[0][0].ndim) for side in (tasks[0].true, tasks[0].pred))
        return None if first is None or second is None else cls(arrays[0], arrays[1], (first, second))

    def count(self, threads: int) -> ItemTables | None:
        """Return the overlap tables; None where an item is unusual."""
        n_elements = np.array([labels.size for labels in self.true], dtype=np.int64)
        return tables_of_labels(count_item_pairs(self.true, self.pred, threads=threads), n_elements, *self.meanings)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shape of every item."""
        return [labels.shape for labels in self.true]


def group_key(task: ItemTask) -> tuple[Hashable, int] | None:
    """Return what the items of a group have in common, and the size of this one; None for what is in no group."""
    true, pred = _array_of(task.true), _array_of(task.pred)
    if true is None or pred is None or true.shape != pred.shape or not 0 < true.size <= LARGEST:
        return None
    return (true.ndim, _fact_key(task.true), _fact_key(task.pred)), true.size


def _array_of(side: Any) -> NDArray[Any] | None:
    """Return the labels of a side that are in memory, of a type that fits into int64."""
    array = side.value if type(side) is StatedArray else side
    if type(array) is LabelArray and not array.spacing.stated and not array.crowd:
        array = array.__dict__["_array"]
    return array if type(array) is np.ndarray and array.dtype.char in _FITTING else None


def _fact_key(side: Any) -> Hashable:
    if type(side) is StatedArray:
        return id(side.options)
    return (side.outside, side.void, side.allow_negative, side.classes) if type(side) is LabelArray else None


def _meaning_of(side: Any, axes: int) -> LabelMeaning | None:
    if type(side) is StatedArray:
        return label_meaning(side.options, axes)
    if type(side) is LabelArray:
        return LabelMeaning(side)
    return label_meaning(ReadOptions(), axes)
