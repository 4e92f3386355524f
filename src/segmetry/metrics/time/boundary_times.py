r"""Boundaries in seconds, as music structure analysis compares them [turnbull2007supervised, raffel2014mireval].

The line lasts from 0 to the end of the last true span; what is predicted beyond is cut off. Both ends are boundaries,
unless they are trimmed. Times are rounded to 10 µs, as in mir_eval.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from segmetry._base.exact import IntArray, Threshold
from segmetry.metrics.boundaries.point_matching import most_pairs
from segmetry.metrics.time.labelled_line import seconds
from segmetry.segmentation.spans import Spans

STEP = Fraction(1, 100_000)
"""The resolution of boundary times in seconds."""


@dataclass(frozen=True, eq=False)
class BoundaryTimes:
    """The boundaries of both sides, in steps of 10 µs."""

    true: IntArray
    pred: IntArray

    @classmethod
    def of(cls, true: Spans, pred: Spans, *, trim: bool) -> BoundaryTimes:
        """Return the boundaries of both sides; without a true span there are none.

        >>> sides = Spans.from_seconds([(0, 2.5), (2.5, 4)]), Spans.from_seconds([(0, 3), (3, 6)])
        >>> times = BoundaryTimes.of(*sides, trim=False)
        >>> [times.true.tolist(), times.pred.tolist()]
        [[0, 250000, 400000], [0, 300000, 400000]]
        """
        if not true.starts.size:
            nothing = np.zeros(0, dtype=np.int64)
            return cls(nothing, nothing)
        end = _steps(true, [int(true.stops[-1])])[0]
        sides = []
        for side in (true, pred):
            inner = [at for at in _steps(side, [*side.starts.tolist(), *side.stops.tolist()]) if 0 < at < end]
            times = np.unique(np.array([0, *inner, end], dtype=np.int64))
            sides.append(times[1:-1] if trim else times)
        return cls(*sides)

    def hits(self, window: Threshold) -> int:
        """Return the largest number of pairs at most ``window`` seconds apart."""
        return most_pairs(self.true, self.pred, int(seconds(window, "window") / STEP))


def _steps(side: Spans, positions: list[int]) -> list[int]:
    scale = side.tick / STEP
    return [round(position * scale) for position in positions]
