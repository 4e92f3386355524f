"""Several runs under the standard rules for the page: does their ranking depend on the rule?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from segmetry.comparison.rule_sensitivity import RULES, RuleSensitivity, rule_sensitivity
from segmetry.errors import SegmetryError
from segmetry.report.interval_data import FEWER_RESAMPLES
from segmetry.report.run_data import LABELS
from segmetry.run.run import Run

MANY_TO_ASSIGN = 4_000
"""Items of all runs together, beyond which the assignment takes more than a few seconds and is left out."""

MANY_TO_RANK = 20_000
"""Items of all runs together, beyond which the other rules do, too."""


def ranking_facts(runs: Sequence[Run]) -> dict[str, Any]:
    """PQ and rank of every run under every rule, mean over items and pooled, or the one line that says why not."""
    many = sum(len(run.tables_together) for run in runs)
    if many > MANY_TO_RANK:
        return {
            "problem": f"Left out: the runs have {many} items together, more than {MANY_TO_RANK}; "
            "sm.rule_sensitivity computes it from the run files."
        }
    assigned = many <= MANY_TO_ASSIGN
    rules = RULES if assigned else tuple(rule for rule in RULES if not rule.startswith("maximum_weight"))
    try:
        found = {
            word: rule_sensitivity(*runs, rules=rules, aggregation=word, resamples=FEWER_RESAMPLES)
            for word in ("mean", "pooled")
        }
    except SegmetryError as refused:
        return {"problem": f"The rules are not compared: {refused}"}
    words = (
        "Rank 1 is best. τ is Kendall's τ_b between the ranking under a rule and that under θ⁺; stable is the share of "
        f"{FEWER_RESAMPLES} bootstrap resamples of the items in which the ranking is the same (seed "
        f"{found['mean'].seed})."
    )
    if not assigned:
        words += f" Assignment is left out beyond {MANY_TO_ASSIGN} items in all runs together."
    return {"problem": None, "words": words, "by": {word: _plain(one) for word, one in found.items()}}


def _plain(found: RuleSensitivity) -> dict[str, Any]:
    rows = [
        {
            "rule": row.rule,
            "label": LABELS.get(row.rule, row.rule),
            "values": [None if math.isnan(one.value) else one.value for one in row.values],
            "ranks": list(row.ranks),
            "tau": row.tau,
            "stable": row.stable,
            "changed": [list(pair) for pair in row.changed],
        }
        for row in found.by_rule
    ]
    return {"changes": found.ranking_changes, "rows": rows}
