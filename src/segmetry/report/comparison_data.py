"""The comparison of runs on the page: a sentence, values with intervals, paired differences of all items and by class,
computed in Python.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from segmetry.comparison.compare import Comparison, compare
from segmetry.comparison.verdict_sentence import verdict_sentence
from segmetry.metrics.average import AVERAGES
from segmetry.metrics.declare import METRICS
from segmetry.report.analysis_data import HEADLINE, page_intervals
from segmetry.report.overview.headline_data import headline_of, symbol
from segmetry.report.page_records import (
    ClassDifferenceData,
    ComparisonData,
    DifferenceData,
    PageAverage,
    PossibleEnds,
    RuleComparison,
    RunValue,
)
from segmetry.report.ranking_data import ranking_facts
from segmetry.report.run_data import page_average
from segmetry.run.run import Run
from segmetry.statistics.bootstrap import Interval
from segmetry.statistics.difference import Difference


def comparison_facts(runs: Sequence[Run], names: Sequence[str] | None = None) -> ComparisonData | None:
    """Return the comparison under θ⁺, θ& and the rule of the runs; None for one run."""
    if len(runs) < 2:
        return None
    key, average = headline_of(runs[0])
    wanted = dict.fromkeys((key, *HEADLINE))
    common = [key for key in wanted if all(key in run.summary().scores for run in runs)] or None
    depends = any(METRICS[key].depends_on_rule for key in common or ())
    rules = dict.fromkeys((runs[0].settings.rule, *(("theta_plus", "theta_and") if depends else ())))
    # Under the first rule runs are not rescored, so that runs scored under different rules are an error.
    by_rule = {
        rule: compare(*runs, names=names, metrics=common, rule=rule if at else None) for at, rule in enumerate(rules)
    }
    first = next(iter(by_rule.values()))
    keys = list(first.values[first.systems[0]].scores)
    headline = key if key in keys else keys[0]
    return {
        "systems": list(first.systems),
        "keys": keys,
        "headline": {"key": headline, "average": page_average(average), "better": METRICS[headline].better},
        "words": f"Differences go from the first to the second run, with 95 % bootstrap intervals ({first.resamples} "
        f"resamples, seed {first.seed}); p is that of a paired permutation test, corrected by Holm for several pairs. "
        "detect is the smallest difference that these items detect with 80 % power.",
        "by_rule": {
            rule: _compared(comparison, _sentence(comparison, headline, average))
            for rule, comparison in by_rule.items()
        },
        "classes": _class_differences(runs, headline, names),
        "ranking": ranking_facts(runs, names),
    }


def _sentence(comparison: Comparison, key: str, average: str) -> str:
    return verdict_sentence(comparison, key, average).replace(f" {key} ({AVERAGES[average].words})", f" {symbol(key)}")


def _class_differences(runs: Sequence[Run], key: str, systems: Sequence[str] | None) -> list[ClassDifferenceData]:
    """Return the difference of every class in the headline, under the runs' own rule; empty without classes."""
    if any(run.summary().by != "class" or key not in run.summary().scores for run in runs):
        return []
    comparison = compare(*runs, names=systems, metrics=[key], parts=True)
    rows: dict[Hashable, Difference] = {}
    for row in comparison.differences:
        if row.level == "class":
            rows.setdefault((row.first, row.second, row.name), row)  # the usual average comes first
    names = comparison.class_names
    return [
        {
            "first": row.first,
            "second": row.second,
            "name": str(names.get(row.name, row.name)),
            "first_value": _defined(row.first_value),
            "second_value": _defined(row.second_value),
            "difference": _defined(row.value),
            "p_holm": row.p_holm,
            **_ends(row.interval),
        }
        for row in rows.values()
    ]


def _compared(comparison: Comparison, sentence: str) -> RuleComparison:
    values: dict[str, dict[str, dict[PageAverage, RunValue]]] = {
        name: {
            key: {average: _with_ends(interval) for average, interval in page_intervals(averages).items()}
            for key, averages in of_run.scores.items()
        }
        for name, of_run in comparison.values.items()
    }
    differences = [_difference(row) for row in comparison.differences if row.level == "data set"]
    return {"sentence": sentence, "values": values, "differences": differences}


def _difference(row: Difference) -> DifferenceData:
    items = row.outcomes
    return {
        "first": row.first,
        "second": row.second,
        "key": row.key,
        "average": page_average(row.average),
        "difference": _defined(row.value),
        "p": row.p,
        "p_holm": row.p_holm,
        "won": None if items is None else items.won,
        "tied": None if items is None else items.tied,
        "lost": None if items is None else items.lost,
        "detectable": row.detectable,
        **_ends(row.interval),
    }


def _with_ends(interval: Interval) -> RunValue:
    return {"value": _defined(interval.value), **_ends(interval)}


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def _ends(interval: Interval) -> PossibleEnds:
    low, high = interval.best or (None, None)
    return {"low": low, "high": high}
