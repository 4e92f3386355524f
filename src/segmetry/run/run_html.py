"""A run as a small HTML table, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from segmetry._base.number_text import fixed
from segmetry.metrics.average import AVERAGES

if TYPE_CHECKING:
    from segmetry.run.run import Run


def run_html(run: Run) -> str:
    """Return the summary of a run; of an unfinished run also how many items are done."""
    done, total = run.n_done, len(run.names)
    words = f"{total} items" if done == total else f"{done} of {total} items done"
    head = f"<p>{escape(f'Run: {words}, rule {run.settings.rule}, policy {run.settings.policy}')}</p>"
    if not done:
        return head
    rows = "".join(
        f"<tr><th>{escape(row['key'])}</th><td>{escape(AVERAGES[row['average']].words)}</td>"
        f"<td>{_cell_text(row['value'])}</td><td>{'' if row['n'] is None else row['n']}</td></tr>"
        for row in run.summary(partial=True).rows()
        if row["level"] == "data set"
    )
    return f"{head}<table><tr><th>metric</th><th>average</th><th>value</th><th>n</th></tr>{rows}</table>"


def _cell_text(value: float | None) -> str:
    return "–" if value is None else fixed(value)
