"""A distance as a weight in [0, 1]: max(0, 1 − d/D), where D is the distance at which a pair is worth nothing."""

from __future__ import annotations

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.errors import OptionError


def closeness(distances: FloatArray, furthest: float | FloatArray) -> FloatArray:
    """Return 1 for distance 0, falling to 0 at ``furthest``, which is one number or one for each distance.

    >>> closeness(np.array([0.0, 1.0, 9.0]), 4).tolist()
    [1.0, 0.75, 0.0]
    """
    if not np.all((np.asarray(furthest) > 0) & np.isfinite(furthest)):
        raise OptionError(f"furthest is {furthest}; expected positive finite distances")
    weights: FloatArray = np.maximum(0.0, 1.0 - distances / furthest)
    return weights
