"""Numbers as text: everything that prints one asks here, so that a number looks the same wherever it is shown."""

from __future__ import annotations

import math

UNDEFINED = "–"


def fixed(value: float | None, decimals: int = 4) -> str:
    """Format a number with decimals; what rounds to nothing has no sign, and what is undefined is a dash.

    >>> fixed(0.25), fixed(-0.00001), fixed(2, 1), fixed(None), fixed(math.nan)
    ('0.2500', '0.0000', '2.0', '–', '–')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def signed(value: float | None, decimals: int = 4) -> str:
    """Format a change with its sign; what rounds to nothing is 0.

    >>> signed(0.25), signed(-0.5, 3), signed(-0.00001), signed(math.nan)
    ('+0.2500', '-0.500', '0', '–')
    """
    text = fixed(value, decimals)
    if text == UNDEFINED or text.startswith("-"):
        return text
    return f"+{text}" if float(text) else "0"


def shortest(value: float) -> str:
    """Format a number with up to six digits, as for a value in a sentence.

    >>> shortest(1 / 3), shortest(2.0), shortest(-0.0)
    ('0.333333', '2', '0')
    """
    return f"{value or 0.0:.6g}"


def percent(share: float | None, decimals: int = 1) -> str:
    """Format a share of 1.

    >>> percent(0.125), percent(None)
    ('12.5 %', '–')
    """
    return UNDEFINED if share is None else f"{fixed(100 * share, decimals)} %"
