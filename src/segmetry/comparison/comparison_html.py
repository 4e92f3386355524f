"""A comparison as a small HTML table, for notebooks."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segmetry.comparison.compare import Comparison
    from segmetry.statistics.difference import Difference

HEAD = ("metric", "aggregation", "first", "second", "difference", "interval", "p (Holm)", "won / tied / lost")


def comparison_html(found: Comparison) -> str:
    """The differences of the data set, one row per metric and pair of systems."""
    words = (
        f"{', '.join(found.systems)}: {found.n_items} items, rule {found.rule}, policy {found.policy}, "
        f"{100 * found.level:g} % intervals, {found.resamples} resamples, seed {found.seed}"
    )
    head = "".join(f"<th>{word}</th>" for word in HEAD)
    rows = "".join(f"<tr>{_cells(one)}</tr>" for one in found.differences if one.level == "data set")
    return f"<p>{escape(words)}</p><table><tr>{head}</tr>{rows}</table>"


def _cells(one: Difference) -> str:
    best, items = one.interval.best, one.outcomes
    cells = [
        one.key,
        one.aggregation,
        f"{one.first} {_number(one.first_value)}",
        f"{one.second} {_number(one.second_value)}",
        _number(one.value, "+"),
        "–" if best is None else f"{best[0]:+.4f} to {best[1]:+.4f}",
        "–" if one.p_holm is None else f"{one.p_holm:.4f}",
        "–" if items is None else f"{items.won} / {items.tied} / {items.lost}",
    ]
    return "".join(f"<td>{escape(cell)}</td>" for cell in cells)


def _number(value: float, sign: str = "") -> str:
    return "–" if math.isnan(value) else f"{value:{sign}.4f}"
