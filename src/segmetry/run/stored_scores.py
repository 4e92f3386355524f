"""The scores a run keeps, and which of them still hold under other settings.

Kept are the scores of all metrics that are not derived from a tally: some need the inputs, the others would cost more
to compute again than to read. A kept score holds as long as nothing changes that the metric depends on; then it is
computed again from the table, if the table is all the metric needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from segmetry.errors import SegmetryError
from segmetry.metrics.declare import Metric
from segmetry.metrics.metric_inputs import FROM_TABLE, MetricInputs
from segmetry.metrics.score import Result
from segmetry.metrics.score_many import score
from segmetry.run.overlap_columns import RunTables
from segmetry.run.settings import Settings
from segmetry.run.values import score_of_row

SHARED = ("policy", "resolve", "classes", "uncovered")


@dataclass(frozen=True, eq=False)
class StoredScores:
    """Scores by item, then by key and rule ("" where no rule matters), computed under ``settings``."""

    found: Mapping[str, Mapping[tuple[str, str], Result]]
    settings: Settings

    @classmethod
    def of(cls, rows: Iterable[tuple[Any, ...]], settings: Settings) -> StoredScores:
        """From the rows (item name, key, rule, value, reason, numerator, denominator, details)."""
        found: dict[str, dict[tuple[str, str], Result]] = {}
        for item, key, rule, *columns in rows:
            found.setdefault(item, {})[key, rule] = score_of_row(key, tuple(columns))
        return cls(found, settings)

    def holds(self, metric: Metric, settings: Settings) -> bool:
        """Whether the scores kept of a metric are those of these settings."""
        same = all(
            getattr(settings, name) == getattr(self.settings, name) for name in SHARED if name in metric.shared_options
        )
        return same and (not metric.depends_on_rule or settings.rule in (self.settings.rule, *self.settings.also))

    def offers(self, metric: Metric, settings: Settings, tables: RunTables) -> bool:
        """Whether a metric can be had without the inputs: unions of overlapping segments cannot."""
        if self.holds(metric, settings):
            return True
        return metric.needs in FROM_TABLE and (metric.needs != "overlaps" or _all_disjoint(tables))

    def under(self, metrics: Sequence[Metric], settings: Settings, tables: RunTables) -> dict[str, dict[str, Result]]:
        """The scores of these metrics for every item, kept ones where they hold."""
        kept = [metric for metric in metrics if self.holds(metric, settings)]
        again = [metric.key for metric in metrics if metric not in kept]
        found: dict[str, dict[str, Result]] = {}
        for at, facts in enumerate(tables.items):
            stored = self.found.get(facts.name, {})
            places = [(one.key, settings.rule if one.depends_on_rule else "") for one in kept]
            found[facts.name] = {key: stored[key, rule] for key, rule in places if (key, rule) in stored}
            if again:
                found[facts.name] |= _computed(tables, at, again, settings)
        return found


def other_scores(comparison: MetricInputs, keys: Sequence[str], settings: Settings, rule: str) -> dict[str, Result]:
    """The scores of metrics that are not derived from a tally, undefined where they are."""
    if not keys:
        return {}
    own = {key: dict(found) for key, found in settings.options.items() if key in keys}
    found = score(
        comparison,
        metrics=keys,
        rule=rule,
        policy=settings.policy,
        resolve=settings.resolve,
        classes=settings.classes,
        uncovered=settings.uncovered,
        options=own,
    )
    return dict(found.results)


def _computed(tables: RunTables, item: int, keys: Sequence[str], settings: Settings) -> dict[str, Result]:
    try:
        return other_scores(MetricInputs.of_table(tables.table(item)), keys, settings, settings.rule)
    except SegmetryError as problem:
        raise problem.within(f"item {tables.items[item].name}") from None


def _all_disjoint(tables: RunTables) -> bool:
    return all(one.true_disjoint and one.pred_disjoint for one in tables.items)
