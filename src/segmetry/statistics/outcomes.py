"""Items won, tied and lost: in how many items is one system better than the other?

Values of an item that agree to twelve digits tie: each is the rounded quotient of exact sums, so that values that
differ do so in an earlier digit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.metrics.declare import METRICS

_SAME = 1e-12


@dataclass(frozen=True)
class Outcomes:
    """In how many items the second system is better, as good and worse; ``undefined`` had no value on some side."""

    won: int
    tied: int
    lost: int
    undefined: int


def outcomes(key: str, first: FloatArray, second: FloatArray) -> Outcomes | None:
    """Count the items won, tied and lost from the values of both systems; None where no value is better than another.

    >>> outcomes("pq", np.array([0.5, 0.1 + 0.2, np.nan]), np.array([0.6, 0.3, 1.0]))
    Outcomes(won=1, tied=1, lost=0, undefined=1)
    """
    if METRICS[key].better == "neither":
        return None
    both = ~np.isnan(first) & ~np.isnan(second)
    gaps = np.where(both, second - first, 0.0)
    gaps[np.abs(gaps) <= _SAME * np.maximum(np.abs(first), np.abs(second))] = 0
    if METRICS[key].better == "lower":
        gaps = -gaps
    won, lost = int((gaps > 0).sum()), int((gaps < 0).sum())
    return Outcomes(won, int(both.sum()) - won - lost, lost, int((~both).sum()))
