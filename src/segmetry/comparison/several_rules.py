"""A run under several rules, side by side: one row per item and one summary for each rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from segmetry import __version__
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score_many import Scores
from segmetry.run.run import Run
from segmetry.statistics.summary_tables import Summary


@dataclass(frozen=True)
class ItemScores:
    """The scores of one item."""

    name: str
    scores: Scores


@dataclass(frozen=True)
class UnderRule:
    """What a run says under one rule."""

    run: Run
    rows: list[ItemScores]
    summary: Summary


def under_rules(run: Run, rules: Sequence[str], *, partial: bool = False) -> dict[str, UnderRule]:
    """The run under each rule; what depends on no rule stands under the first one only.

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq,rand_index")
    >>> {rule: list(found.summary.scores) for rule, found in under_rules(run, ["theta_and", "theta_plus"]).items()}
    {'theta_and': ['pq', 'rand_index'], 'theta_plus': ['pq']}
    """
    first = run.rescore(rules[0])
    found = {first.settings.rule: _under(first, partial=partial)}
    if any(metric.depends_on_rule for metric in run.metrics):
        for rule in rules[1:]:
            other = run.rescore(rule)
            found[other.settings.rule] = _rule_bound(_under(other, partial=partial))
    return found


def document(found: Mapping[str, UnderRule]) -> dict[str, Any]:
    """Everything as plain data for JSON, in one shape for one rule and for several (see docs/command-line.md)."""
    first = next(iter(found.values()))
    return {
        "segmetry": __version__,
        "true": first.run.facts.get("true"),
        "pred": first.run.facts.get("pred"),
        "policy": first.summary.policy,
        "by": first.summary.by,
        "class_names": {str(one): name for one, name in first.run.class_names.items()},
        "n_items": first.summary.n_items,
        "rules": {
            rule: {
                **{name: one.summary.as_dict()[name] for name in ("scores", "parts", "groups")},
                "items": {row.name: row.scores.as_dict()["scores"] for row in one.rows},
            }
            for rule, one in found.items()
        },
    }


def _under(run: Run, *, partial: bool) -> UnderRule:
    return UnderRule(run, [ItemScores(name, one) for name, one, _ in run.item_scores()], run.summary(partial=partial))


def _rule_bound(found: UnderRule) -> UnderRule:
    def bound(results: Mapping[str, Any]) -> dict[str, Any]:
        return {key: result for key, result in results.items() if METRICS[key].depends_on_rule}

    rows = [replace(row, scores=replace(row.scores, results=bound(row.scores.results))) for row in found.rows]
    return replace(found, rows=rows, summary=replace(found.summary, scores=bound(found.summary.scores)))
