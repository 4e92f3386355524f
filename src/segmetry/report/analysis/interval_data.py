"""Confidence intervals of the page, for the rules that every report shows.

The page computes scores under any rule, but no intervals: those under θ⁺, θ& and the run's rule are computed here, as
by :meth:`segmetry.Run.intervals`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from segmetry.errors import ClashError
from segmetry.report.page_records import IntervalData, IntervalEnds, PageAverage, RuleIntervals
from segmetry.report.run_data import page_average
from segmetry.run.run import Run
from segmetry.run.run_data_set import segments_of
from segmetry.statistics.bootstrap import Interval
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.intervals import Resampling, intervals
from segmetry.statistics.summary import summarise

HEADLINE = ("pq", "sq", "rq")
PageIntervals = Mapping[str, Mapping[PageAverage, Interval]]
"""Intervals by metric and by average, as the page names averages."""


def own_intervals(run: Run) -> dict[str, dict[PageAverage, Interval]]:
    """Return the intervals of all metrics of a run under its own rule, those of ``segmetry score --interval``."""
    return {key: page_intervals(averages) for key, averages in run.intervals(parts=False).scores.items()}


def page_intervals(averages: Mapping[str, Interval]) -> dict[PageAverage, Interval]:
    """Return the intervals of a metric by the averages of the page."""
    intervals: dict[PageAverage, Interval] = {}
    for name, interval in averages.items():
        intervals.setdefault(page_average(name), interval)
    return intervals


def interval_facts(run: Run, rules: Sequence[str], own: PageIntervals) -> IntervalData:
    """Return the intervals of PQ, SQ and RQ under each rule, those of all metrics under the run's own, and how they
    were computed; none for clashes.
    """
    resampling = Resampling()
    by_rule: dict[str, PageIntervals] = {}
    for rule in rules:
        known = own if rule == run.settings.rule else {}
        if all(key in known for key in HEADLINE):
            by_rule[rule] = known
            continue
        try:
            by_rule[rule] = {**_headline_scores(run, rule, resampling), **known}
        except ClashError:
            continue
    return {
        "level": resampling.level,
        "resamples": resampling.resamples,
        "seed": resampling.rng,
        "words": f"95 % by bootstrap over items, BCa where it exists, else percentiles; {resampling.resamples} "
        f"resamples, seed {resampling.rng}.",
        "by_rule": {rule: _plain_ends(row) for rule, row in by_rule.items()},
    }


def _headline_scores(run: Run, rule: str, resampling: Resampling) -> PageIntervals:
    """Return the intervals of PQ, SQ and RQ under a rule."""
    settings = run.settings.changed(rule=rule)
    segments, average = segments_of(run.tables_together, settings)
    data = DataSet.of_segments(
        run.data.items, segments, average, settings.policy, HEADLINE, undefined=settings.undefined
    )
    rows = intervals(data, summarise(data), resampling, parts=False).scores
    return {key: page_intervals(averages) for key, averages in rows.items()}


def _plain_ends(row: PageIntervals) -> RuleIntervals:
    of_items = row["pq"].get("by_item")
    return {
        "scores": {key: {name: _ends(one) for name, one in averages.items()} for key, averages in row.items()},
        "reason": None if of_items is None or of_items.best else of_items.reason,
    }


def _ends(interval: Interval) -> IntervalEnds | None:
    return None if interval.best is None else {"low": interval.best[0], "high": interval.best[1]}
