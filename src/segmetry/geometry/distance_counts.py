"""The distances of a pair, stored as distinct values with their counts.

Distances between elements are roots of sums of a few squares, so of the thousands of a surface only some dozens are
distinct. Stored this way all pairs of a volume take little memory; no measure depends on the order of the distances.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.distances import SurfaceDistances


class TalliedDistances(NamedTuple):
    """The distinct distances of each direction in ascending order, and their counts."""

    true_to_pred: tuple[NDArray[np.float64], NDArray[Any]]
    pred_to_true: tuple[NDArray[np.float64], NDArray[Any]]

    @classmethod
    def of(cls, distances: SurfaceDistances) -> TalliedDistances:
        """Count the distances of a pair.

        >>> tallied = TalliedDistances.of(SurfaceDistances(np.array([2.0, 0.0, 2.0]), np.array([1.0])))
        >>> tallied.spread().true_to_pred.tolist()
        [0.0, 2.0, 2.0]
        """
        true_to_pred, pred_to_true = (np.unique(directed, return_counts=True) for directed in distances)
        return cls(true_to_pred, pred_to_true)

    def spread(self) -> SurfaceDistances:
        """Return one distance per element, in ascending order."""
        true_to_pred, pred_to_true = (np.repeat(values, counts) for values, counts in self)
        return SurfaceDistances(true_to_pred, pred_to_true)
