"""Metrics of two partitions, written once: one formula gives the score of one item and the scores of many at once.

The formula is a function of a :class:`~segmetry.overlaps.cross_table.Contingency` that returns a
:class:`FormulaValue`. Its sums are exactly rounded and its integers are exact, whether they are numbers or columns, so
the score of an item is bit-identical either way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IntArray, Number, frozen_dataclass, ratio
from segmetry.metrics.score import Score

if TYPE_CHECKING:
    from segmetry.overlaps import Contingency


DEFINED = -1


@frozen_dataclass(eq=False)
class ScoreColumn:
    """The scores of a metric, one per item.

    ``values`` are NaN where ``reason_codes`` names one of ``reasons``, otherwise the code is -1. ``numerators`` and
    ``denominators`` are those of the items with ``has_quotient``; with a ``unit`` numerators are exact fractions,
    counted in units of 1/``unit``. ``details`` are columns too: integers of every item, or floats that are NaN where
    an item has none of that name.
    """

    values: FloatArray
    reason_codes: NDArray[np.integer[Any]]
    reasons: tuple[str, ...]
    numerators: NDArray[Any] | None = None
    denominators: NDArray[Any] | None = None
    has_quotient: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    details: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    unit: int | None = None

    def __len__(self) -> int:
        return self.values.size

    @classmethod
    def of_quotients(
        cls,
        numerators: IntArray,
        denominators: IntArray,
        reason: Callable[[int], str],
        details: Mapping[str, IntArray] | None = None,
        unit: int | None = None,
    ) -> ScoreColumn:
        """Return the scores of quotients of integers; ``reason`` says why the item at a position is undefined."""
        codes = np.full(numerators.size, DEFINED, dtype=np.int64)
        reasons: dict[str, int] = {}
        for at in np.flatnonzero(denominators == 0).tolist():
            codes[at] = reasons.setdefault(reason(at), len(reasons))
        values, is_quotient = ratio(numerators, denominators * (unit or 1)), np.ones(codes.size, dtype=np.bool_)
        return cls(values, codes, tuple(reasons), numerators, denominators, is_quotient, details or {}, unit)

    def scores(self, key: str) -> list[Score]:
        """Return the score of every item."""
        nothing: list[Any] = [None] * len(self)
        tops = nothing if self.numerators is None else self._where_quotient(self._exact_numerators())
        bottoms = nothing if self.denominators is None else self._where_quotient(self.denominators.tolist())
        reasons = [self.reasons[code] if code >= 0 else None for code in self.reason_codes.tolist()]
        columns = zip(self.values.tolist(), reasons, tops, bottoms, self._listed_details(), strict=True)
        return [Score(key, *column) for column in columns]

    def _exact_numerators(self) -> list[Number]:
        """Return the numerators as they are in scores."""
        listed: list[Number] = [] if self.numerators is None else self.numerators.tolist()
        return listed if self.unit is None else [Fraction(int(top), self.unit) for top in listed]

    def _where_quotient(self, numbers: Sequence[Number]) -> list[Number | None]:
        listed: list[Number | None] = list(numbers)
        for at in np.flatnonzero(~self.has_quotient).tolist():
            listed[at] = None
        return listed

    def _listed_details(self) -> list[dict[str, float]]:
        if self.details and all(column.dtype.kind == "i" for column in self.details.values()):
            names = tuple(self.details)
            rows = zip(*(column.tolist() for column in self.details.values()), strict=True)
            return [dict(zip(names, row, strict=True)) for row in rows]
        listed: list[dict[str, float]] = [{} for _ in range(len(self))]
        for name, column in self.details.items():
            present = slice(None) if column.dtype.kind == "i" else ~np.isnan(column)
            numbers = column[present].tolist()
            for at, number in zip(np.arange(len(self))[present].tolist(), numbers, strict=True):
                listed[at][name] = number
        return listed


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
        why = next((reason for condition, reason in self.undefined if condition), None)
        if why is not None:
            score = Score.undefined(key, why)
        elif self.denominator is None:
            return Score.number(key, self.numerator)
        else:
            score = Score.of(key, number_or_column(self.numerator), number_or_column(self.denominator), self.reason)
        return score.filled(self.substitute[1]) if self.substitute is not None and self.substitute[0] else score

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
    """A metric of two partitions, from its formula for one item or many; use it as a decorator below ``@metric``."""

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
    """Return a quotient of floats, or of columns of them; NaN where the denominator is 0."""
    if isinstance(bottom, np.ndarray):
        return np.divide(top, bottom, out=np.full(bottom.size, math.nan), where=bottom != 0)
    return top / bottom if bottom else math.nan


def _quotients(tops: Any, bottoms: Any) -> FloatArray:
    if tops.dtype.kind == "f" or bottoms.dtype.kind == "f":
        column: FloatArray = quotient_or_nan(tops, bottoms)
        return column
    return ratio(tops, bottoms)


def number_or_column(result: Any) -> Any:
    """Return a number of numpy as Python's; a column as it is."""
    return result.item() if isinstance(result, np.generic | np.ndarray) and not result.ndim else result
