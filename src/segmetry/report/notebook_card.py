"""What a notebook shows of a run: the number with its interval, what errors cost, and the worst items."""

from __future__ import annotations

import math
from html import escape

from segmetry.diagnosis import diagnose
from segmetry.errors import SegmetryError
from segmetry.outputs import budget_plot, headline_line, worst_line
from segmetry.results import TIED
from segmetry.run import Run

WORST = 4


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
    try:
        return budget_plot(diagnose(run)).svg
    except SegmetryError:
        return ""
