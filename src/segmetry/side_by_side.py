"""A run under several rules, side by side: one row per item and one summary for each rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from segmetry.aggregate import Summary
from segmetry.dataset import ItemScores
from segmetry.run.run import Run
from segmetry.scores.metric import METRICS


@dataclass(frozen=True)
class UnderRule:
    """What a run says under one rule."""

    rows: list[ItemScores]
    summary: Summary


def under_rules(run: Run, rules: Sequence[str]) -> dict[str, UnderRule]:
    """The run under each rule; what depends on no rule stands under the first one only.

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq,rand_index")
    >>> {rule: list(found.summary.scores) for rule, found in under_rules(run, ["theta_and", "theta_plus"]).items()}
    {'theta_and': ['pq', 'rand_index'], 'theta_plus': ['pq']}
    """
    first = run.rescore(rules[0])
    found = {first.settings.rule: _under(first)}
    if any(metric.depends_on_rule for metric in run.metrics):
        for rule in rules[1:]:
            other = run.rescore(rule)
            found[other.settings.rule] = _rule_bound(_under(other))
    return found


def _under(run: Run) -> UnderRule:
    return UnderRule([ItemScores(*one) for one in run.item_scores()], run.summary())


def _rule_bound(found: UnderRule) -> UnderRule:
    def bound(results: Mapping[str, Any]) -> dict[str, Any]:
        return {key: result for key, result in results.items() if METRICS[key].depends_on_rule}

    rows = [replace(row, scores=replace(row.scores, results=bound(row.scores.results))) for row in found.rows]
    return UnderRule(rows, replace(found.summary, scores=bound(found.summary.scores)))
