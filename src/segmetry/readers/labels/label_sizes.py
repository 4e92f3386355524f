"""Sizes of labels, counted by the overlap kernel, which is much faster than sorting."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from segmetry.kernels.label_run_lengths import count_run_length_pairs
from segmetry.kernels.pairs import count_pairs
from segmetry.segmentation.run_length_labels import RunLengthLabels


def label_sizes(labels: NDArray[Any] | RunLengthLabels) -> dict[int, int]:
    """Return the number of elements of every label, in ascending order of labels.

    >>> import numpy as np
    >>> label_sizes(np.array([[7, 7, 0], [9, 7, 0]]))
    {0: 2, 7: 3, 9: 1}
    """
    if isinstance(labels, RunLengthLabels):
        pairs = count_run_length_pairs(labels.run_lengths, labels.run_lengths)
    else:
        pairs = count_pairs(labels, labels)
    return dict(zip(pairs.true_labels.tolist(), pairs.counts.tolist(), strict=True))
