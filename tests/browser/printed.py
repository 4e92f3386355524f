"""Numbers as the page writes them."""

from __future__ import annotations

import math

from segmetry.metrics.declare import METRICS
from segmetry.results import number_format as numbers


def number(value: float | None, key: str | None = None) -> str:
    """A number with four decimals; whole numbers of a metric without an upper bound have none."""
    is_open = key is not None and math.isinf(METRICS[key].bounds[1])
    if value is not None and is_open and math.isfinite(value) and value == int(value):
        return str(int(value))
    return numbers.number(None if value is None else float(value))
