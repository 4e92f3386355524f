"""Numbers as tables print them: a dash where a value is undefined."""

from __future__ import annotations

import math

from segmetry._base.number_text import UNDEFINED, fixed, signed
from segmetry.metrics.declare import METRICS
from segmetry.protocols.table_layout import NumberStyle


def number(value: float | None, key: str | None = None) -> str:
    """Format a value: counts as integers, scores with four decimals.

    >>> number(0.25), number(math.nan), number(12.0, "n_matched"), number(math.inf, "hausdorff")
    ('0.2500', '–', '12', 'inf')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    if key is not None and math.isinf(METRICS[key].bounds[1]) and math.isfinite(value) and value == int(value):
        return f"{int(value)}"
    return fixed(value, 4 if abs(value) < 100 else 1)


def styled(value: float | None, key: str, numbers: NumberStyle | None = None) -> str:
    """Format a value of a metric: counts without decimals, scores in the style of a table, perhaps as percentages.

    >>> styled(0.12345, "pq"), styled(0.12345, "pq", NumberStyle(1, percent=True)), styled(12.0, "n_matched")
    ('0.1235', '12.3', '12')
    >>> styled(-0.00001, "adjusted_rand_index"), styled(2.5, "hausdorff", NumberStyle(1, percent=True))
    ('0.0000', '2.5')
    """
    style = numbers or NumberStyle()
    if value is None or math.isnan(value):
        return UNDEFINED
    if METRICS[key].is_count and value == int(value):
        return f"{int(value)}"
    is_share = METRICS[key].is_rate or max(map(abs, METRICS[key].bounds)) <= 1
    return fixed(100 * value if style.percent and is_share else value, style.decimals)


def compact(value: float | None, sign: str = "") -> str:
    """Format a number in few columns: four decimals below 10, fewer above.

    >>> compact(0.25), compact(-12.3456, "+"), compact(8384.34), compact(math.nan)
    ('0.2500', '-12.35', '8384', '–')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    digits = next((digits for limit, digits in ((10, 4), (100, 2), (1000, 1)) if abs(value) < limit), 0)
    return signed(value, digits) if sign else fixed(value, digits)
