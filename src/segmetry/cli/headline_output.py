"""The first number of ``segmetry score``: the value one quotes, with its interval where that takes no time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmetry.metrics import AVERAGES, METRICS
from segmetry.protocols import metric_cell

if TYPE_CHECKING:
    from segmetry.comparison import UnderRule
    from segmetry.results import NumberStyle
    from segmetry.run import Run

FEWEST_ITEMS = 5
"""Items of the smallest run whose interval is shown unasked: resampling fewer says little about other items."""

MOST_ITEMS = 2_000
"""Items of the largest run whose interval is computed unasked."""


def headline_line(under: UnderRule, key: str, numbers: NumberStyle | None = None) -> str | None:
    """Return the value of the headline metric and its interval in words; None for a single item."""
    run = under.run
    if len(run.names) < 2 or key not in under.summary.scores:
        return None
    average, score = next(iter(under.summary.scores[key].items()))
    cell = metric_cell(key, average, numbers)
    heading, place = _protocol_words(run, key) or (key, AVERAGES[average].words)
    words = f"{heading} {cell.text(score.value)}{place and f' ({place})'}"
    ends = _ends(run, key)
    return words if ends is None else f"{words}, 95 % interval {cell.text(ends[0])} to {cell.text(ends[1])}"


def _protocol_words(run: Run, key: str) -> tuple[str, str] | None:
    """Return what the protocol's table calls its headline, and of what it is: the headings of its column and row."""
    table = run.protocol_table()
    if table is None or table.headline is None or key != run.headline:
        return None
    row, column = table.headline
    return (column, row) if len(table.headings) > 2 else (row, "" if column == "value" else column)


def _ends(run: Run, key: str) -> tuple[float, float] | None:
    """Return the interval, as ``--interval`` computes it; None where that would take long, say little or not exist."""
    if METRICS[key].needs != "tally" or not FEWEST_ITEMS <= len(run.names) <= MOST_ITEMS:
        return None
    return run.interval(key).best
