"""Display names of alignment rules: a symbol for text, a heading for tables and charts."""

from __future__ import annotations

import re

SYMBOLS = {"theta_and": "θ&", "theta_plus": "θ⁺"}
HEADINGS = {"theta_and": "majority overlap (θ&)", "theta_plus": "IoU > 0.5 (θ⁺)"}
WORDS = {"iou": "IoU", "dice": "Dice", "above": ">", "at_least": "≥"}
_THRESHOLD = re.compile(r"(?P<weight>iou|dice)\((?P<option>above|at_least)=(?P<value>[0-9/]+)\)")

_ASSIGNMENT = re.compile(r"maximum_weight\(weight=(?P<weight>iou|dice),(?P<option>above|at_least)=(?P<value>[0-9/]+)\)")


def rule_symbol(rule: str) -> str:
    """Return the symbol of a rule, or its name if it has none.

    >>> rule_symbol("theta_and"), rule_symbol("iou(above=3/4)")
    ('θ&', 'iou(above=3/4)')
    """
    return SYMBOLS.get(rule, rule)


def rule_heading(rule: str) -> str:
    """Return the heading of a rule, or its name if it has none.

    >>> rule_heading("theta_and"), rule_heading("iou(at_least=3/4)"), rule_heading("largest_overlap")
    ('majority overlap (θ&)', 'IoU ≥ 3/4', 'largest_overlap')
    >>> rule_heading("maximum_weight(weight=iou,above=0)"), rule_heading("maximum_weight(weight=dice,above=1/2)")
    ('best assignment, IoU', 'best assignment, Dice > 1/2')
    """
    match = _THRESHOLD.fullmatch(rule)
    if match is not None:
        return f"{WORDS[match['weight']]} {WORDS[match['option']]} {match['value']}"
    match = _ASSIGNMENT.fullmatch(rule)
    if match is not None:
        bound = "" if match["value"] == "0" else f" {WORDS[match['option']]} {match['value']}"
        return f"best assignment, {WORDS[match['weight']]}{bound}"
    return HEADINGS.get(rule, rule)
