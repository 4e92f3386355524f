"""A run as a small HTML table, for notebooks."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segmetry.metrics.score import Score
    from segmetry.run.run import Run


def run_html(run: Run) -> str:
    """Return the summary of a run; of an unfinished run also how many items are done."""
    done, total = run.n_done, len(run.names)
    words = f"{total} items" if done == total else f"{done} of {total} items done"
    head = f"<p>{escape(f'Run: {words}, rule {run.settings.rule}, policy {run.settings.policy}')}</p>"
    if not done:
        return head
    rows = "".join(
        f"<tr><th>{escape(key)}</th><td>{_cell(aggregated.mean)}</td><td>{_cell(aggregated.pooled)}</td><td>{aggregated.n}</td></tr>"
        for key, aggregated in run.summary(partial=True).scores.items()
    )
    return f"{head}<table><tr><th>metric</th><th>mean</th><th>pooled</th><th>items used</th></tr>{rows}</table>"


def _cell(score: Score | None) -> str:
    return "–" if score is None or math.isnan(score.value) else f"{score.value:.4f}"
