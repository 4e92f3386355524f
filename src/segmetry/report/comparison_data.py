"""The comparison of runs on the page: a sentence, values with intervals, paired differences of all items and by class,
computed in Python.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from segmetry.comparison.compare import Comparison, compare
from segmetry.comparison.verdict_sentence import verdict_sentence
from segmetry.metrics.declare import METRICS
from segmetry.report.analysis.interval_data import HEADLINE, resamples_for
from segmetry.report.overview.headline_data import headline_of, symbol
from segmetry.report.ranking_data import ranking_facts
from segmetry.run.run import Run
from segmetry.statistics.averages import AVERAGE_HEADINGS, Average
from segmetry.statistics.bootstrap import Interval

ROW = ("first", "second", "key", "average", "difference", "p", "p_holm", "won", "tied", "lost", "detectable")
CLASS_ROW = ("first", "second", "name", "first_value", "second_value", "difference", "p_holm")
CLASS_RESAMPLES = 1_000
"""Resamples for the differences of classes, which are many."""


def comparison_facts(runs: Sequence[Run], names: Sequence[str] | None = None) -> dict[str, Any] | None:
    """Return the comparison under θ⁺, θ& and the rule of the runs; None for one run."""
    if len(runs) < 2:
        return None
    key, average = headline_of(runs[0])
    wanted = dict.fromkeys((key, *HEADLINE))
    common = [key for key in wanted if all(key in run.summary().scores for run in runs)] or None
    depends = any(METRICS[key].depends_on_rule for key in common or ())
    rules = dict.fromkeys((runs[0].settings.rule, *(("theta_plus", "theta_and") if depends else ())))
    resamples = resamples_for(runs[0])
    # Under the first rule runs are not rescored, so that runs scored under different rules are an error.
    by_rule = {
        rule: compare(*runs, names=names, metrics=common, resamples=resamples, rule=rule if at else None)
        for at, rule in enumerate(rules)
    }
    first = next(iter(by_rule.values()))
    keys = list(first.values[first.systems[0]].scores)
    headline = key if key in keys else keys[0]
    return {
        "systems": list(first.systems),
        "keys": keys,
        "headline": {"key": headline, "average": average, "better": METRICS[headline].better},
        "words": f"Differences go from the first to the second run, with 95 % bootstrap intervals ({resamples} "
        f"resamples, seed {first.seed}); p is that of a paired permutation test, corrected by Holm for several pairs. "
        "detect is the smallest difference that these items detect with 80 % power.",
        "by_rule": {
            rule: {**_plain(comparison), "sentence": _sentence(comparison, headline, average)}
            for rule, comparison in by_rule.items()
        },
        "classes": _class_differences(runs, headline, names),
        "ranking": ranking_facts(runs, names),
    }


def _sentence(comparison: Comparison, key: str, average: Average) -> str:
    return verdict_sentence(comparison, key, average).replace(f" {key} {AVERAGE_HEADINGS[average]}", f" {symbol(key)}")


def _class_differences(runs: Sequence[Run], key: str, systems: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return the difference of every class in the headline, under the runs' own rule; empty without classes."""
    if any(run.summary().by != "class" or key not in run.summary().scores for run in runs):
        return []
    comparison = compare(*runs, names=systems, metrics=[key], resamples=CLASS_RESAMPLES, parts=True)
    rows = [row for row in comparison.differences if row.level == "class" and row.average == _of_class(comparison, row)]
    names = comparison.class_names
    return [
        {name: row.as_row()[name] for name in CLASS_ROW}
        | {"name": str(names.get(row.name, row.name))}
        | _ends(row.interval)
        for row in rows
    ]


def _of_class(comparison: Comparison, row: Any) -> str:
    """Return the average in which a class has one value over the data set."""
    known = {other.average for other in comparison.differences if (other.level, other.name) == ("class", row.name)}
    return next(name for name in ("by_class", "all_segments", "by_item") if name in known)


def _plain(comparison: Comparison) -> dict[str, Any]:
    values = {
        name: {
            key: {average: _with_ends(interval) for average, interval in averaged.intervals().items()}
            for key, averaged in of_run.scores.items()
        }
        for name, of_run in comparison.values.items()
    }
    differences = [
        {name: difference.as_row()[name] for name in ROW} | _ends(difference.interval)
        for difference in comparison.differences
        if difference.level == "data set"
    ]
    return {"values": values, "differences": differences}


def _with_ends(interval: Interval) -> dict[str, Any]:
    return {"value": None if math.isnan(interval.value) else interval.value} | _ends(interval)


def _ends(interval: Interval) -> dict[str, Any]:
    low, high = interval.best or (None, None)
    return {"low": low, "high": high}
