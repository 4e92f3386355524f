"""New values for the values of labels, all replaced at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, frozen_dataclass
from segmetry.kernels import LabelRunLengths
from segmetry.segmentation.labels import LabelArray, RunLengthLabels
from segmetry.storage import Region, StoredArray


@frozen_dataclass()
class ValueMap:
    """New values by old value, all at once (with 1 → 2 and 2 → 3, a 1 becomes 2), and the value of all others (None: as
    before).
    """

    new: Mapping[int, int]
    rest: int | None = None

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        result = np.array(values, dtype=self.dtype(values.dtype))
        if self.rest is not None:
            result[...] = self.rest
        limits = (0, 1) if values.dtype.kind == "b" else (np.iinfo(values.dtype).min, np.iinfo(values.dtype).max)
        possible = sorted(old for old in self.new if limits[0] <= old <= limits[1])
        if possible and values.size:
            old = np.array(possible, dtype=values.dtype)
            at = np.minimum(np.searchsorted(old, values), old.size - 1)
            changed = old[at] == values
            result[changed] = np.array([self.new[value] for value in possible], dtype=result.dtype)[at[changed]]
        return result

    def dtype(self, old: np.dtype[Any]) -> np.dtype[Any]:
        """Return a type for all new values, and for the old ones where they are kept."""
        targets = [*self.new.values(), *(() if self.rest is None else (self.rest,))]
        kept = [old] if self.rest is None else []
        smallest = [np.min_scalar_type(value) for value in targets]
        found = np.result_type(*kept, *smallest) if kept or smallest else old
        # numpy joins uint64 and a signed type to float64, which cannot represent large labels.
        return np.dtype(np.int64) if found.kind == "f" else np.dtype(np.uint8) if found.kind == "b" else found

    def value_of(self, value: int) -> int:
        """Return the new value of one value."""
        return self.new.get(value, value if self.rest is None else self.rest)


class LabelMeaning(NamedTuple):
    """What the labels of many arrays mean: as in ``template``, an array of one element, after ``values`` replace them.

    ``n_classes``: those that are neither outside nor void are below it.
    """

    template: LabelArray
    values: ValueMap | None = None
    n_classes: int | None = None

    def replaced(self, labels: IntArray) -> IntArray | None:
        """Return the labels that are meant, the same object if none is replaced; None if one is not a class."""
        if self.values is not None:
            labels = self.values(labels).astype(np.int64, copy=False)
        if self.n_classes is not None:
            wrong = (labels < 0) | (labels >= self.n_classes)
            if wrong.any() and not np.isin(labels[wrong], (*self.template.outside, *self.template.void)).all():
                return None
        return labels


ValueFunction = Callable[[NDArray[Any]], NDArray[Any]]


class ReplacedValues(StoredArray):
    """A stored array whose values are replaced when they are read."""

    def __init__(self, stored: StoredArray, function: ValueFunction, dtype: np.dtype[Any]) -> None:
        self.stored, self.function = stored, function
        self.shape, self.edges, self.dtype = stored.shape, stored.edges, dtype

    def read(self, box: Region) -> NDArray[Any]:
        return self.function(self.stored.read(box)).astype(self.dtype, copy=False)

    def files(self, box: Region) -> Iterable[Path] | None:
        return self.stored.files(box)


def replace_values(
    array: LabelArray, function: ValueFunction, dtype: np.dtype[Any] | None = None
) -> NDArray[Any] | StoredArray | RunLengthLabels:
    """Return the labels with their values replaced: stored ones when they are read, run lengths as run lengths."""
    kept = array.dtype if dtype is None else dtype
    if array.stored is not None:
        return ReplacedValues(array.stored, function, kept)
    if array.run_length_labels is not None:
        stops, labels = array.run_length_labels.run_lengths
        changed = function(labels).astype(np.int64, copy=False)
        return RunLengthLabels(LabelRunLengths(stops, changed), array.domain, kept)
    labels = array.labels
    if labels.dtype.kind in "bu" and labels.dtype.itemsize <= 2 and labels.size > 2**16:
        # 8 and 16 bits have so few values that a table of all is faster than a function of every element. Only values
        # that occur are passed: a function may raise for others.
        values = np.arange(2 ** (8 * labels.dtype.itemsize), dtype=f"u{labels.dtype.itemsize}")
        present = np.bincount(labels.ravel(), minlength=values.size) > 0
        table = np.zeros(values.size, dtype=kept)
        table[present] = function(values[present])
        return table[labels.view(values.dtype)]
    return function(labels).astype(kept, copy=False)
