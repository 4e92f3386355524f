"""The comparison of runs on the page: values with intervals, and paired differences, computed in Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from segmetry.comparison.compare import Comparison, compare
from segmetry.report.interval_data import HEADLINE, resamples_for
from segmetry.report.ranking_data import ranking_facts
from segmetry.run.run import Run
from segmetry.statistics.bootstrap import Interval

ROW = ("first", "second", "key", "average", "difference", "p", "p_holm", "won", "tied", "lost", "detectable")


def comparison_facts(runs: Sequence[Run]) -> dict[str, Any] | None:
    """Return the comparison under θ⁺, θ& and the rule of the runs; None for one run."""
    if len(runs) < 2:
        return None
    common = [key for key in HEADLINE if all(key in run.summary().scores for run in runs)] or None
    rules = dict.fromkeys((runs[0].settings.rule, "theta_plus", "theta_and"))
    resamples = resamples_for(runs[0])
    # Under the first rule runs are not rescored, so that runs scored under different rules are an error.
    by_rule = {
        rule: compare(*runs, metrics=common, resamples=resamples, rule=rule if at else None)
        for at, rule in enumerate(rules)
    }
    first = next(iter(by_rule.values()))
    return {
        "systems": list(first.systems),
        "keys": list(first.values[first.systems[0]].scores),
        "words": f"Differences go from the first to the second run, with 95 % bootstrap intervals ({resamples} "
        f"resamples, seed {first.seed}); p is that of a paired permutation test, corrected by Holm for several pairs. "
        "detect is the smallest difference that these items detect with 80 % power.",
        "by_rule": {rule: _plain(comparison) for rule, comparison in by_rule.items()},
        "ranking": ranking_facts(runs),
    }


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
