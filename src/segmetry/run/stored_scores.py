"""The scores stored in a run, and which of them are still valid under other settings.

Stored are the scores of all metrics that follow neither from a tally nor from partitions: some need the inputs, the
others cost more to compute again than to read. A stored score is valid until a setting changes on which the metric
depends; then it is computed again from the table, if the metric needs only the table. Metrics of two partitions are
computed for all items at once, which is quicker than reading them (:mod:`segmetry.run.partition_scores`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from segmetry._base import errors_within, frozen_dataclass
from segmetry.metrics import FROM_TABLE, METRICS, Metric, MetricInputs, Result, ScoreColumn, score_pair_with
from segmetry.run.score_rows import ScoreRows, column_of_rows, score_of_row
from segmetry.run.settings import Settings
from segmetry.runfile import RunTables

SHARED = ("policy", "resolve", "classes", "background")


KeyAndRule = tuple[str, str]
"""Key and rule of a score; the rule is "" where none matters."""


@frozen_dataclass(eq=False)
class StoredScores:
    """Rows of scores by key and rule, with the names of their items, computed under ``settings``.

    They are read when they are needed.
    """

    rows: Mapping[KeyAndRule, tuple[tuple[str, ...], ScoreRows]]
    settings: Settings

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]], settings: Settings) -> StoredScores:
        """Return the scores of the rows (item name, key, rule, value, reason, numerator, denominator, details)."""
        if not rows:
            return cls({}, settings)
        n_places = next((at for at, row in enumerate(rows) if row[0] != rows[0][0]), len(rows))
        columns = [list(column) for column in zip(*rows, strict=True)]
        if _is_repeated(columns[1], n_places) and _is_repeated(columns[2], n_places):
            every = [[column[at::n_places] for column in columns] for at in range(n_places)]
            if all(part[0] == every[0][0] for part in every):  # each item has the same scores
                return cls({(part[1][0], part[2][0]): _place(part) for part in every}, settings)
        by_place: dict[KeyAndRule, list[tuple[Any, ...]]] = {}
        for row in rows:
            by_place.setdefault((row[1], row[2]), []).append(row)
        return cls({place: _place(list(zip(*part, strict=True))) for place, part in by_place.items()}, settings)

    @cached_property
    def by_item(self) -> Mapping[str, Mapping[KeyAndRule, Result]]:
        """The scores by item, then by key and rule."""
        scores: dict[str, dict[KeyAndRule, Result]] = {}
        for place, (items, rows) in self.rows.items():
            for item, row in zip(items, rows.rows(), strict=True):
                scores.setdefault(item, {})[place] = score_of_row(place[0], row)
        return scores

    def columns(self, metrics: Iterable[Metric], settings: Settings, items: Sequence[str]) -> dict[str, ScoreColumn]:
        """Return the valid scores of those metrics that are numbers, details included, and that every item has."""
        columns: dict[str, ScoreColumn] = {}
        for metric in metrics:
            place = (metric.key, settings.rule if metric.depends_on_rule else "")
            known, rows = self.rows.get(place, ((), None))
            if rows is not None and tuple(items) == known and self.is_valid(metric, settings):
                column = column_of_rows(rows)
                if column is not None:
                    columns[metric.key] = column
        return columns

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
            return {facts.name: {} for facts in tables.items}
        kept = [metric for metric in metrics if self.is_valid(metric, settings)]
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
    with errors_within(f"item {tables.items[item].name}"):
        return other_scores(MetricInputs(counted=tables.table(item)), keys, settings, settings.rule)


def _is_repeated(column: list[Any], n: int) -> bool:
    """Return whether a column consists of its first n values again and again."""
    return len(column) % n == 0 and column == column[:n] * (len(column) // n)


def _place(columns: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], ScoreRows]:
    return tuple(columns[0]), ScoreRows(*columns[3:])


def _all_disjoint(tables: RunTables) -> bool:
    return all(facts.true_disjoint and facts.pred_disjoint for facts in tables.items)
