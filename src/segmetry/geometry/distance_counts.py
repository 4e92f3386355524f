"""The distances of a pair as how often each of them occurs.

Distances between elements are roots of sums of a few squares, so that among the thousands of a surface only some dozens
differ. Kept so, all pairs of a volume take little memory; no measure of a pair depends on the order of its distances.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.distances import SurfaceDistances


class TalliedDistances(NamedTuple):
    """Of each direction the different distances, rising, and their counts."""

    true_to_pred: tuple[NDArray[np.float64], NDArray[Any]]
    pred_to_true: tuple[NDArray[np.float64], NDArray[Any]]

    @classmethod
    def of(cls, found: SurfaceDistances) -> TalliedDistances:
        """Count them.

        >>> tallied = TalliedDistances.of(SurfaceDistances(np.array([2.0, 0.0, 2.0]), np.array([1.0])))
        >>> tallied.spread().true_to_pred.tolist()
        [0.0, 2.0, 2.0]
        """
        true_to_pred, pred_to_true = (np.unique(one, return_counts=True) for one in found)
        return cls(true_to_pred, pred_to_true)

    def spread(self) -> SurfaceDistances:
        """One distance per element again, rising."""
        true_to_pred, pred_to_true = (np.repeat(values, counts) for values, counts in self)
        return SurfaceDistances(true_to_pred, pred_to_true)
