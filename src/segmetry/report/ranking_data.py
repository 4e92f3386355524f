"""The ranking of runs under the standard rules, for the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from segmetry.alignments.rule_labels import rule_heading
from segmetry.comparison.rule_sensitivity import RULES, RuleSensitivity, rule_sensitivity
from segmetry.errors import SegmetryError
from segmetry.report.page_records import Problem, RankingData, RankingRow, RankingRows
from segmetry.report.run_data import page_average
from segmetry.run.run import Run

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
    try:
        by_average = {
            page_average(average): rule_sensitivity(*runs, names=names, rules=rules, average=average)
            for average in _averages(runs[0])
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


def _averages(run: Run) -> list[str]:
    """Return the averages in which PQ is ranked; a run without PQ is an error of the ranking itself."""
    scores = run.summary().scores
    return list(scores["pq"]) if "pq" in scores else ["by_item"]


def _ranked(ranking: RuleSensitivity) -> RankingRows:
    rows: list[RankingRow] = [
        {
            "rule": row.rule,
            "label": rule_heading(row.rule),
            "values": [None if math.isnan(interval.value) else interval.value for interval in row.values],
            "ranks": list(row.ranks),
            "tau": row.tau,
            "stable": row.stable,
            "changed": list(row.changed),
        }
        for row in ranking.by_rule
    ]
    return {"changes": ranking.ranking_changes, "rows": rows}
