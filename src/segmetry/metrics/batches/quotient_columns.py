"""The quotients of a metric of many items as columns, and the scores of the single items that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction

from segmetry._base.exact import FloatArray, IntArray, ratio
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.metrics.score import Score


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

    def scores(self, key: str) -> list[Score]:
        """Return the score of every item, equal to that of the metric of the item alone.

        >>> import numpy as np
        >>> halves = QuotientColumns(np.array([3, 0]), np.array([2, 0]), "item {} is empty".format, unit=2)
        >>> halves.scores("b")[0].numerator, halves.scores("b")[1].reason
        (Fraction(3, 2), 'item 1 is empty')
        """
        tops, bottoms = self.numerators.tolist(), self.denominators.tolist()
        exact = tops if self.unit is None else [Fraction(top, self.unit) for top in tops]
        names = tuple(self.details)
        rows = zip(*(self.details[name].tolist() for name in names), strict=True) if names else ((),) * len(tops)
        return [
            Score(key, value, None if bottom else self.reason(at), top, bottom, dict(zip(names, row, strict=True)))
            for at, (value, top, bottom, row) in enumerate(zip(self.values.tolist(), exact, bottoms, rows, strict=True))
        ]
