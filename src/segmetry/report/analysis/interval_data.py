"""Confidence intervals of the page, for the rules that every report shows.

The page computes scores under any rule, but no intervals: those under θ⁺, θ& and the run's rule are computed here, as
by :meth:`segmetry.Run.intervals`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from segmetry.errors import ClashError, SegmetryError
from segmetry.metrics.declare import METRICS
from segmetry.run.alignment_columns import columns_of
from segmetry.run.run import Run
from segmetry.statistics.bootstrap import Interval
from segmetry.statistics.intervals import AveragedIntervals, intervals_of_columns
from segmetry.statistics.random_draws import RESAMPLES, SEED
from segmetry.statistics.summary import summarise_columns
from segmetry.statistics.summary_tables import Aggregated

HEADLINE = ("pq", "sq", "rq")
MANY_ITEMS = 10_000
FEWER_RESAMPLES = 1_000
SOME_ITEMS = 1_000
"""In runs of more items, metrics that are not on the first screen have intervals from fewer resamples."""


def own_intervals(run: Run, headline: str) -> dict[str, AveragedIntervals]:
    """Return the intervals of the metrics of a run under its own rule, except those that are computed anew from all
    items in every resample.

    In runs of many items those beside the headline, PQ, SQ and RQ are from fewer resamples, and metrics that are
    computed pair by pair have none.
    """
    scores = {key: score for key, score in run.summary().scores.items() if METRICS[key].accumulator is None}
    if len(run.tables_together) <= SOME_ITEMS:
        return _drawn(run, scores, RESAMPLES)
    first = {key: score for key, score in scores.items() if key in (headline, *HEADLINE)}
    others = {key: score for key, score in scores.items() if key not in first and _is_quotient(key)}
    return _drawn(run, first, resamples_for(run)) | _drawn(run, others, FEWER_RESAMPLES)


def _is_quotient(key: str) -> bool:
    metric = METRICS[key]
    return metric.needs != "tally" or metric.quotient is not None or key == "npq"


def _drawn(run: Run, scores: Mapping[str, Aggregated], resamples: int) -> dict[str, AveragedIntervals]:
    """Return the intervals of some scores of a run; none where it cannot be resampled."""
    if not scores:
        return {}
    chosen = replace(run.summary(), scores=scores)
    drawing: dict[str, Any] = {"parts": False, "resamples": resamples, "seed": SEED}
    try:
        return dict(intervals_of_columns(run.columns, chosen, **drawing, **run.averaging()).scores)
    except SegmetryError:
        return {}


def interval_facts(run: Run, rules: Sequence[str], own: Mapping[str, AveragedIntervals]) -> dict[str, Any]:
    """Return the intervals of the headline scores under each rule, those of all metrics under the run's own, and how
    they were computed; none for clashes.
    """
    resamples = resamples_for(run)
    by_rule: dict[str, Mapping[str, AveragedIntervals]] = {}
    for rule in rules:
        known = own if rule == run.settings.rule else {}
        if all(key in known for key in HEADLINE):
            by_rule[rule] = known
            continue
        try:
            by_rule[rule] = {**_headline_scores(run, rule, resamples), **known}
        except ClashError:
            continue
    return {
        "level": 0.95,
        "resamples": resamples,
        "seed": SEED,
        "words": f"95 % by bootstrap over items, BCa where it exists, else percentiles; {resamples} resamples"
        f"{_fewer(run)}, seed {SEED}.",
        "by_rule": {rule: _plain(row) for rule, row in by_rule.items()},
    }


def _headline_scores(run: Run, rule: str, resamples: int) -> Mapping[str, AveragedIntervals]:
    """Return the intervals of PQ, SQ and RQ under a rule."""
    settings = run.settings.changed(rule=rule)
    averaging: dict[str, Any] = {"groups": settings.groups, "undefined": settings.undefined}
    columns = columns_of(run.tables_together, settings, {})
    summary = summarise_columns(columns, metrics=HEADLINE, **averaging)
    drawing: dict[str, Any] = {"parts": False, "resamples": resamples, "seed": SEED}
    return intervals_of_columns(columns, summary, **drawing, **averaging).scores


def resamples_for(run: Run) -> int:
    """Return the number of resamples: fewer for very many items, where intervals hardly depend on it."""
    return RESAMPLES if len(run.tables_together) <= MANY_ITEMS else FEWER_RESAMPLES


def _fewer(run: Run) -> str:
    """Return how many resamples the other metrics have, if not as many."""
    is_fewer = SOME_ITEMS < len(run.tables_together) <= MANY_ITEMS
    return f" ({FEWER_RESAMPLES} for metrics other than the headline, PQ, SQ and RQ)" if is_fewer else ""


def _plain(row: Mapping[str, AveragedIntervals]) -> dict[str, Any]:
    ends: dict[str, Any] = {
        key: {name: _ends(interval) for name, interval in averaged.intervals().items()} for key, averaged in row.items()
    }
    return ends | {"reason": None if row["pq"].by_item.best else row["pq"].by_item.reason}


def _ends(interval: Interval) -> dict[str, float] | None:
    return None if interval.best is None else {"low": interval.best[0], "high": interval.best[1]}
