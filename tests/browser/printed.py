"""Numbers as the page writes them."""

from __future__ import annotations

import math
from collections.abc import Callable

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.results import number_format as numbers


def number(value: float | None, key: str | None = None) -> str:
    """A number with four decimals; whole numbers of a metric without an upper bound have none."""
    is_open = key is not None and math.isinf(METRICS[key].bounds[1])
    if value is not None and is_open and math.isfinite(value) and value == int(value):
        return f"{int(value):,}"
    return numbers.number(None if value is None else float(value))


def numbers_of(run: sm.Run) -> Callable[..., str]:
    """What writes numbers as the page of a run does: scores in the unit of its protocol."""
    cell = run.cell()

    def text(value: float | None, key: str | None = None) -> str:
        is_share = key is None or METRICS[key].bounds[1] == 1
        return cell.text(value) if cell.unit == "percent" and is_share else number(value, key)

    return text
