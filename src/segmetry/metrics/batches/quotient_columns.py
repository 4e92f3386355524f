"""The quotients of a metric of many items as columns, and the scores of the single items that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

import numpy as np

from segmetry._base.exact import FloatArray, IntArray, ratio
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.metrics.batches.score_column import DEFINED, ScoreColumn


@frozen_dataclass(eq=False)
class QuotientColumns:
    """The numerator and the denominator of a metric of every item; it is undefined where the denominator is 0.

    ``reason`` says why the item at a position is undefined, ``details`` are the columns of the details of its score.
    ``unit``: numerators are exact fractions, counted in units of 1/``unit``.
    """

    numerators: IntArray
    denominators: IntArray
    reason: Callable[[int], str]
    details: Mapping[str, IntArray] = field(default_factory=dict)
    unit: int | None = None

    @property
    def values(self) -> FloatArray:
        """The value of every item, rounded once; NaN where it is undefined."""
        return ratio(self.numerators, self.denominators if self.unit is None else self.denominators * self.unit)

    def column(self, key: str) -> ScoreColumn:
        """Return the score of every item, equal to that of the metric of the item alone.

        >>> halves = QuotientColumns(np.array([3, 0]), np.array([2, 0]), "item {} is empty".format, unit=2)
        >>> first, second = halves.column("b").scores()
        >>> first.numerator, second.reason
        (Fraction(3, 2), 'item 1 is empty')
        """
        codes = np.full(self.numerators.size, DEFINED, dtype=np.int64)
        reasons: dict[str, int] = {}
        for at in np.flatnonzero(self.denominators == 0).tolist():
            codes[at] = reasons.setdefault(self.reason(at), len(reasons))
        return ScoreColumn(
            key=key,
            values=self.values,
            reason_codes=codes,
            reasons=tuple(reasons),
            numerators=self.numerators,
            denominators=self.denominators,
            has_quotient=np.ones(codes.size, dtype=np.bool_),
            details=self.details,
            unit=self.unit,
        )
