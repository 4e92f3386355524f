"""Display names of alignment rules: a symbol for text, a heading for tables and charts."""

from __future__ import annotations

SYMBOLS = {"theta_and": "θ&", "theta_plus": "θ⁺"}
HEADINGS = {"theta_and": "majority overlap (θ&)", "theta_plus": "IoU > 0.5 (θ⁺)"}


def rule_symbol(rule: str) -> str:
    """Return the symbol of a rule, or its name if it has none.

    >>> rule_symbol("theta_and"), rule_symbol("iou(above=3/4)")
    ('θ&', 'iou(above=3/4)')
    """
    return SYMBOLS.get(rule, rule)


def rule_heading(rule: str) -> str:
    """Return the heading of a rule, or its name if it has none.

    >>> rule_heading("theta_and"), rule_heading("iou(above=3/4)")
    ('majority overlap (θ&)', 'iou(above=3/4)')
    """
    return HEADINGS.get(rule, rule)
