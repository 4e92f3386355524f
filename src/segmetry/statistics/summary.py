"""Scores of a data set in three averages, whole, per part and per group of classes [kirillov2019panoptic].

The averages are those of :mod:`segmetry.statistics.averages`. Per class and per group of classes, ``by_item`` goes over
the items in which they occur. ``all_segments`` of a metric that does not follow from a tally is Σ numerators /
Σ denominators, unless it says how its value follows from columns of all items (:mod:`segmetry.metrics.accumulator`).

Undefined values are left out of means unless the policy's reference counts them as 0 in its means over classes, or
``undefined=`` says otherwise; every mean carries how many values it used (the denominator of its score).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.alignments.policy import as_policy
from segmetry.alignments.tally import Tally, add_tallies
from segmetry.errors import ClassesError, InputError
from segmetry.metrics.batches.score_column import ScoreColumn
from segmetry.metrics.declare import METRICS, metrics_of_family
from segmetry.metrics.per_class import (
    ALL,
    Groups,
    checked_groups,
    checked_undefined,
    in_class_means,
    is_count,
    mean_of,
    mean_of_values,
    members,
    tally_score,
)
from segmetry.metrics.score import Number, Score
from segmetry.statistics.accumulated import with_accumulated
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.record_columns import columns_of_records
from segmetry.statistics.records import ItemRecord, unite
from segmetry.statistics.summary_tables import Aggregated, Summary, SummaryRowScores

Options = Mapping[str, Mapping[str, Any]]
ALL_SEGMENTS = "all_segments"
NOWHERE = "undefined in every item"
NO_CLASS = "no class of this group occurs"
NO_VALUE = "undefined in every class"


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
    >>> summary["pq"].by_item.value, summary["pq"].all_segments.value, summary["sq"].by_item.value, summary["sq"].n
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
    """Return the metrics of the panoptic family that follow from a tally and need no option.

    >>> panoptic_keys()[:3]
    ['pq', 'sq', 'rq']
    """
    return [
        metric.key
        for metric in metrics_of_family("panoptic")
        if metric.needs == "tally" and not metric.required_options
    ]


class _Aggregation:
    """The ways to aggregate metrics over the columns of a data set."""

    def __init__(self, columns: ItemColumns, keys: list[str], options: Options, undefined: float | None) -> None:
        self.columns, self.keys, self.options = columns, keys, options
        self.in_items = checked_undefined(undefined)
        self.in_classes = in_class_means(undefined, as_policy(columns.policy))
        self.class_means = {
            key: {name: self._class(key, name) for name in columns.classes_of(key)} for key in columns.class_sums
        }

    def _class(self, key: str, name: Hashable) -> Aggregated:
        """Return the value of a mean over classes for one class."""
        value = self.columns.class_total(key, name).score(key, _reason(key))
        return Aggregated(self._mean(key, self.columns.class_values(key, name), NOWHERE), value, value)

    def _score(self, key: str, tally: Tally) -> Score:
        return tally_score(key, tally, self.options.get(key, {}))

    def _mean(self, key: str, values: Iterable[float] | FloatArray, reason: str) -> Score:
        return mean_of_values(key, values, self.in_items, reason)

    def _item_values(self, key: str, names: Sequence[Hashable] | None = None) -> FloatArray:
        return self.columns.item_values(key, self.options.get(key, {}), self.in_classes, names)

    def data_set(self, all_classes: SummaryRowScores | None) -> SummaryRowScores:
        """Return the row of the data set."""
        columns, total = self.columns, self.columns.total
        row = {}
        for key in self.keys:
            by_item = self._mean(key, self._item_values(key), NOWHERE)
            by_class = None if all_classes is None else all_classes[key].by_class
            row[key] = Aggregated(by_item, by_class, self._score(key, total))
        if all_classes is not None:
            for key in columns.class_sums:
                by_item = self._mean(key, columns.means_over_classes(key), NOWHERE)
                row[key] = replace(all_classes[key], by_item=by_item)
        return row

    def part(self, name: Hashable) -> SummaryRowScores:
        """Return the row of a class, or a size, …: the mean over the items in which it occurs, and its counts."""
        row = {}
        for key in self.keys:
            values = self.columns.part_values(name, key, self.options.get(key, {}))
            by_item = self._mean(key, values, "undefined in every item in which it occurs")
            value = self._score(key, self.columns.parts[name])
            row[key] = Aggregated(by_item, value if self.columns.by == "class" else None, value)
        return row | {key: classes[name] for key, classes in self.class_means.items()}

    def group(
        self, group: str, groups: Mapping[str, frozenset[Hashable]], parts: Mapping[Hashable, Mapping[str, Aggregated]]
    ) -> SummaryRowScores:
        """Return the row of a group of classes; counts are summed."""
        columns = self.columns
        names = members(group, groups, columns.parts)
        total = add_tallies([columns.total.emptied(), *(columns.parts[name] for name in names)])
        present, is_every = columns.items_with(names), len(names) == len(columns.parts)
        row = {}
        for key in self.keys:
            values = self._item_values(key, None if is_every and not is_count(key) else names)
            used = values if is_count(key) else values[present]
            by_item = self._mean(key, used, NOWHERE if names else NO_CLASS)
            every = self._score(key, total)
            of_classes = [_known(parts[name][key].by_class) for name in names]
            by_class = (
                every if is_count(key) else mean_of(key, of_classes, self.in_classes, NO_VALUE if names else NO_CLASS)
            )
            row[key] = Aggregated(by_item, by_class, every)
        for key, classes in self.class_means.items():
            row[key] = self._group_of_sums(key, classes, members(group, groups, classes))
        return row

    def _group_of_sums(self, key: str, classes: Mapping[Hashable, Aggregated], names: Sequence[Hashable]) -> Aggregated:
        """Return a mean over classes for a group: classes without a value are left out."""
        present = self.columns.items_with(names)
        values = self.columns.means_over_classes(key, names)
        by_item = self._mean(key, values[present | ~np.isnan(values)], NOWHERE if names else NO_CLASS)
        by_class = mean_of(
            key, [_known(classes[name].by_class) for name in names], None, NO_VALUE if names else NO_CLASS
        )
        every = None
        if ALL_SEGMENTS in METRICS[key].aggregation:
            every = self.columns.sum_over_classes(key, names).score(key, _reason(key))
        return Aggregated(by_item, by_class, every)


def _known(score: Score | None) -> Score:
    """Return the value of a class, which is always there where the breakdown is by class."""
    if score is None:
        raise ClassesError("the items are not broken down by class")
    return score


def _reason(key: str) -> str:
    quotient = METRICS[key].per_class
    return "0/0" if quotient is None else quotient.reason


def _other_scores(columns: ItemColumns, undefined: float | None) -> SummaryRowScores:
    """Return scores that follow neither from a tally nor from sums by class, over the items that have them."""
    by_key: dict[str, list[Score]] = {}
    for item in columns.items if columns.scores else ():
        for key, score in columns.scores.get(item, {}).items():
            if key not in columns.class_sums:
                by_key.setdefault(key, []).append(score)
    rows: SummaryRowScores = {}
    for key, scores in by_key.items():
        counted = _counted_share([score.details.get("counted_share", 1) for score in scores])
        added = _added_scores(key, scores) if ALL_SEGMENTS in METRICS[key].aggregation else None
        pairs = _pair_counts(scores) if added is None else {}
        by_item = mean_of(key, scores, undefined, NOWHERE, **counted, **_mean_details(scores, undefined), **pairs)
        rows[key] = Aggregated(by_item, None, added)
    for key, column in columns.score_columns.items():
        pairs = _pair_sums(column)
        added = _added(key, *column.quotients(), **pairs) if ALL_SEGMENTS in METRICS[key].aggregation else None
        details = {**_counted_share(column.counted_shares), **(pairs if added is None else {})}
        rows[key] = Aggregated(mean_of_values(key, column.values, undefined, NOWHERE, **details), None, added)
    return {key: rows[key] for key in METRICS.only(rows)} if columns.score_columns else rows


def _counted_share(shares: list[float]) -> dict[str, float]:
    """Return the mean share of the elements that count, if some do not."""
    return {} if min(shares) == 1 else {"counted_share": math.fsum(shares) / len(shares)}


def _mean_details(scores: list[Score], undefined: float | None) -> dict[str, dict[str, float]]:
    """Return the means over items of the values at thresholds, where a metric has several."""
    values: dict[str, list[float]] = {}
    for score in scores:
        for name, value in score.details.get("thresholds", {}).items():
            values.setdefault(name, []).append(value)
    filled = [] if undefined is None else [undefined]
    means = {
        name: math.fsum(every) / len(every)
        for name, defined in values.items()
        if (every := defined + filled * (len(scores) - len(defined)))
    }
    return {"thresholds": means} if means else {}


def _added_scores(key: str, scores: list[Score]) -> Score:
    tops = [score.numerator for score in scores if score.numerator is not None]
    bottoms = [score.denominator for score in scores if score.denominator is not None]
    return _added(key, tops, bottoms, **_pair_counts(scores))


def _added(key: str, tops: list[Number], bottoms: list[Number], **details: Any) -> Score:
    """Return Σ numerators / Σ denominators, or the sum of counts."""
    if is_count(key):
        return Score.of(key, _sum(tops), 1)
    return Score.of(key, _sum(tops), _sum(bottoms), **details)


def _pair_counts(scores: list[Score]) -> dict[str, Any]:
    """Return the numbers of pairs and of segments without one, and the unit, of a metric that is a mean over pairs."""
    if not all("pairs" in score.details for score in scores):
        return {}
    counts = {name: sum(score.details[name] for score in scores) for name in ("pairs", "missed", "spurious")}
    units = {score.details.get("unit") for score in scores}
    return counts if units <= {None} else {**counts, "unit": " or ".join(sorted(unit or "?" for unit in units))}


def _pair_sums(column: ScoreColumn) -> dict[str, Any]:
    """Return the same of a column of scores, which has no unit."""
    if "pairs" not in column.details:
        return {}
    return {name: sum(column.details[name].tolist()) for name in ("pairs", "missed", "spurious")}


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
