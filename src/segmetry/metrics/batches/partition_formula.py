"""Metrics of two partitions, written once: one formula gives the score of one item and the scores of many at once.

The formula is a function of a :class:`~segmetry.overlaps.cross_table.Contingency` that returns a
:class:`FormulaValue`. Its sums are exactly rounded and its integers are exact, whether they are numbers or columns, so
the score of an item is bit-identical either way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from segmetry._base import FloatArray, frozen_dataclass, ratio
from segmetry.metrics.batches.score_column import DEFINED, ScoreColumn
from segmetry.metrics.score import Score

if TYPE_CHECKING:
    from segmetry.overlaps import Contingency


@frozen_dataclass()
class FormulaValue:
    """The value of a formula: a quotient or, without a ``denominator``, a number; numbers or columns of them.

    It is undefined where one of the conditions ``undefined`` holds, for the reason of the first that does, and for
    ``reason`` where the denominator is 0. ``substitute`` is a condition and a number that replaces an undefined value
    where it holds.
    """

    numerator: Any
    denominator: Any = None
    reason: str = "0/0"
    undefined: tuple[tuple[Any, str], ...] = ()
    substitute: tuple[Any, float] | None = None

    def score(self, key: str) -> Score:
        """Return the score of one item."""
        score = self._score(key)
        if score.is_defined or self.substitute is None or not self.substitute[0]:
            return score
        return Score.number(key, self.substitute[1])

    def _score(self, key: str) -> Score:
        for condition, reason in self.undefined:
            if condition:
                return Score.undefined(key, reason)
        if self.denominator is None:
            return Score.number(key, self.numerator)
        return Score.of(key, number_or_column(self.numerator), number_or_column(self.denominator), self.reason)

    def column(self, n_items: int) -> ScoreColumn:
        """Return the scores of many items."""
        codes = np.full(n_items, DEFINED, dtype=np.int8)
        for code, (condition, _) in enumerate(self.undefined):
            codes[(codes == DEFINED) & condition] = code
        reasons = [reason for _, reason in self.undefined]
        has_quotient = np.zeros(n_items, dtype=np.bool_)
        if self.denominator is None:
            values = np.where(codes == DEFINED, self.numerator, math.nan)
        else:
            has_quotient = codes == DEFINED
            codes[has_quotient & (self.denominator == 0)] = len(reasons)
            reasons.append(self.reason)
            values = np.where(codes == DEFINED, _quotients(self.numerator, self.denominator), math.nan)
        if self.substitute is not None:
            replaced = (codes != DEFINED) & self.substitute[0]
            values[replaced], codes[replaced], has_quotient[replaced] = self.substitute[1], DEFINED, False
        tops, bottoms = (None, None) if self.denominator is None else (self.numerator, self.denominator)
        return ScoreColumn(values, codes, tuple(reasons), tops, bottoms, has_quotient)


class PartitionMetric:
    """A metric of two partitions, from its formula for one item or many; use it as a decorator below ``@metric``.

    >>> import segmetry as sm
    >>> from segmetry.overlaps.cross_table import contingency
    >>> @PartitionMetric
    ... def blocks_per_element(partitions):
    ...     return FormulaValue(partitions.true.number, partitions.n, "no element counts")
    >>> blocks_per_element(contingency(sm.overlap([1, 1, 2, 2], [1, 1, 1, 1])))
    Score(blocks_per_element: 0.5)
    """

    def __init__(self, formula: Callable[..., FormulaValue]) -> None:
        self.formula = formula
        self.__module__ = formula.__module__
        self.__doc__ = formula.__doc__
        self.__signature__ = signature(formula).replace(return_annotation=Score)

    @property
    def __name__(self) -> str:
        return self.formula.__name__

    def __call__(self, contingency: Contingency, /, **options: Any) -> Score:
        """Return the score of one item."""
        return self.formula(contingency, **options).score(self.__name__)

    def column(self, contingencies: Contingency, **options: Any) -> ScoreColumn:
        """Return the scores of many items."""
        return self.formula(contingencies, **options).column(contingencies.n.size)


def quotient_or_nan(top: Any, bottom: Any) -> Any:
    """Return a quotient of floats, or of columns of them; NaN where the denominator is 0.

    >>> quotient_or_nan(1.0, 0.0), quotient_or_nan(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    (nan, [0.5, nan])
    """
    if isinstance(bottom, np.ndarray):
        return np.divide(top, bottom, out=np.full(bottom.size, math.nan), where=bottom != 0)
    return top / bottom if bottom else math.nan


def _quotients(tops: Any, bottoms: Any) -> FloatArray:
    if tops.dtype.kind == "f" or bottoms.dtype.kind == "f":
        column: FloatArray = quotient_or_nan(tops, bottoms)
        return column
    return ratio(tops, bottoms)


def number_or_column(result: Any) -> Any:
    """Return a number of numpy as Python's; a column as it is.

    >>> number_or_column(np.maximum(0.0, -1.0)), number_or_column(np.zeros(1))
    (0.0, array([0.]))
    """
    return result.item() if isinstance(result, np.generic | np.ndarray) and not result.ndim else result
