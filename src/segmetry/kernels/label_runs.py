"""Label arrays as run lengths of equal labels, which is how label images are compressed.

Nearly all elements of a label image are equal to the one before them. With run lengths
two arrays are counted one joint run at a time, without reading or storing their elements.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.backend import kernel
from segmetry.kernels.pairs import PairCounts, add_up


class LabelRunLengths(NamedTuple):
    """Run ``r`` has the label ``labels[r]`` and ends before element ``stops[r]``; the first begins at 0."""

    stops: NDArray[np.int64]
    labels: NDArray[np.int64]


def label_run_lengths(labels: NDArray[Any]) -> LabelRunLengths:
    """Return the run lengths of an array, in the order of its elements.

    >>> runs = label_run_lengths(np.array([[7, 7, 7], [7, 2, 2]]))
    >>> runs.stops.tolist(), runs.labels.tolist()
    ([4, 6], [7, 2])
    """
    flat = labels.ravel()
    stops = np.append(np.flatnonzero(flat[1:] != flat[:-1]) + 1, flat.size)
    return LabelRunLengths(stops, flat[stops - 1].astype(np.int64))


@kernel(lambda native, true, pred: PairCounts(*native.count_run_length_pairs(*true, *pred)))
def count_run_length_pairs(true: LabelRunLengths, pred: LabelRunLengths) -> PairCounts:
    """Count every pair of labels at the same position of two arrays with the same number of elements.

    >>> true, pred = label_run_lengths(np.array([1, 1, 1, 2])), label_run_lengths(np.array([7, 7, 0, 0]))
    >>> rows = count_run_length_pairs(true, pred)
    >>> list(zip(rows.true_labels.tolist(), rows.pred_labels.tolist(), rows.counts.tolist()))
    [(1, 0, 1), (1, 7, 2), (2, 0, 1)]
    """
    lengths = {int(side.stops[-1]) for side in (true, pred)}
    if len(lengths) != 1:
        raise ValueError(f"both sides must have the same number of elements, not {sorted(lengths)}")
    stops = np.union1d(true.stops, pred.stops)
    true_labels, pred_labels = (side.labels[np.searchsorted(side.stops, stops)] for side in (true, pred))
    return add_up([PairCounts(true_labels, pred_labels, np.diff(stops, prepend=0))])


@kernel(lambda native, run_lengths: native.run_length_sizes(*run_lengths))
def run_length_sizes(run_lengths: LabelRunLengths) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the labels that occur, in ascending order, and the number of elements of each.

    >>> labels, counts = run_length_sizes(label_run_lengths(np.array([7, 7, 2, 7])))
    >>> labels.tolist(), counts.tolist()
    ([2, 7], [1, 3])
    """
    labels, at = np.unique(run_lengths.labels, return_inverse=True)
    counts = np.zeros(labels.size, dtype=np.int64)
    np.add.at(counts, at, np.diff(run_lengths.stops, prepend=0))
    return labels, counts
