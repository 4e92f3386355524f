"""The scores stored in a run, and which of them are still valid under other settings.

Stored are the scores of all metrics that follow neither from a tally nor from partitions: some need the inputs, the
others cost more to compute again than to read. A stored score is valid until a setting changes on which the metric
depends; then it is computed again from the table, if the metric needs only the table. Metrics of two partitions are
computed for all items at once, which is quicker than reading them: they follow from the overlap tables
alone, and cost a few microseconds an item.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from segmetry._base import errors_within, frozen_dataclass, ratio
from segmetry.metrics import (
    FROM_TABLE,
    METRICS,
    Metric,
    MetricInputs,
    PartitionMetric,
    Result,
    Score,
    ScoreColumn,
    Statistics,
    column_statistics,
    score_pair_with,
    score_statistics,
)
from segmetry.overlaps import (
    MOST_ELEMENTS,
    Contingency,
    ItemOverlaps,
    ItemSegments,
    check_disjoint,
    contingency_of_items,
)
from segmetry.run.score_rows import ScoreRows, column_of_rows, score_of_row
from segmetry.run.settings import Settings
from segmetry.runfile import RunTables


def check_partitions(metrics: Sequence[Metric], inputs: MetricInputs, settings: Settings) -> None:
    """Raise the errors of metrics of partitions that an item, or the options, would lead to when they are computed."""
    if metrics:
        check_disjoint(true=inputs.table.true.disjoint, pred=inputs.table.pred.disjoint)
    for metric in metrics:
        metric.check_kind(inputs)
        if options := settings.options_of(metric):
            metric.on(inputs, **{"background": settings.background, **options})


def partition_scores(
    metrics: Iterable[Metric], settings: Settings, tables: RunTables, known: dict[tuple[str, str], Statistics]
) -> dict[str, Statistics]:
    """Return the scores of those metrics that compare two partitions, of all items of a run; ``known`` keeps them."""
    contingencies: dict[str, Contingency] = {}
    scores: dict[str, Statistics] = {}
    for metric in metrics:
        if metric.of_partitions is None:
            continue
        options = {"background": settings.background, **settings.options_of(metric)}
        place = metric.key, json.dumps(options, sort_keys=True)
        if place not in known:
            background = options.pop("background")
            if background not in contingencies:
                contingencies[background] = _contingencies(tables, background)
            known[place] = _scores(metric, metric.of_partitions, contingencies[background], tables, background, options)
        scores[metric.key] = known[place]
    return scores


def _contingencies(tables: RunTables, background: str) -> Contingency:
    for at in np.flatnonzero(~tables.items.flags[:, :2].all(axis=1)).tolist():
        with errors_within(tables.place(at)):
            check_disjoint(true=tables.items[at].true_disjoint, pred=tables.items[at].pred_disjoint)
    outside = tables.items.counts[:, 1]
    true, pred = (
        ItemSegments(side.starts, side.item, side.sizes, side.outside, side.void) for side in (tables.true, tables.pred)
    )
    rows = ItemOverlaps(tables.row_item, tables.row_true, tables.row_pred, tables.shared, outside)
    return contingency_of_items(true, pred, rows, background)


def _scores(
    metric: Metric,
    partitioned: PartitionMetric,
    contingencies: Contingency,
    tables: RunTables,
    background: str,
    options: Mapping[str, Any],
) -> Statistics:
    """Return the scores of all items; those that are too large to be computed together are computed one by one."""
    column = partitioned.column(contingencies, **options)
    shares = ratio(contingencies.n, contingencies.n_elements)
    if bool((shares < 1).any()):
        column = replace(column, details={"counted_share": np.where(shares < 1, shares, math.nan)})
    alone = np.flatnonzero(contingencies.n_elements >= MOST_ELEMENTS).tolist()
    if not alone:
        return column_statistics(column)
    scores = column.scores(metric.key)
    for at in alone:
        result = metric.on(MetricInputs(counted=tables.table(at)), background=background, **options)
        if isinstance(result, Score):
            scores[at] = result
    return score_statistics(scores)


SHARED = ("policy", "resolve", "classes", "background")


KeyAndRule = tuple[str, str]
"""Key and rule of a score; the rule is "" where none matters."""


@frozen_dataclass(eq=False)
class StoredScores:
    """Rows of scores by key and rule, with the names of their items, computed under ``settings``.

    They are read when they are needed; ``place`` is the run file, for messages.
    """

    rows: Mapping[KeyAndRule, tuple[tuple[str, ...], ScoreRows]]
    settings: Settings
    place: str = "the run"
    known: Mapping[str, ScoreColumn] = field(default_factory=dict)
    """The scores of all items of metrics without a rule, where they are in columns already."""

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]], settings: Settings, place: str = "the run") -> StoredScores:
        """Return the scores of the rows (item name, key, rule, value, reason, numerator, denominator, details)."""
        if not rows:
            return cls({}, settings, place)
        n_places = next((at for at, row in enumerate(rows) if row[0] != rows[0][0]), len(rows))
        columns = [list(column) for column in zip(*rows, strict=True)]
        if _is_repeated(columns[1], n_places) and _is_repeated(columns[2], n_places):
            every = [[column[at::n_places] for column in columns] for at in range(n_places)]
            if all(part[0] == every[0][0] for part in every):  # each item has the same scores
                return cls({(part[1][0], part[2][0]): _place(part) for part in every}, settings, place)
        by_place: dict[KeyAndRule, list[tuple[Any, ...]]] = {}
        for row in rows:
            by_place.setdefault((row[1], row[2]), []).append(row)
        return cls({place: _place(list(zip(*part, strict=True))) for place, part in by_place.items()}, settings, place)

    @cached_property
    def by_item(self) -> Mapping[str, Mapping[KeyAndRule, Result]]:
        """The scores by item, then by key and rule."""
        scores: dict[str, dict[KeyAndRule, Result]] = {}
        for place, (items, rows) in self.rows.items():
            for item, row in zip(items, rows.rows(), strict=True):
                with errors_within(self.place):
                    scores.setdefault(item, {})[place] = score_of_row(place[0], row)
        return scores

    def statistics(self, metrics: Iterable[Metric], settings: Settings, items: Sequence[str]) -> dict[str, Statistics]:
        """Return the valid scores of those metrics that are numbers, details included, and that every item has."""
        scores: dict[str, Statistics] = {}
        for metric in metrics:
            place = (metric.key, settings.rule if metric.depends_on_rule else "")
            known, rows = self.rows.get(place, ((), None))
            column = self.known.get(metric.key)
            if column is None and rows is not None and tuple(items) == known:
                column = column_of_rows(rows)
            if column is not None and self.is_valid(metric, settings):
                scores[metric.key] = column_statistics(column)
        return scores

    def is_valid(self, metric: Metric, settings: Settings) -> bool:
        """Return whether the stored scores of a metric are valid under these settings."""
        same = all(
            getattr(settings, name) == getattr(self.settings, name) for name in SHARED if name in metric.shared_options
        )
        return same and (not metric.depends_on_rule or settings.rule in (self.settings.rule, *self.settings.also))

    def offers(self, metric: Metric, settings: Settings, tables: RunTables) -> bool:
        """Return whether a metric is available without the inputs: unions of overlapping segments are not."""
        if self.is_valid(metric, settings):
            return True
        return metric.needs in FROM_TABLE and (metric.needs != "overlaps" or _all_disjoint(tables))

    def under(self, metrics: Sequence[Metric], settings: Settings, tables: RunTables) -> dict[str, dict[str, Result]]:
        """Return the scores of these metrics for every item, stored scores where they are valid."""
        if not metrics:
            return {name: {} for name in tables.items.names}
        fresh = FROM_TABLE if not self.rows else ()  # a run of other overlaps has no stored scores
        kept = [metric for metric in metrics if self.is_valid(metric, settings) and metric.needs not in fresh]
        again = [metric.key for metric in metrics if metric.of_partitions is None and metric not in kept]
        partitioned = [metric for metric in metrics if metric.of_partitions is not None]
        places = [(metric.key, settings.rule if metric.depends_on_rule else "") for metric in kept]
        scores: dict[str, dict[str, Result]] = {}
        for at, facts in enumerate(tables.items):
            stored = self.by_item.get(facts.name, {})
            known = scores[facts.name] = {key: stored[key, rule] for key, rule in places if (key, rule) in stored}
            chosen = settings.metrics_of(facts.kind, facts.axes).of_partitions if partitioned else ()
            missing = [metric.key for metric in partitioned if metric.key not in known and metric in chosen]
            if again or missing:
                known |= _computed(tables, at, [*again, *missing], settings)
        return scores


def other_scores(comparison: MetricInputs, keys: Sequence[str], settings: Settings, rule: str) -> dict[str, Result]:
    """Return the scores of metrics that are not derived from a tally; undefined scores stay undefined."""
    if not keys:
        return {}
    own = {key: options for key in keys if (options := settings.options_of(METRICS[key]))}
    shared: dict[str, Any] = {name: getattr(settings, name) for name in SHARED}
    scores = score_pair_with(comparison, metrics=keys, rule=rule, options=own, **shared)
    return dict(scores.results)


def _computed(tables: RunTables, item: int, keys: Sequence[str], settings: Settings) -> dict[str, Result]:
    with errors_within(tables.place(item)):
        return other_scores(MetricInputs(counted=tables.table(item)), keys, settings, settings.rule)


def _is_repeated(column: list[Any], n: int) -> bool:
    """Return whether a column consists of its first n values again and again."""
    return len(column) % n == 0 and column == column[:n] * (len(column) // n)


def _place(columns: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], ScoreRows]:
    return tuple(columns[0]), ScoreRows(*columns[3:])


def _all_disjoint(tables: RunTables) -> bool:
    return bool(tables.items.flags[:, :2].all())
