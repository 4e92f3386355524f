"""The comparison of runs on the page: a sentence, values with intervals, paired differences of all items and by class,
and the ranking under the standard rules.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from segmetry.alignments import rule_heading
from segmetry.comparison import (
    RULES,
    Comparison,
    RuleSensitivity,
    across_words,
    compare,
    metric_heading,
    rank_text,
    rule_sensitivity,
    verdict_sentence,
)
from segmetry.errors import SegmetryError
from segmetry.metrics import METRICS
from segmetry.report.analysis_data import HEADLINE, page_intervals
from segmetry.report.overview_data import headline_of, symbol
from segmetry.report.page_records import (
    AcrossData,
    ClassDifferenceData,
    ComparisonData,
    DifferenceData,
    MetricRankRow,
    PageAverage,
    PossibleEnds,
    Problem,
    RankingData,
    RankingRow,
    RankingRows,
    RuleComparison,
    RunValue,
)
from segmetry.report.run_data import defined_value, page_average
from segmetry.results import percent
from segmetry.run import Run
from segmetry.statistics import Difference, Interval


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
    cell = first.cell(headline, average)
    shortened = f" {cell.words}", f" {symbol(headline) if cell.name == headline else cell.name}"
    return {
        "systems": list(first.systems),
        "keys": keys,
        "headline": {"key": headline, "average": page_average(average), "better": METRICS[headline].better},
        "words": f"Differences go from the first to the second run, with 95 % bootstrap intervals ({first.resamples} "
        f"resamples, seed {first.seed}); p is that of a paired permutation test, corrected by Holm for several "
        "pairs; intervals are not. "
        "detect is the smallest difference that these items detect with 80 % power.",
        "by_rule": {
            rule: _compared(comparison, verdict_sentence(comparison, headline, average).replace(*shortened))
            for rule, comparison in by_rule.items()
        },
        "classes": _class_differences(runs, headline, names),
        "ranking": ranking_facts(runs, names),
        "across": across_facts(runs, names),
    }


RANK_RESAMPLES = 1_000
"""Enough for the interval of a rank, which is a whole number."""


def across_facts(runs: Sequence[Run], names: Sequence[str] | None = None) -> AcrossData | None:
    """Return the rank of every run by every metric; None where fewer than two metrics are comparable."""
    try:
        across = compare(*runs, names=names, resamples=RANK_RESAMPLES).across()
    except SegmetryError:  # such as a metric with other options in one of the runs
        return None
    rows: list[MetricRankRow] = [
        {
            "metric": metric_heading(row.cell),
            "values": [row.cell.text(value) for value in row.values],
            "ranks": list(row.ranks),
            "intervals": [rank_text(low, high) for low, high in row.rank_intervals],
            "tau": row.tau,
            "stable": percent(row.stable),
        }
        for row in across.by_metric
    ]
    words = across_words(across)
    return {"words": words, "rows": rows} if len(rows) > 1 else None


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
            "first_value": defined_value(row.first_value),
            "second_value": defined_value(row.second_value),
            "difference": defined_value(row.value),
            "p_holm": row.p_holm,
            **_ends(row.interval),
        }
        for row in rows.values()
    ]


def _compared(comparison: Comparison, sentence: str) -> RuleComparison:
    values: dict[str, dict[str, dict[PageAverage, RunValue]]] = {
        name: {
            key: {
                average: {"value": defined_value(interval.value), **_ends(interval)}
                for average, interval in page_intervals(averages).items()
            }
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
        "difference": defined_value(row.value),
        "p": row.p,
        "p_holm": row.p_holm,
        "won": None if items is None else items.won,
        "tied": None if items is None else items.tied,
        "lost": None if items is None else items.lost,
        "detectable": row.detectable,
        **_ends(row.interval),
    }


def _ends(interval: Interval) -> PossibleEnds:
    low, high = interval.best or (None, None)
    return {"low": low, "high": high}


MANY_TO_ASSIGN = 4_000
"""Total number of items beyond which the assignment takes more than a few seconds and is left out."""

MANY_TO_RANK = 20_000
"""Total number of items beyond which the other rules take that long."""


def ranking_facts(runs: Sequence[Run], names: Sequence[str] | None = None) -> RankingData | Problem:
    """Return PQ and rank of every run under every rule in every average, or why there are none."""
    many = sum(len(run.tables_together) for run in runs)
    if many > MANY_TO_RANK:
        return {
            "problem": f"Left out: the runs have {many} items together, more than {MANY_TO_RANK}; "
            "sm.rule_sensitivity computes it from the run files."
        }
    assigned = many <= MANY_TO_ASSIGN
    rules = RULES if assigned else tuple(rule for rule in RULES if not rule.startswith("maximum_weight"))
    # A run without PQ is an error of the ranking itself.
    averages = runs[0].summary().scores.get("pq", ("by_item",))
    try:
        by_average = {
            page_average(average): rule_sensitivity(*runs, names=names, rules=rules, average=average)
            for average in averages
        }
    except SegmetryError as problem:
        return {"problem": f"Rules are not compared: {problem}"}
    first = next(iter(by_average.values()))
    words = (
        "Rank 1 is best. τ is Kendall's τ_b between the rankings under a rule and under θ⁺; stable is the share of "
        f"{first.resamples} bootstrap resamples of the items in which the ranking is the same (seed {first.seed})."
    )
    if not assigned:
        words += f" Assignment is left out beyond {MANY_TO_ASSIGN} items in all runs together."
    return {"problem": None, "words": words, "by": {name: _ranked(ranking) for name, ranking in by_average.items()}}


def _ranked(ranking: RuleSensitivity) -> RankingRows:
    rows: list[RankingRow] = [
        {
            "rule": row.rule,
            "label": rule_heading(row.rule),
            "values": [defined_value(interval.value) for interval in row.values],
            "ranks": list(row.ranks),
            "tau": row.tau,
            "stable": row.stable,
            "changed": list(row.changed),
        }
        for row in ranking.by_rule
    ]
    return {"changes": ranking.ranking_changes, "rows": rows}
