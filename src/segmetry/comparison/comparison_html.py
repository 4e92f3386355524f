"""A comparison as a small HTML table, for notebooks."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from segmetry._base.number_text import signed
from segmetry.alignments.rule_labels import rule_heading
from segmetry.metrics.average import AVERAGES
from segmetry.statistics.difference import p_value_text

if TYPE_CHECKING:
    from segmetry.comparison.compare import Comparison
    from segmetry.statistics.difference import Difference

HEAD = ("metric", "average", "first", "second", "difference", "interval", "p (Holm)", "won / tied / lost")


def comparison_html(comparison: Comparison) -> str:
    """Return a table of the differences of the data set, one row per metric and pair of systems."""
    words = (
        f"{', '.join(comparison.systems)}: {comparison.n_items} items, {rule_heading(comparison.rule)}, "
        f"policy {comparison.policy}, {100 * comparison.level:g} % intervals, {comparison.resamples} resamples, "
        f"seed {comparison.seed}"
    )
    head = "".join(f"<th>{word}</th>" for word in HEAD)
    rows = "".join(
        f"<tr>{_cells(difference)}</tr>" for difference in comparison.differences if difference.level == "data set"
    )
    return f"<p>{escape(words)}</p><table><tr>{head}</tr>{rows}</table>"


def _cells(difference: Difference) -> str:
    best, items = difference.interval.best, difference.outcomes
    cells = [
        difference.key,
        AVERAGES[difference.average].words,
        f"{difference.first} {_number(difference.first_value)}",
        f"{difference.second} {_number(difference.second_value)}",
        _number(difference.value, "+"),
        "–" if best is None else f"{signed(best[0])} to {signed(best[1])}",
        p_value_text(difference.p_holm),
        "–" if items is None else f"{items.won} / {items.tied} / {items.lost}",
    ]
    return "".join(f"<td>{escape(cell)}</td>" for cell in cells)


def _number(value: float, sign: str = "") -> str:
    return "–" if math.isnan(value) else f"{value:{sign}.4f}"
