"""Several runs for the page: the values of every run with intervals, and the paired differences, as Python compares
them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from segmetry.comparison.compare import Comparison, compare
from segmetry.report.interval_data import HEADLINE, resamples_for
from segmetry.report.ranking_data import ranking_facts
from segmetry.run.run import Run
from segmetry.statistics.bootstrap import Interval

ROW = ("first", "second", "key", "aggregation", "difference", "p", "p_holm", "won", "tied", "lost", "detectable")


def comparison_facts(runs: Sequence[Run]) -> dict[str, Any] | None:
    """The comparison under θ&, θ⁺ and the rule of the runs; None for one run. Runs that cannot be compared are an
    error.
    """
    if len(runs) < 2:
        return None
    common = [key for key in HEADLINE if all(key in run.summary().scores for run in runs)] or None
    rules = dict.fromkeys((runs[0].settings.rule, "theta_and", "theta_plus"))
    resamples = resamples_for(runs[0])
    # The first is compared as it is, so that runs scored under different rules are refused.
    found = {
        rule: compare(*runs, metrics=common, resamples=resamples, rule=rule if at else None)
        for at, rule in enumerate(rules)
    }
    first = next(iter(found.values()))
    return {
        "systems": list(first.systems),
        "keys": list(first.values[first.systems[0]].scores),
        "words": f"Differences go from the first to the second run, with 95 % bootstrap intervals ({resamples} "
        f"resamples, seed {first.seed}); p is that of a paired permutation test, corrected by Holm for several pairs. "
        "detect is the smallest difference that these items find with 80 % power.",
        "by_rule": {rule: _plain(one) for rule, one in found.items()},
        "ranking": ranking_facts(runs),
    }


def _plain(found: Comparison) -> dict[str, Any]:
    values = {
        name: {
            key: {"mean": _value(pair.mean), "pooled": None if pair.pooled is None else _value(pair.pooled)}
            for key, pair in of_run.scores.items()
        }
        for name, of_run in found.values.items()
    }
    differences = [
        {name: one.as_row()[name] for name in ROW} | _ends(one.interval)
        for one in found.differences
        if one.level == "data set"
    ]
    return {"values": values, "differences": differences}


def _value(found: Interval) -> dict[str, Any]:
    return {"value": None if math.isnan(found.value) else found.value} | _ends(found)


def _ends(found: Interval) -> dict[str, Any]:
    low, high = found.best or (None, None)
    return {"low": low, "high": high}
