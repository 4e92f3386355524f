"""Display names of alignment rules: a symbol for text, a heading for tables and charts."""

from __future__ import annotations

import re

SYMBOLS = {"theta_and": "θ&", "theta_plus": "θ⁺"}
HEADINGS = {"theta_and": "majority overlap (θ&)", "theta_plus": "IoU > 0.5 (θ⁺)"}
WORDS = {"iou": "IoU", "dice": "Dice", "above": ">", "at_least": "≥"}
_THRESHOLD = re.compile(r"(?P<weight>iou|dice)\((?P<option>above|at_least)=(?P<value>[0-9/]+)\)")

_ASSIGNMENT = re.compile(r"maximum_weight\(weight=(?P<weight>iou|dice),(?P<option>above|at_least)=(?P<value>[0-9/]+)\)")


def rule_symbol(rule: str) -> str:
    """Return the symbol of a rule, or its name if it has none."""
    return SYMBOLS.get(rule, rule)


def rule_heading(rule: str) -> str:
    """Return the heading of a rule, or its name if it has none."""
    match = _THRESHOLD.fullmatch(rule)
    if match is not None:
        return f"{WORDS[match['weight']]} {WORDS[match['option']]} {match['value']}"
    match = _ASSIGNMENT.fullmatch(rule)
    if match is not None:
        bound = "" if match["value"] == "0" else f" {WORDS[match['option']]} {match['value']}"
        return f"best assignment, {WORDS[match['weight']]}{bound}"
    return HEADINGS.get(rule, rule)
