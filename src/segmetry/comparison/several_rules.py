"""A run under several rules, side by side: one row per item and one summary for each rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from segmetry import __version__
from segmetry._base import frozen_dataclass
from segmetry.metrics import METRICS, Scores
from segmetry.run import Run
from segmetry.statistics import Summary


@frozen_dataclass()
class ItemScores:
    """The scores of one item."""

    name: str
    scores: Scores


@frozen_dataclass(eq=False)
class UnderRule:
    """A run under one rule: its summary and the scores of its items.

    ``rule_bound``: only of metrics that depend on the rule.
    """

    run: Run
    summary: Summary
    rule_bound: bool = False

    @cached_property
    def rows(self) -> list[ItemScores]:
        """The scores of every item, which take longer to make than the summary of many items."""
        rows = [ItemScores(name, scores) for name, scores in self.run.item_scores()]
        if not self.rule_bound:
            return rows
        return [replace(row, scores=replace(row.scores, results=_rule_bound(row.scores.results))) for row in rows]


def under_rules(run: Run, rules: Sequence[str], *, partial: bool = False) -> dict[str, UnderRule]:
    """Score a run under each rule; metrics that depend on no rule are listed under the first rule only."""
    first = run.rescore(rules[0])
    result = {first.settings.rule: UnderRule(first, first.summary(partial=partial))}
    if any(metric.depends_on_rule for metric in run.metrics):
        for rule in rules[1:]:
            rescored = run.rescore(rule)
            summary = rescored.summary(partial=partial)
            summary = replace(summary, scores=_rule_bound(summary.scores))
            result[rescored.settings.rule] = UnderRule(rescored, summary, rule_bound=True)
    return result


def document(by_rule: Mapping[str, UnderRule]) -> dict[str, Any]:
    """Return everything as plain data for JSON, in the same shape for one rule and for several (see
    docs/command-line.md).
    """
    first = next(iter(by_rule.values()))
    return {
        "schema": "summary",
        "version": 1,
        "segmetry": __version__,
        "true": first.run.facts.get("true"),
        "pred": first.run.facts.get("pred"),
        "protocol": first.run.settings.protocol,
        "modified": list(first.run.modified),
        "provenance": first.run.provenance(),
        "policy": first.summary.policy,
        "by": first.summary.by,
        "class_names": {str(label): name for label, name in first.run.class_names.items()},
        "table": None if (table := first.run.protocol_table(partial=True)) is None else table.to_dict(),
        "headline": _headline(first.run),
        "n_items": first.summary.n_items,
        "files": {name: {"true": true, "pred": pred} for name, (true, pred) in first.run.files.items()},
        "rules": {
            rule: {
                **{name: result.summary.to_dict()[name] for name in ("scores", "parts", "groups")},
                "items": {row.name: row.scores.to_dict()["scores"] for row in result.rows},
            }
            for rule, result in by_rule.items()
        },
    }


def _headline(run: Run) -> dict[str, Any] | None:
    """Return the value that the first line states: what it is called, where it stands, and how it is printed."""
    value = run.value()
    if value is None:
        return None
    cell = value.cell
    facts = {"name": cell.name, "of": cell.of, "key": cell.metric, "average": cell.average, "unit": cell.unit}
    return {**facts, "value": value.or_none, "text": str(value)}


def _rule_bound(results: Mapping[str, Any]) -> dict[str, Any]:
    return {key: result for key, result in results.items() if METRICS[key].depends_on_rule}
