"""What a notebook shows of a run: the number with its interval, what errors cost, the worst items, and the table."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from segmetry.errors import SegmetryError
from segmetry.outputs.tables.score_tables import worst_line
from segmetry.results import TIED

if TYPE_CHECKING:
    from segmetry.results import NumberStyle
    from segmetry.run import Run

WORST = 4


def headline_line(run: Run, numbers: NumberStyle | None = None) -> str | None:
    """Return the headline of a run and its interval in words, in the digits that it leaves; None for a single item."""
    value, n = run.value(numbers=numbers), len(run.names)
    if n < 2 or value is None:
        return None
    cell, ends, certain = value.cell, None, "; --interval computes its interval"
    if run.is_quickly_resampled:
        interval = run.headline_interval()
        ends, certain = interval.best, f"; no interval: {interval.reason}"
    if ends is not None:
        certain = f", 95 % interval {' to '.join(cell.text(end, ends=ends) for end in ends)}"
    place = f" ({cell.of})" if cell.of else ""
    return f"{cell.name} {cell.text(value.value, ends=ends)}{place}{certain}"


def run_card(run: Run) -> str:
    """Return the card of a finished run as HTML; the numbers have the digits of the terminal."""
    cell = run.cell()
    value = run.value()
    headline = headline_line(run) or (f"{cell.name} {cell.text(value.value)}" if value is not None else "")
    listed = [(name, score) for name, score in run.data.worst_first(cell.metric).items() if not math.isnan(score)]
    worst = worst_line("items", cell, listed[:WORST]) if len(listed) > 1 else ""
    lines = [f'<p style="font-size:1.4em;margin:0"><b>{escape(headline.partition(";")[0])}</b></p>']
    lines += [f"<p>{escape(worst.replace(TIED, ' '))}</p>"] if worst else []
    return f"{''.join(lines)}{_waterfall(run)}"


def _waterfall(run: Run) -> str:
    """Return what every kind of error costs; nothing of one item, or where that takes long or is another question."""
    if run.cell().metric != "pq" or len(run.names) < 2 or not run.is_quickly_resampled:
        return ""
    from segmetry.diagnosis import diagnose
    from segmetry.outputs.plots.budget_plot import budget_plot

    try:
        return budget_plot(diagnose(run)).svg
    except SegmetryError:
        return ""
