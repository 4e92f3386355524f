"""Metrics with one score per item: means over items, and Σ numerators / Σ denominators where that is a value as well.

Their statistics are the scores themselves: value, numerator and denominator of every item that has one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import ColumnsOfItem, FloatArray, Number, frozen_dataclass
from segmetry.kernels import rounded_sum
from segmetry.metrics.aggregation import Aggregation, Linear, Options, Reading, filled, ratio_or_nan
from segmetry.metrics.average import BY_ITEM, Average
from segmetry.metrics.batches.partition_formula import ScoreColumn
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Statistics

NOWHERE = "undefined in every item"
PAIRS = ("pairs", "missed", "spurious")
"""The details of a metric that is a mean over matched pairs: how many, and segments without one."""


def item_scores() -> ColumnsOfItem:
    """Name the statistics of scores of items; a run stores the scores themselves."""
    return {}


@frozen_dataclass()
class ScoreAggregation(Aggregation):
    """The means and totals of scores of items; ``is_count``: a total is a sum, not a quotient."""

    @property
    def is_additive(self) -> bool:
        return False

    def names(self, _statistics: Statistics) -> tuple[Hashable, ...]:
        """Return no classes: a score of an item has none."""
        return ()

    def reading(
        self, key: str, statistics: Statistics, options: Options, average: Average | None = None, **how: Any
    ) -> Reading:
        """Return one question to scores of items, by default about their mean."""
        return _ScoreReading(key, self, statistics, options, BY_ITEM if average is None else average, **how)


@frozen_dataclass(eq=False)
class _ScoreReading(Reading):
    """One question to the scores of items: the mean over those that have a value, or the total of all items."""

    def item_values(self) -> FloatArray:
        """Return the value of every item; NaN where it is undefined, or where the item has no such score."""
        values: FloatArray = np.full(self.statistics.n_items, math.nan)
        values[self.statistics.item_of("value")] = self.statistics.columns["value"]
        return values

    def item_scores(self) -> Sequence[Score | None]:
        """Return the score of every item as it was computed."""
        scores: list[Score | None] = [None] * self.statistics.n_items
        known = self.statistics.context["scores"](self.key)
        for item, score in zip(self.statistics.item_of("value").tolist(), known, strict=True):
            scores[item] = score
        return scores

    def score(self) -> Score:
        """Return the exact value."""
        key, statistics, pairs = self.key, self.statistics, self._pair_details()
        if not self.average.over_items:
            tops, bottoms = (added(statistics.columns[name].tolist()) for name in ("numerator", "denominator"))
            return Score.of(key, tops, 1) if self.aggregation.is_count else Score.of(key, tops, bottoms, **pairs)
        total, count = filled(statistics.columns["value"], self.fill.in_items)
        return Score.of(key, rounded_sum(total), int(count.sum()), NOWHERE, **self._counted_share(), **pairs)

    def _counted_share(self) -> dict[str, float]:
        """Return the mean share of the elements that count, if some do not."""
        shares = self.statistics.columns.get("counted_share")
        if shares is None or not shares.size or shares.min() == 1:
            return {}
        return {"counted_share": math.fsum(shares.tolist()) / shares.size}

    def _pair_details(self) -> dict[str, Any]:
        """Return the numbers of pairs and of segments without one, and the unit, of a mean over pairs."""
        if "pairs" not in self.statistics.columns:
            return {}
        unit = self.statistics.context.get("unit")
        counts = {name: self.statistics.total(name) for name in PAIRS}
        return counts if unit is None else {**counts, "unit": unit}

    def _linear(self) -> Linear:
        if self.average.over_items:
            values = self.item_values()
            if self.fill.in_items is not None:
                has_score = np.diff(self.statistics.starts["value"]) > 0
                values = np.where(has_score & np.isnan(values), self.fill.in_items, values)
            rows: FloatArray = np.stack(filled(values, None))
        else:
            rows = np.stack([self._by_item(name) for name in ("numerator", "denominator")])
            if self.aggregation.is_count:
                return Linear(rows[:1], None, None, lambda items, _: items)
        finish = lambda items, _: ratio_or_nan(items[:1], items[1:])  # noqa: E731
        return Linear(rows, None, None, finish, is_mean=self.average.over_items)

    def _by_item(self, name: str) -> FloatArray:
        numbers = np.array([float(number) for number in self.statistics.columns[name].tolist()])
        sums: FloatArray = np.zeros(self.statistics.n_items)
        np.add.at(sums, self.statistics.item_of(name), numbers)
        return sums


def score_statistics(scores: Sequence[Score | None]) -> Statistics:
    """Return the statistics of the scores of items, None where an item has none."""
    has_score = np.array([score is not None for score in scores], dtype=bool)
    known = [score for score in scores if score is not None]
    quotients = [score if score.denominator is not None else None for score in known]
    columns = {
        "value": np.array([score.value if score.is_defined else math.nan for score in known], dtype=np.float64),
        "numerator": _numbers([0 if score is None else score.numerator or 0 for score in quotients]),
        "denominator": _numbers([0 if score is None else score.denominator or 0 for score in quotients]),
    }
    if any("counted_share" in score.details for score in known):
        columns["counted_share"] = np.array([score.details.get("counted_share", 1.0) for score in known])
    context: dict[str, Any] = {"scores": lambda _key: known}
    if known and all(score.details.keys() >= {*PAIRS} for score in known):
        columns |= {name: np.array([score.details[name] for score in known]) for name in PAIRS}
        units = {score.details.get("unit") for score in known}
        if not units <= {None}:
            context["unit"] = " or ".join(sorted(unit or "?" for unit in units))
    starts = np.concatenate(([0], np.cumsum(has_score)))
    return Statistics(columns, dict.fromkeys(columns, starts), {}, len(scores), context)


def column_statistics(column: ScoreColumn) -> Statistics:
    """Return the statistics of the scores of a column."""
    n = len(column)
    zeros = np.zeros(n, dtype=np.int64)
    tops, bottoms = (zeros if part is None else part for part in (column.numerators, column.denominators))
    if column.has_quotient.size and not column.has_quotient.all():
        tops, bottoms = (np.where(column.has_quotient, part, 0) for part in (tops, bottoms))
    if column.unit is not None:
        different, place = np.unique(tops, return_inverse=True)  # a fraction takes longer than a number is sorted
        tops = _numbers([Fraction(top, column.unit) for top in different.tolist()])[place]
    columns = {"value": column.values, "numerator": tops, "denominator": bottoms}
    if "counted_share" in column.details:
        shares = column.details["counted_share"]
        columns["counted_share"] = np.where(np.isnan(shares), 1.0, shares)
    if "pairs" in column.details:
        columns |= {name: column.details[name] for name in PAIRS}
    return Statistics(columns, dict.fromkeys(columns, np.arange(n + 1)), {}, n, {"scores": column.scores})


def _numbers(numbers: Sequence[Number]) -> NDArray[Any]:
    """Return numbers of Python as they are: integers of any size, fractions and floats are added exactly."""
    column = np.empty(len(numbers), dtype=object)
    column[:] = numbers
    return column


def added(numbers: Sequence[Number]) -> Number:
    """Return the sum: exact for integers and fractions, exactly rounded for floats."""
    types = set(map(type, numbers))
    if any(issubclass(one, float) for one in types):
        return math.fsum(map(float, numbers))
    if Fraction not in types:
        return sum(numbers, 0)
    tops: dict[
        int, int
    ] = {}  # by denominator, of which there are few: adding fractions one by one takes ten times as long
    for number in numbers:
        if not isinstance(number, float):
            tops[number.denominator] = tops.get(number.denominator, 0) + number.numerator
    return sum((Fraction(top, bottom) for bottom, top in tops.items()), Fraction())
