"""Elements at which the label changes: those with a neighbour along an axis that has another label.

The frame of the array is no change. This is the boundary of the BF score, of superpixel benchmarks and of trimaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def label_changes(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which elements have a neighbour along an axis (4 in 2-D, 6 in 3-D) with another label.

    >>> label_changes(np.array([[1, 1, 2], [1, 1, 1]])).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    changes = np.zeros(labels.shape, dtype=bool)
    for axis in range(labels.ndim):
        lines, marked = np.moveaxis(labels, axis, 0), np.moveaxis(changes, axis, 0)
        differ = lines[1:] != lines[:-1]
        marked[1:] |= differ
        marked[:-1] |= differ
    return changes
