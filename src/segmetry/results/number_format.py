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
    """Return a number as text; ``sign`` is for changes, ``percent`` for shares of 1.

    >>> number(0.25), number(-0.00001), number(1250.25), number(3), number(1200), number(None), number(math.inf)
    ('0.2500', '0.0000', '1,250.2', '3', '1,200', '–', 'inf')
    >>> number(0.25, sign=True), number(-0.5, 3, sign=True), number(-0.00001, sign=True), number(1.0, 1, percent=True)
    ('+0.2500', '-0.500', '0', '100.0')
    """
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
    """Return a change with its sign.

    >>> signed(0.25), signed(-1e-9)
    ('+0.2500', '0')
    """
    return number(value, decimals, sign=True)


def percent(share: float | None, decimals: int = 1) -> str:
    """Return a share of 1 in per cent.

    >>> percent(0.125), percent(None)
    ('12.5 %', '–')
    """
    text = number(share, decimals, percent=True)
    return text if text == UNDEFINED else f"{text} %"


def p_value(p: float | None) -> str:
    """Return the p-value of a test.

    >>> p_value(0.03), p_value(0.00001), p_value(None)
    ('0.0300', '<1e-4', '–')
    """
    return "<1e-4" if p is not None and p < 0.0001 else number(p)


def shortest(value: float) -> str:
    """Return a number with up to six digits, as in a sentence or a representation.

    >>> shortest(1 / 3), shortest(2.0), shortest(-0.0)
    ('0.333333', '2', '0')
    """
    return f"{value or 0.0:.6g}"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "item"), counted(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
