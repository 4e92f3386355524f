"""Numbers as text: everything that prints one asks here, so that a number looks the same wherever it is shown.

Counts are whole, thousands have commas. Other numbers have four decimals, or those of a :class:`NumberStyle`, and one
from 100 on. What rounds to nothing has no sign, and what is undefined is a dash.
"""

from __future__ import annotations

import math

from segmetry._base import frozen_dataclass

UNDEFINED = "–"
TIED = "\N{NO-BREAK SPACE}"
"""Between a name and its number, which stay on one line."""


@frozen_dataclass()
class NumberStyle:
    """How the numbers of a table are written: decimals, and whether scores of 0 to 1 are written as percentages."""

    decimals: int = 4
    percent: bool = False


def number(value: float | None, decimals: int = 4, *, sign: bool = False, percent: bool = False) -> str:
    """Return a number as text; ``sign`` is for changes, ``percent`` for shares of 1."""
    if value is None or math.isnan(value):
        return UNDEFINED
    if isinstance(value, int):
        text = f"{value:,}"
    elif percent:
        text = f"{100 * value:,.{decimals}f}"
    else:
        text = f"{value:,.{decimals if abs(value) < 100 else min(decimals, 1)}f}"
    if not text.strip("-0."):
        return "0" if sign else text.removeprefix("-")
    return f"+{text}" if sign and value > 0 else text


def signed(value: float | None, decimals: int = 4) -> str:
    """Return a change with its sign."""
    return number(value, decimals, sign=True)


def percent(share: float | None, decimals: int = 1) -> str:
    """Return a share of 1 in per cent."""
    text = number(share, decimals, percent=True)
    return text if text == UNDEFINED else f"{text} %"


def p_value(p: float | None) -> str:
    """Return the p-value of a test."""
    return "<1e-4" if p is not None and p < 0.0001 else number(p)


def shortest(value: float) -> str:
    """Return a number with up to six digits, as in a sentence or a representation."""
    return f"{value or 0.0:.6g}"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
