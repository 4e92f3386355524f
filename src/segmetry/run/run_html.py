"""A run as a small HTML table, for notebooks."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from segmetry.statistics.averages import AVERAGE_HEADINGS, AVERAGES

if TYPE_CHECKING:
    from segmetry.metrics.score import Score
    from segmetry.run.run import Run
    from segmetry.statistics.summary_tables import Aggregated


def run_html(run: Run) -> str:
    """Return the summary of a run; of an unfinished run also how many items are done."""
    done, total = run.n_done, len(run.names)
    words = f"{total} items" if done == total else f"{done} of {total} items done"
    head = f"<p>{escape(f'Run: {words}, rule {run.settings.rule}, policy {run.settings.policy}')}</p>"
    if not done:
        return head
    rows = "".join(
        f"<tr><th>{escape(key)}</th>{_cells(aggregated)}<td>{aggregated.n}</td></tr>"
        for key, aggregated in run.summary(partial=True).scores.items()
    )
    averages = "".join(f"<th>{heading}</th>" for heading in AVERAGE_HEADINGS.values())
    return f"{head}<table><tr><th>metric</th>{averages}<th>items used</th></tr>{rows}</table>"


def _cells(aggregated: Aggregated) -> str:
    return "".join(f"<td>{_cell(getattr(aggregated, average))}</td>" for average in AVERAGES)


def _cell(score: Score | None) -> str:
    return "–" if score is None or math.isnan(score.value) else f"{score.value:.4f}"
