"""The first number of ``segmetry score``: the value one quotes, with its interval where that takes no time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from segmetry.comparison.gates import usual_average
from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.number_format import styled
from segmetry.statistics.averages import AVERAGE_HEADINGS, AVERAGES, Average

if TYPE_CHECKING:
    from segmetry.comparison.several_rules import UnderRule
    from segmetry.protocols.table_layout import NumberStyle
    from segmetry.run.run import Run

FEWEST_ITEMS = 5
"""Items of the smallest run whose interval is shown unasked: resampling fewer says little about other items."""

MOST_ITEMS = 2_000
"""Items of the largest run whose interval is computed unasked."""


def headline_line(under: UnderRule, key: str, numbers: NumberStyle | None = None) -> str | None:
    """Return the value of the headline metric and its interval in words; None for a single item."""
    run = under.run
    if len(run.names) < 2 or key not in under.summary.scores:
        return None
    aggregated = under.summary.scores[key]
    available: list[Average] = [name for name in AVERAGES if getattr(aggregated, name) is not None]
    average = usual_average(key, available, None if run.protocol is None else run.protocol.headline)
    value = getattr(aggregated, average).value
    heading, place = _protocol_words(run, key, value) or (key, AVERAGE_HEADINGS[average])
    words = f"{heading} {styled(value, key, numbers)}{place and f' ({place})'}"
    ends = _ends(run, key, average)
    if ends is None:
        return words
    low, high = (styled(end, key, numbers) for end in ends)
    return f"{words}, 95 % interval {low} to {high}"


def _protocol_words(run: Run, key: str, value: float) -> tuple[str, str] | None:
    """Return what the protocol's table calls its headline, and of what it is: the headings of its column and row."""
    protocol = run.protocol
    table = run.protocol_table()
    if protocol is None or table is None or key != protocol.headline.key:
        return None
    for row in table.rows:
        for heading, cell in zip(table.headings, row.cells, strict=True):
            if cell is None or not cell.is_score or (cell.key, cell.value) != (key, value):
                continue
            if len(table.headings) > 1:
                return heading, row.heading
            return row.heading, "" if heading == "value" else heading
    return None


def _ends(run: Run, key: str, average: Average) -> tuple[float, float] | None:
    """Return the interval, as ``--interval`` computes it; None where that would take long, say little or not exist."""
    if METRICS[key].needs != "tally" or not FEWEST_ITEMS <= len(run.names) <= MOST_ITEMS:
        return None
    from segmetry.statistics.intervals import intervals_of_columns
    from segmetry.statistics.summary import summarise_columns

    columns, averaging = replace(run.columns, accumulated={}, scores={}), run.averaging()
    summary = summarise_columns(columns, metrics=[key], **averaging)
    interval = getattr(intervals_of_columns(columns, summary, parts=False, **averaging).scores[key], average)
    return None if interval is None else interval.best
