"""Mean and pooled scores of a data set, whole, per part and per group of classes [kirillov2019panoptic].

* ``mean``: the metric of every item, then the mean over items. Per class it goes over the items in which the class
  occurs.
* ``pooled``: tallies are added over items, per class, then the metric is taken and averaged over the classes that
  occur. Without classes it is the metric of the whole sum. A metric that is no function of a tally is pooled as Σ
  numerators / Σ denominators.

Undefined values are left out of means unless the policy's reference counts them as 0 in its means over classes, or
``undefined=`` says otherwise; every mean carries how many values it used (the denominator of its score).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from segmetry.alignments.policy import as_policy
from segmetry.alignments.tally import Tally
from segmetry.errors import ClassesError, InputError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.panoptic.pq_dagger import KEY as DAGGER
from segmetry.metrics.per_class import (
    ALL,
    Groups,
    checked_groups,
    checked_undefined,
    group_score,
    in_class_means,
    is_count,
    mean_of,
    mean_of_values,
    members,
    tally_score,
)
from segmetry.metrics.score import Score
from segmetry.statistics.records import ItemRecord, unite
from segmetry.statistics.summary_tables import Aggregated, Summary, SummaryRowScores
from segmetry.statistics.tallied import RecordTallies, Tallied, Tallies

Options = Mapping[str, Mapping[str, Any]]


def summarise(
    records: Iterable[ItemRecord],
    *,
    metrics: Sequence[str] | None = None,
    groups: Groups | None = None,
    undefined: float | None = None,
    options: Options | None = None,
) -> Summary:
    """The summary of a data set.

    ``metrics`` are keys of metrics that are functions of a tally (by default the panoptic ones); the other scores
    that records hold are summarised as well. ``groups`` are sets of classes, such as ``{"things": …, "stuff": …}``;
    the group ``all`` is always there.

    >>> import segmetry as sm
    >>> from segmetry.statistics.records import record_of
    >>> preds = {"a": [[1, 1, 2]], "b": [[0, 0, 0]]}
    >>> found = summarise(record_of(item, sm.align(sm.overlap([[1, 1, 2]], pred))) for item, pred in preds.items())
    >>> found["pq"].mean.value, found["pq"].pooled.value, found["sq"].mean.value, found["sq"].n
    (0.5, 0.6666666666666666, 1.0, 1)
    """
    united = unite(records)
    if not united:
        raise InputError("no records to summarise; expected at least one item")
    return summarise_tallied(
        RecordTallies(united), metrics=metrics, groups=groups, undefined=undefined, options=options
    )


def summarise_tallied(
    data: Tallied,
    *,
    metrics: Sequence[str] | None = None,
    groups: Groups | None = None,
    undefined: float | None = None,
    options: Options | None = None,
) -> Summary:
    """The summary of the tallies of a data set, wherever they come from; the options are those of :func:`summarise`."""
    keys = panoptic_keys() if metrics is None else _checked_keys(metrics)
    chosen_groups = checked_groups(groups)
    if chosen_groups and data.by != "class":
        raise ClassesError(f"groups= names groups of classes, but the items are broken down by {data.by or 'nothing'}")
    machine = _Machine(data, keys, options or {}, undefined)
    parts = {name: machine.part(name) for name in data.parts}
    wanted = (*chosen_groups, ALL) if data.by == "class" else ()
    group_rows = {name: machine.group(name, chosen_groups, parts) for name in wanted}
    return Summary(
        rule=data.rule,
        policy=data.policy,
        by=data.by,
        n_items=data.n_items,
        scores={**machine.whole(group_rows.get(ALL)), **_other_scores(data.scores, checked_undefined(undefined))},
        parts=parts,
        groups=group_rows,
    )


def panoptic_keys() -> list[str]:
    """The metrics of the panoptic family that are functions of a tally.

    >>> panoptic_keys()[:3]
    ['pq', 'sq', 'rq']
    """
    return [key for key, metric in METRICS.items() if metric.needs == "tally" and metric.family == "panoptic"]


class _Machine:
    """The ways to aggregate one metric over the tallies of a data set."""

    def __init__(self, data: Tallied, keys: list[str], options: Options, undefined: float | None) -> None:
        self.data, self.keys, self.options = data, keys, options
        self.in_items = checked_undefined(undefined)
        self.in_classes = in_class_means(undefined, as_policy(data.policy))
        self.daggers = {name: self._dagger(name) for name in data.dagger_names}

    def _score(self, key: str, tally: Tally) -> Score:
        return tally_score(key, tally, self.options.get(key, {}))

    def _mean(self, key: str, tallies: Tallies, reason: str) -> Score:
        return mean_of_values(key, tallies.values(key, self.options.get(key, {})), self.in_items, reason)

    def whole(self, all_classes: SummaryRowScores | None) -> SummaryRowScores:
        """The data set: mean over items; pooled over classes where there are any, else over everything."""
        tallies, together = self.data.whole, self.data.together
        found = {}
        for key in self.keys:
            pooled = self._score(key, together) if all_classes is None else all_classes[key].pooled
            found[key] = Aggregated(self._mean(key, tallies, "undefined in every item"), pooled)
        if all_classes is not None and DAGGER in all_classes:
            mean = mean_of_values(DAGGER, self.data.item_daggers(), self.in_items, "undefined in every item")
            found[DAGGER] = Aggregated(mean, all_classes[DAGGER].pooled)
        return found

    def part(self, name: Hashable) -> SummaryRowScores:
        """One class, or one size, …: mean over the items in which it occurs; pooled over all of them."""
        reason = "undefined in every item in which it occurs"
        tallies, pooled = self.data.of_part(name), self.data.parts[name]
        row = {key: Aggregated(self._mean(key, tallies, reason), self._score(key, pooled)) for key in self.keys}
        if self.data.has_dagger:
            row[DAGGER] = self.daggers[name]
        return row

    def group(
        self, group: str, groups: Mapping[str, frozenset[Hashable]], parts: Mapping[Hashable, Mapping[str, Aggregated]]
    ) -> SummaryRowScores:
        """A group of classes: means over the classes that occur; counts are summed."""
        names = members(group, groups, self.data.parts)
        of_items = self.data.of_parts(names)
        row = {}
        for key in self.keys:
            if is_count(key):
                mean = self._mean(key, of_items, "no items")
                pooled = group_score(key, [self.data.parts[name] for name in names], self.options.get(key, {}), None)
            else:
                reason = "no class of this group occurs"
                mean = mean_of(key, [parts[name][key].mean for name in names], self.in_classes, reason)
                pooled = mean_of(key, _pooled_of(parts[name][key] for name in names), self.in_classes, reason)
            row[key] = Aggregated(mean, pooled)
        if self.data.has_dagger:
            of_classes = [self.daggers[name] for name in members(group, groups, self.daggers)]
            reason = "no class of this group occurs"
            pooled = mean_of(DAGGER, _pooled_of(of_classes), None, reason)
            row[DAGGER] = Aggregated(mean_of(DAGGER, [found.mean for found in of_classes], None, reason), pooled)
        return row

    def _dagger(self, name: Hashable) -> Aggregated:
        found = self.data.dagger(name)
        return Aggregated(mean_of_values(DAGGER, found.values, self.in_items, "undefined in every item"), found.pooled)


def _pooled_of(found: Iterable[Aggregated]) -> list[Score]:
    return [one.pooled for one in found if one.pooled is not None]


def _other_scores(found: Mapping[str, list[Score]], undefined: float | None) -> SummaryRowScores:
    rows: SummaryRowScores = {}
    for key, scores in found.items():
        mean = mean_of(key, scores, undefined, "undefined in every item")
        rows[key] = Aggregated(mean, _pooled(key, scores) if "pooled" in METRICS[key].aggregation else None)
    return rows


def _pooled(key: str, scores: list[Score]) -> Score:
    tops = [score.numerator for score in scores if score.numerator is not None]
    bottoms = [score.denominator for score in scores if score.denominator is not None]
    if is_count(key):
        return Score.of(key, _sum(tops), 1)
    return Score.of(key, _sum(tops), _sum(bottoms))


def _sum(numbers: Sequence[int | float | Fraction]) -> int | float | Fraction:
    """Exact for integers and fractions, exactly rounded for floats."""
    if any(isinstance(number, float) for number in numbers):
        return math.fsum(float(number) for number in numbers)
    return sum(numbers, 0)


def _checked_keys(metrics: Sequence[str]) -> list[str]:
    for key in metrics:
        if METRICS[key].needs != "tally":
            raise InputError(f"{key} is no function of a tally; compute it per item and pass it in the records' scores")
    return list(metrics)
