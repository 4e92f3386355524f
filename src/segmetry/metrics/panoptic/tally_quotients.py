"""The panoptic scores as quotients of counts: the same formula for one tally and for whole columns of tallies.

TP = ``n_pairs``, |T| = ``n_true``, |H| = ``n_pred`` and Σ IoU = ``iou_sum`` may be numbers or arrays. Counts are
integers far below 2⁵³ and sums of IoUs are floats that were rounded once, so dividing arrays gives the bits that
dividing numbers gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from segmetry.alignments.tally import Tally
from segmetry.metrics.score import Score

NO_SEGMENTS = "no true and no pred segments"


class Counted(Protocol):
    """What the quotients are made of, as numbers or as arrays."""

    @property
    def n_pairs(self) -> Any: ...
    @property
    def n_true(self) -> Any: ...
    @property
    def n_pred(self) -> Any: ...
    @property
    def iou_sum(self) -> Any: ...


@dataclass(frozen=True)
class CountQuotient:
    """Numerator and denominator of a score, and why it is undefined where the denominator is 0."""

    numerator: Callable[[Counted], Any]
    denominator: Callable[[Counted], Any]
    reason: str = "0/0"

    def score(self, key: str, tally: Tally) -> Score:
        """The score of one tally."""
        return Score.of(key, self.numerator(tally), self.denominator(tally), self.reason)


def _both(counted: Counted) -> Any:
    return counted.n_true + counted.n_pred


def _one(counted: Counted) -> Any:
    return counted.n_pairs * 0 + 1


QUOTIENTS = {
    "pq": CountQuotient(lambda found: 2 * found.iou_sum, _both, NO_SEGMENTS),
    "sq": CountQuotient(lambda found: found.iou_sum, lambda found: found.n_pairs, "no matched pair"),
    "rq": CountQuotient(lambda found: 2 * found.n_pairs, _both, NO_SEGMENTS),
    "precision": CountQuotient(lambda found: found.n_pairs, lambda found: found.n_pred, "no pred segments"),
    "recall": CountQuotient(lambda found: found.n_pairs, lambda found: found.n_true, "no true segments"),
    "f1": CountQuotient(lambda found: 2 * found.n_pairs, _both, NO_SEGMENTS),
    "weighted_precision": CountQuotient(lambda found: found.iou_sum, lambda found: found.n_pred, "no pred segments"),
    "weighted_recall": CountQuotient(lambda found: found.iou_sum, lambda found: found.n_true, "no true segments"),
    "weighted_f1": CountQuotient(lambda found: 2 * found.iou_sum, _both, NO_SEGMENTS),
    "n_matched": CountQuotient(lambda found: found.n_pairs, _one),
    "n_missed": CountQuotient(lambda found: found.n_true - found.n_pairs, _one),
    "n_spurious": CountQuotient(lambda found: found.n_pred - found.n_pairs, _one),
    "sum_iou": CountQuotient(lambda found: found.iou_sum, _one),
}
"""By key; a metric of a tally that is not here looks at its pairs one by one."""
