"""Sizes of labels, from their run lengths or by the overlap kernel, which is much faster than sorting."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from segmetry.kernels.label_run_lengths import run_length_sizes
from segmetry.kernels.pairs import count_pairs
from segmetry.segmentation.run_length_labels import RunLengthLabels


def label_sizes(labels: NDArray[Any] | RunLengthLabels) -> dict[int, int]:
    """Return the number of elements of every label, in ascending order of labels.

    >>> import numpy as np
    >>> label_sizes(np.array([[7, 7, 0], [9, 7, 0]]))
    {0: 2, 7: 3, 9: 1}
    """
    if isinstance(labels, RunLengthLabels):
        values, counts = labels.sizes or run_length_sizes(labels.run_lengths)
    else:
        values, _, counts = count_pairs(labels, labels)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))
