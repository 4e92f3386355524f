"""Metrics that are a sum over the matched pairs divided by a count of segments: one formula for columns of tallies.

Such a metric needs each pair of a tally, so it is no quotient of counts (:mod:`segmetry.metrics.count_quotient`). The
value of a pair follows from its shared, missed and spurious elements, so the pairs of all tallies are weighed at once.
Sums of values are exactly rounded, so that the values are those of the metric itself to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.count_quotient import Quotient, SegmentCounts

PairValues = Callable[[IntArray, IntArray, IntArray], FloatArray]
"""The value of every pair from its shared, missed and spurious elements."""


@dataclass(frozen=True)
class PairSum:
    """The value of every pair, and the quotient that follows from their sum and the counts of a tally.

    It holds for a metric without options, of tallies without weights of their own.
    """

    values: PairValues
    quotient: Callable[[Any, SegmentCounts], Quotient]
