"""Confidence intervals of the page, for the rules that every report shows.

The page computes scores under any rule, but no intervals: those under θ⁺, θ& and the run's rule are computed here, as
by :meth:`segmetry.Run.intervals`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from segmetry.errors import ClashError
from segmetry.run.alignment_columns import columns_of
from segmetry.run.run import Run
from segmetry.statistics.bootstrap import Interval
from segmetry.statistics.intervals import AveragedIntervals, Intervals, intervals_of_columns
from segmetry.statistics.random_draws import RESAMPLES, SEED
from segmetry.statistics.summary import summarise_columns

HEADLINE = ("pq", "sq", "rq")
MANY_ITEMS = 10_000
FEWER_RESAMPLES = 1_000


def interval_facts(run: Run, rules: Sequence[str]) -> dict[str, Any]:
    """Return the intervals of the headline scores under each rule, and how they were computed; none for clashes."""
    resamples = resamples_for(run)
    by_rule: dict[str, Intervals] = {}
    for rule in rules:
        settings = run.settings.changed(rule=rule)
        averaging: dict[str, Any] = {"groups": settings.groups, "undefined": settings.undefined}
        try:
            columns = columns_of(run.tables_together, settings, {})
            summary = summarise_columns(columns, metrics=HEADLINE, **averaging)
        except ClashError:
            continue
        by_rule[rule] = intervals_of_columns(columns, summary, parts=False, resamples=resamples, seed=SEED, **averaging)
    return {
        "level": 0.95,
        "resamples": resamples,
        "seed": SEED,
        "words": f"95 % by bootstrap over items, BCa where it exists, else percentiles; {resamples} resamples, "
        f"seed {SEED}.",
        "by_rule": {rule: _plain(result.scores) for rule, result in by_rule.items()},
    }


def resamples_for(run: Run) -> int:
    """Return the number of resamples: fewer for very many items, where intervals hardly depend on it."""
    return RESAMPLES if len(run.tables_together) <= MANY_ITEMS else FEWER_RESAMPLES


def _plain(row: Mapping[str, AveragedIntervals]) -> dict[str, Any]:
    ends: dict[str, Any] = {
        key: {name: _ends(interval) for name, interval in averaged.intervals().items()} for key, averaged in row.items()
    }
    return ends | {"reason": None if row["pq"].by_item.best else row["pq"].by_item.reason}


def _ends(interval: Interval) -> dict[str, float] | None:
    return None if interval.best is None else {"low": interval.best[0], "high": interval.best[1]}
