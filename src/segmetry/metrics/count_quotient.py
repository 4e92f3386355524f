"""Metrics that are quotients of segment counts: one formula for a tally, for columns of tallies, and for resamples.

The metric is written as a function of :class:`SegmentCounts` that returns a :class:`Quotient`. The counts may be
numbers or arrays: counts are integers far below 2⁵³ and sums of IoUs are floats that were rounded once, so dividing
arrays gives the bits that dividing numbers gives. Numerator and denominator must be linear in the counts; the
coefficients then serve all resamples of a bootstrap at once.

A metric that adds up another value of every pair than its IoU is no such quotient; :class:`SumOverPairs` says how it
follows from columns of tallies all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from segmetry._base.exact import FloatArray, IntArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.alignments.tally import Tally
from segmetry.metrics.score import Score

NO_SEGMENTS = "no true and no pred segments"


class SegmentCounts(Protocol):
    """TP, |T|, |H| and Σ IoU over the pairs, as numbers or as arrays."""

    @property
    def n_pairs(self) -> Any: ...
    @property
    def n_true(self) -> Any: ...
    @property
    def n_pred(self) -> Any: ...
    @property
    def iou_sum(self) -> Any: ...


@frozen_dataclass()
class Quotient:
    """A numerator, a denominator (1 for a count), and why the metric is undefined where the denominator is 0."""

    numerator: Any
    denominator: Any = 1
    reason: str = "0/0"


@frozen_dataclass()
class CountQuotient:
    """A metric of a tally, with its formula for counts of any form.

    ``one_to_one``: a segment with several partners is an error, since the metric counts segments by their pairs.
    """

    formula: Callable[[SegmentCounts], Quotient]
    one_to_one: bool

    @property
    def __name__(self) -> str:
        return self.formula.__name__

    def __call__(self, tally: Tally, /) -> Score:
        """Return the score of one tally."""
        quotient = self.formula(tally.one_to_one() if self.one_to_one else tally)
        return Score.of(self.__name__, quotient.numerator, quotient.denominator, quotient.reason)


def count_quotient(*, one_to_one: bool = True) -> Callable[[Callable[[SegmentCounts], Quotient]], CountQuotient]:
    """Make a metric of a tally from its formula; use it below ``@metric``.

    >>> import segmetry as sm
    >>> @count_quotient()
    ... def detected(counts: SegmentCounts) -> Quotient:
    ...     return Quotient(counts.n_pairs, counts.n_true, "no true segments")
    >>> detected(sm.align(sm.overlap([1, 1, 2], [1, 1, 0])).tally)
    Score(detected: 0.5)
    """

    def make(formula: Callable[[SegmentCounts], Quotient]) -> CountQuotient:
        return CountQuotient(formula, one_to_one)

    return make


PairValues = Callable[[IntArray, IntArray, IntArray], FloatArray]
"""The value of every pair from its shared, missed and spurious elements."""


@frozen_dataclass()
class SumOverPairs:
    """The value of every pair, and the quotient that follows from their sum and the counts of a tally.

    It holds for a metric without options, of tallies without weights of their own. Sums are exactly rounded, so that
    the values of columns have the bits of the metric itself.
    """

    values: PairValues
    quotient: Callable[[Any, SegmentCounts], Quotient]
