"""Metrics of a whole data set in its summary and in its samples: their values follow from the columns of all items.

The value of such a metric is computed again for every resample (see :mod:`segmetry.metrics.accumulator`), from the same
columns and the number of times that each item was drawn.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray, IndexArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.per_class import ALL, Groups, checked_groups, mean_of, mean_of_values, members
from segmetry.metrics.score import Score
from segmetry.statistics.summary_tables import Aggregated, Summary

NO_VALUE = "this class has no value"
NOT_A_MEAN = "the value of the data set is not a mean over classes"
NOT_BY_ITEM = "not averaged over items"


@frozen_dataclass(eq=False)
class AccumulatedColumns:
    """The columns of one metric over some items, whose names are ``items``."""

    key: str
    accumulator: Accumulator
    items: tuple[str, ...]
    collected: Collected
    options: Mapping[str, Any]

    def combined(self, collected: Collected) -> Combined:
        """Return the values of some of the items."""
        return self.accumulator.combined(collected, self.options)

    @property
    def scores_items(self) -> bool:
        """Whether the scores of items follow from the columns, so that a run does not store them."""
        return self.accumulator.of_items is not None

    def item_scores(self) -> list[Score]:
        """Return the score of every item."""
        return self.accumulator.item_scores(self.collected, self.options)

    @cached_property
    def whole(self) -> Combined:
        """The values of the data set."""
        return self.combined(self.collected)

    @cached_property
    def by_item(self) -> Mapping[Hashable, list[float]]:
        """The values of each class in the items that have one."""
        values: dict[Hashable, list[float]] = {}
        for at in range(len(self.items) if self.accumulator.classes_by_item else 0):
            for name, score in self.combined(self.collected.item(at)).classes.items():
                values.setdefault(name, []).append(score.value if score.is_defined else math.nan)
        return values

    @cached_property
    def by_name(self) -> IndexArray:
        """The positions of the items in the order of their names, which is the order of the rows of weights."""
        return np.array(sorted(range(len(self.items)), key=self.items.__getitem__), dtype=np.intp)

    def values(self, weights: FloatArray) -> FloatArray:
        """Return the value of every sample (a column): how often each item (a row, by name) is in it."""
        times = np.zeros(weights.shape, dtype=np.int64)
        times[self.by_name] = weights
        return self.accumulator.values(self.collected, times, self.options)

    def left_out(self) -> FloatArray:
        """Return the value of the data set without each item, by name."""
        return self.values(1 - np.eye(len(self.items)))

    def joined(self, other: AccumulatedColumns) -> AccumulatedColumns:
        """Return the items of two systems: those of the first by name, then those of the second."""
        facts = [system.collected.facts(at) for system in (self, other) for at in system.by_name.tolist()]
        names = tuple(f"{at:020}" for at in range(len(facts)))
        return replace(self, items=names, collected=Collected.of(facts))

    def differs(self, other: AccumulatedColumns) -> IndexArray:
        """Return the items, by name, whose columns differ between two systems."""
        pairs = zip(self.by_name.tolist(), other.by_name.tolist(), strict=True)
        facts = ((self.collected.facts(first), other.collected.facts(second)) for first, second in pairs)
        return np.array([at for at, sides in enumerate(facts) if not _same(*sides)], dtype=np.intp)


def with_accumulated(
    summary: Summary, accumulated: Iterable[AccumulatedColumns], groups: Groups | None, undefined: float | None
) -> Summary:
    """Return a summary with the values of metrics of the data set; ``undefined`` replaces undefined values of items."""
    chosen = checked_groups(groups)
    scores, parts, rows_of_groups = dict(summary.scores), dict(summary.parts), dict(summary.groups)
    for metric in accumulated:
        if metric.key in scores:
            by_item = scores[metric.key].by_item
            scores[metric.key] = _of_data_set(metric, by_item, by_class=summary.by == "class")
        if summary.by != "class":
            continue
        classes = {name: _class(metric, name, undefined) for name in parts}
        for name, value in classes.items():
            parts[name] = {**parts[name], metric.key: value}
        for group, row in rows_of_groups.items():
            named = [classes[name] for name in members(group, chosen, classes)]
            rows_of_groups[group] = {**row, metric.key: _group(metric, group, named)}
    return replace(summary, scores=scores, parts=parts, groups=rows_of_groups)


def _class(metric: AccumulatedColumns, name: Hashable, undefined: float | None) -> Aggregated:
    reason = "undefined in every item" if metric.accumulator.classes_by_item else NOT_BY_ITEM
    by_item = mean_of_values(metric.key, metric.by_item.get(name, []), undefined, reason)
    value = metric.whole.classes.get(name, Score.undefined(metric.key, NO_VALUE))
    return Aggregated(by_item, value, value)


def _group(metric: AccumulatedColumns, group: str, classes: list[Aggregated]) -> Aggregated:
    by_item = mean_of(metric.key, [value.by_item for value in classes], None, NOT_BY_ITEM)
    if group == ALL:
        return _of_data_set(metric, by_item, by_class=True)
    if not metric.accumulator.mean_over_classes:
        return Aggregated(by_item, Score.undefined(metric.key, NOT_A_MEAN), None)
    values = [value.by_class for value in classes if value.by_class is not None]
    return Aggregated(by_item, mean_of(metric.key, values, None, "no class of this group occurs"), None)


def _of_data_set(metric: AccumulatedColumns, by_item: Score, *, by_class: bool) -> Aggregated:
    """Return the averages of a metric of the data set: by class where there are classes, else of all segments."""
    value = metric.whole.value
    if metric.accumulator.pooled:
        return Aggregated(by_item, metric.whole.class_mean if by_class else None, value)
    return Aggregated(by_item, value if by_class else None, None if by_class else value)


def _same(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)
