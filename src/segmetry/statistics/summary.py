"""Mean and pooled scores of a data set, whole, per part and per group of classes [kirillov2019panoptic].

* ``mean``: the metric of every item, then the mean over items. Per class it goes over the items in which the class
  occurs.
* ``pooled``: tallies are added over items, per class, then the metric is taken and averaged over the classes that
  occur. Without classes it is the metric of the whole sum. A mean over classes is pooled from the sums of every
  class, any other metric that does not follow from a tally as Σ numerators / Σ denominators, unless it says how its
  value follows from columns of all items (:mod:`segmetry.metrics.accumulator`).

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
from segmetry.statistics.accumulated import with_accumulated
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.record_columns import columns_of_records
from segmetry.statistics.records import ItemRecord, unite
from segmetry.statistics.summary_tables import Aggregated, Summary, SummaryRowScores
from segmetry.statistics.tally_columns import Values

Options = Mapping[str, Mapping[str, Any]]
NOWHERE = "undefined in every item"
NO_CLASS = "no class of this group occurs"


def summarise(
    records: Iterable[ItemRecord],
    *,
    metrics: Sequence[str] | None = None,
    groups: Groups | None = None,
    undefined: float | None = None,
    options: Options | None = None,
) -> Summary:
    """Summarise a data set.

    Parameters
    ----------
    records : iterable of ItemRecord
        The items, from :func:`segmetry.record_of` or ``run.records()``.
    metrics : sequence of str, optional
        Keys of metrics that follow from a tally (by default the panoptic ones); the other scores that the records
        contain are summarised as well.
    groups : mapping of str to classes, optional
        Sets of classes to average over, such as ``{'things': …, 'stuff': …}``. The group ``all`` is always there.
    undefined : float, optional
        A number that replaces undefined values, as in some other packages; by default they stay undefined.
    options : mapping, optional
        Keyword arguments of single metrics by key: ``{'false_hits': {'pi': 0.5}}``.

    Returns
    -------
    Summary
        The scores of the data set, of its parts and of the groups.

    Examples
    --------
    >>> import segmetry as sm
    >>> from segmetry.statistics.records import record_of
    >>> preds = {"a": [[1, 1, 2]], "b": [[0, 0, 0]]}
    >>> summary = summarise(record_of(item, sm.align(sm.overlap([[1, 1, 2]], pred))) for item, pred in preds.items())
    >>> summary["pq"].mean.value, summary["pq"].pooled.value, summary["sq"].mean.value, summary["sq"].n
    (0.5, 0.6666666666666666, 1.0, 1)
    """
    columns = columns_of_records(unite(records))
    return summarise_columns(columns, metrics=metrics, groups=groups, undefined=undefined, options=options)


def summarise_columns(
    columns: ItemColumns,
    *,
    metrics: Sequence[str] | None = None,
    groups: Groups | None = None,
    undefined: float | None = None,
    options: Options | None = None,
) -> Summary:
    """Summarise the columns of a data set; the options are those of :func:`summarise`."""
    keys = panoptic_keys() if metrics is None else _checked_keys(metrics)
    chosen_groups = checked_groups(groups)
    if chosen_groups and columns.by != "class":
        raise ClassesError(
            f"groups= names groups of classes, but the items are broken down by {columns.by or 'nothing'}"
        )
    aggregation = _Aggregation(columns, keys, options or {}, undefined)
    parts = {name: aggregation.part(name) for name in columns.parts}
    wanted = (*chosen_groups, ALL) if columns.by == "class" else ()
    group_rows = {name: aggregation.group(name, chosen_groups, parts) for name in wanted}
    summary = Summary(
        rule=columns.rule,
        policy=columns.policy,
        by=columns.by,
        n_items=columns.n_items,
        scores={**aggregation.data_set(group_rows.get(ALL)), **_other_scores(columns, checked_undefined(undefined))},
        parts=parts,
        groups=group_rows,
    )
    return with_accumulated(summary, columns.accumulated.values(), groups, checked_undefined(undefined))


def panoptic_keys() -> list[str]:
    """Return the metrics of the panoptic family that follow from a tally.

    >>> panoptic_keys()[:3]
    ['pq', 'sq', 'rq']
    """
    return [key for key, metric in METRICS.items() if metric.needs == "tally" and metric.family == "panoptic"]


class _Aggregation:
    """The ways to aggregate metrics over the columns of a data set."""

    def __init__(self, columns: ItemColumns, keys: list[str], options: Options, undefined: float | None) -> None:
        self.columns, self.keys, self.options = columns, keys, options
        self.in_items = checked_undefined(undefined)
        self.in_classes = in_class_means(undefined, as_policy(columns.policy))
        self.by_class = {
            key: {name: self._class(key, name) for name in columns.classes_of(key)} for key in columns.class_sums
        }

    def _class(self, key: str, name: Hashable) -> Aggregated:
        """Return the value of a mean over classes for one class."""
        quotient = METRICS[key].per_class
        pooled = None if quotient is None else self.columns.class_total(key, name).score(key, quotient.reason)
        return Aggregated(self._mean(key, self.columns.class_values(key, name), NOWHERE), pooled)

    def _score(self, key: str, tally: Tally) -> Score:
        return tally_score(key, tally, self.options.get(key, {}))

    def _mean(self, key: str, values: Values, reason: str) -> Score:
        return mean_of_values(key, values, self.in_items, reason)

    def data_set(self, all_classes: SummaryRowScores | None) -> SummaryRowScores:
        """Return the row of the data set: mean over items; pooled over classes if there are any, else over all."""
        columns, total = self.columns, self.columns.total
        row = {}
        for key in self.keys:
            pooled = self._score(key, total) if all_classes is None else all_classes[key].pooled
            values = columns.whole.values(key, self.options.get(key, {}))
            row[key] = Aggregated(self._mean(key, values, NOWHERE), pooled)
        if all_classes is not None:
            for key in columns.class_sums:
                mean = self._mean(key, columns.means_over_classes(key), NOWHERE)
                row[key] = Aggregated(mean, all_classes[key].pooled)
        return row

    def part(self, name: Hashable) -> SummaryRowScores:
        """Return the row of a class, or a size, …: mean over the items in which it occurs; pooled over all of them."""
        row = {}
        for key in self.keys:
            values = self.columns.part_values(name, key, self.options.get(key, {}))
            mean = self._mean(key, values, "undefined in every item in which it occurs")
            row[key] = Aggregated(mean, self._score(key, self.columns.parts[name]))
        return row | {key: classes[name] for key, classes in self.by_class.items()}

    def group(
        self, group: str, groups: Mapping[str, frozenset[Hashable]], parts: Mapping[Hashable, Mapping[str, Aggregated]]
    ) -> SummaryRowScores:
        """Return the row of a group of classes: means over the classes that occur; counts are summed."""
        names = members(group, groups, self.columns.parts)
        of_items = self.columns.sum_of_parts(names)
        row = {}
        for key in self.keys:
            if is_count(key):
                options = self.options.get(key, {})
                mean = self._mean(key, of_items.values(key, options), "no items")
                pooled = group_score(key, [self.columns.parts[name] for name in names], options, None)
                row[key] = Aggregated(mean, pooled)
            else:
                row[key] = _mean_over(key, [parts[name][key] for name in names], self.in_classes)
        for key, classes in self.by_class.items():
            row[key] = _mean_over(key, [classes[name] for name in members(group, groups, classes)], None)
        return row


def _mean_over(key: str, classes: Sequence[Aggregated], undefined: float | None) -> Aggregated:
    pooled = [scores.pooled for scores in classes if scores.pooled is not None]
    mean = mean_of(key, [scores.mean for scores in classes], undefined, NO_CLASS)
    return Aggregated(mean, mean_of(key, pooled, undefined, NO_CLASS))


def _other_scores(columns: ItemColumns, undefined: float | None) -> SummaryRowScores:
    """Return scores that do not follow from a tally, over the items that have them."""
    by_key: dict[str, list[Score]] = {}
    for item in columns.items:
        for key, score in columns.scores.get(item, {}).items():
            by_key.setdefault(key, []).append(score)
    rows: SummaryRowScores = {}
    for key, scores in by_key.items():
        shares = [score.details.get("counted_share", 1) for score in scores]
        counted = {} if min(shares) == 1 else {"counted_share": math.fsum(shares) / len(shares)}
        mean = mean_of(key, scores, undefined, NOWHERE, **counted)
        rows[key] = Aggregated(mean, _pooled(key, scores) if "pooled" in METRICS[key].aggregation else None)
    return rows


def _pooled(key: str, scores: list[Score]) -> Score:
    tops = [score.numerator for score in scores if score.numerator is not None]
    bottoms = [score.denominator for score in scores if score.denominator is not None]
    if is_count(key):
        return Score.of(key, _sum(tops), 1)
    return Score.of(key, _sum(tops), _sum(bottoms), **_pair_counts(scores))


def _pair_counts(scores: list[Score]) -> dict[str, Any]:
    """Return the numbers of pairs and of segments without one, and the unit, of a metric that is a mean over pairs."""
    if not all("pairs" in score.details for score in scores):
        return {}
    counts = {name: sum(score.details[name] for score in scores) for name in ("pairs", "missed", "spurious")}
    units = {score.details.get("unit") for score in scores}
    return counts if units <= {None} else {**counts, "unit": " or ".join(sorted(unit or "?" for unit in units))}


def _sum(numbers: Sequence[int | float | Fraction]) -> int | float | Fraction:
    """Return the sum: exact for integers and fractions, exactly rounded for floats."""
    if any(isinstance(number, float) for number in numbers):
        return math.fsum(float(number) for number in numbers)
    return sum(numbers, 0)


def _checked_keys(metrics: Sequence[str]) -> list[str]:
    for key in metrics:
        if METRICS[key].needs != "tally":
            raise InputError(
                f"{key} does not follow from a tally; compute it per item and pass it in the records' scores"
            )
    return list(metrics)
