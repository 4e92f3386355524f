"""Count the label pairs of every frame of a video, many frames at a time.

One call of the kernel counts many frames where the number of the frame fits beside the true label in one integer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IndexArray
from segmetry.kernels.pairs import PairCounts, count_pairs
from segmetry.metrics.video.tubes import read_frames
from segmetry.segmentation.labels import LabelArray

AT_ONCE = 2**22
"""Elements that are counted together, unless a single frame has more."""
_WIDEST = 2**63


def count_frames(true: LabelArray, pred: LabelArray) -> tuple[IndexArray, PairCounts]:
    """Return the label pairs of every frame: the frame, the labels and the count of each, by frame, then label.

    >>> frame, pairs = count_frames(LabelArray([[[1, 1]], [[0, 1]]]), LabelArray([[[2, 3]], [[0, 0]]]))
    >>> frame.tolist(), pairs.true_labels.tolist(), pairs.pred_labels.tolist()
    ([0, 0, 1, 1], [1, 1, 0, 1], [2, 3, 0, 0])
    """
    n_frames, step = true.domain[0], max(1, AT_ONCE // max(1, true.n_elements // max(1, true.domain[0])))
    parts = [
        part for first in range(0, n_frames, step) for part in _counted(true, pred, first, min(n_frames, first + step))
    ]
    frame = np.concatenate([np.zeros(0, dtype=np.intp), *(part[0] for part in parts)])
    columns = [np.concatenate(column) for column in zip(*(part[1] for part in parts), strict=True)]
    return frame, PairCounts(*columns)


def _counted(true: LabelArray, pred: LabelArray, first: int, stop: int) -> Iterator[tuple[IndexArray, PairCounts]]:
    true_labels, pred_labels = read_frames(true, first, stop), read_frames(pred, first, stop)
    tagged, above = _with_frame(true_labels)
    if tagged is None:
        for at, sides in enumerate(zip(true_labels, pred_labels, strict=True), start=first):
            counts = count_pairs(*sides)
            yield np.full(len(counts.counts), at), counts
        return
    counts = count_pairs(tagged, pred_labels)
    frame, labels = np.divmod(counts.true_labels.astype(np.int64), above)
    yield first + frame, counts._replace(true_labels=labels)


def _with_frame(labels: NDArray[Any]) -> tuple[NDArray[Any] | None, int]:
    """Return the labels plus ``above`` times the number of their frame; None where that is too large."""
    above = int(labels.max(initial=0)) + 1
    largest = above * len(labels)
    if int(labels.min(initial=0)) < 0 or largest >= _WIDEST:
        return None, above
    tagged = labels.astype(np.min_scalar_type(largest))
    tagged += (above * np.arange(len(labels))).astype(tagged.dtype).reshape(-1, *[1] * (labels.ndim - 1))
    return tagged, above
