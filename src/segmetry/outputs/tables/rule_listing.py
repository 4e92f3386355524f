"""Alignment rules as a list and as a page of text, from their declarations; guarantees are computed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from inspect import Parameter
from typing import Any

from segmetry._base import Reference, find_reference
from segmetry.alignments import RULES, MatchRule, RuleDeclaration, as_rule, attains_bound, iou_lower_bound
from segmetry.outputs.tables.metric_explanation import cited, wrapped
from segmetry.results import Entry, ResultTable


def rule_data() -> list[dict[str, Any]]:
    """Return every rule with its parameters, and the guarantees of its examples.

    >>> next(row for row in rule_data() if row["name"] == "theta_and")["examples"]
    [{'rule': 'theta_and', 'one_to_one': True, 'least_iou': '1/3', 'least_iou_included': False}]
    """
    return [
        {
            "name": name,
            "summary": rule.summary,
            "parameters": {
                option: None if default in (None, Parameter.empty) else str(default)
                for option, default in rule.parameters.items()
            },
            "citation": [key.key if isinstance(key, Reference) else key for key in rule.citation],
            "examples": [
                {
                    "rule": example.name,
                    "one_to_one": example.guarantees_one_to_one,
                    "least_iou": str(iou_lower_bound(example, "iou")),
                    "least_iou_included": attains_bound(example, "iou"),
                }
                for example in _examples(rule)
            ],
        }
        for name, rule in RULES.items()
    ]


def rules_listing() -> ResultTable:
    """Return a table of all rules with their papers: how they are written, whether they are one-to-one, the least IoU
    of a pair.
    """
    rows: list[tuple[Entry, ...]] = []
    for name, rule in RULES.items():
        papers = ", ".join(_short(key) for key in rule.citation)
        rows.append((name + (f" ({papers})" if papers else ""),))
        rows += [(f"  {example.name}", _yes_or_no(example), _least_iou(example)) for example in _examples(rule)]
    return ResultTable("alignment rules", ("rule", "one-to-one", "IoU"), rows)


def _short(citation: str | Reference) -> str:
    """Return a paper by authors and year; a citation in plain text as it was declared."""
    paper = find_reference(citation)
    return str(citation) if paper is None else paper.short()


def explain_rule(rule: RuleDeclaration) -> str:
    """Return a page of plain text about one rule.

    >>> print(explain_rule(RULES["theta_plus"]).splitlines()[0])
    theta_plus: alignment rule
    """
    return "\n".join(_lines(rule))


def _lines(rule: RuleDeclaration) -> Iterator[str]:
    yield f"{rule.name}: alignment rule"
    yield ""
    yield from wrapped(rule.summary)
    if rule.parameters:
        yield ""
        yield from wrapped(f"options      {', '.join(rule.parameters)}", 13)
    for example in _examples(rule):
        yield ""
        yield from wrapped(f"  {example.name}", 4)
        yield f"    one-to-one on disjoint segments: {_yes_or_no(example)}; IoU of a pair: {_least_iou(example)}"
    if rule.citation:
        yield ""
    for key in rule.citation:
        yield from wrapped(cited(key), 2)


def _examples(rule: RuleDeclaration) -> list[MatchRule]:
    """Return the rules in writing that were declared, or the rule with its defaults where it needs no more."""
    if rule.examples:
        return [as_rule(example) for example in rule.examples]
    is_complete = not {None, Parameter.empty}.intersection(rule.parameters.values())
    return [rule.make()] if is_complete else []


def _yes_or_no(rule: MatchRule) -> str:
    return "yes" if rule.guarantees_one_to_one else "no"


def _least_iou(rule: MatchRule) -> str:
    least: Fraction = iou_lower_bound(rule, "iou")
    return f"{'≥' if attains_bound(rule, 'iou') else '>'} {least}"
