"""Labels whose values are replaced by a function of the value, however they are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.label_run_lengths import LabelRunLengths
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.run_length_labels import RunLengthLabels
from segmetry.storage.stored_arrays import Region, StoredArray

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
    """Return the labels with their values replaced: stored ones when they are read, run lengths as run lengths.

    >>> replace_values(LabelArray([[1, 2], [2, 7]]), lambda values: values % 2)
    array([[1, 0],
           [0, 1]])
    """
    kept = array.dtype if dtype is None else dtype
    if array.stored is not None:
        return ReplacedValues(array.stored, function, kept)
    if array.run_length_labels is not None:
        stops, labels = array.run_length_labels.run_lengths
        changed = function(labels).astype(np.int64, copy=False)
        return RunLengthLabels(LabelRunLengths(stops, changed), array.domain, kept)
    labels = array.labels
    if labels.dtype.kind in "bu" and labels.dtype.itemsize <= 2 and labels.size > 2**16:
        values = np.arange(2 ** (8 * labels.dtype.itemsize), dtype=f"u{labels.dtype.itemsize}")
        present = np.bincount(labels.ravel(), minlength=values.size) > 0
        table = np.zeros(values.size, dtype=kept)
        table[present] = function(values[present])
        return table[labels.view(values.dtype)]
    return function(labels).astype(kept, copy=False)
