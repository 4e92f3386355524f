"""The first number of ``segmetry score``: the value one quotes, with its interval where that takes no time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmetry.metrics.average import AVERAGES
from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.number_format import styled

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
    average, score = next(iter(under.summary.scores[key].items()))
    heading, place = _protocol_words(run, key, score.value) or (key, AVERAGES[average].words)
    words = f"{heading} {styled(score.value, key, numbers)}{place and f' ({place})'}"
    ends = _ends(run, key)
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
    place = table.place_of(key, value)
    if place is None:
        return None
    row, heading = place
    if len(table.headings) > 1:
        return heading, row.heading
    return row.heading, "" if heading == "value" else heading


def _ends(run: Run, key: str) -> tuple[float, float] | None:
    """Return the interval, as ``--interval`` computes it; None where that would take long, say little or not exist."""
    if METRICS[key].needs != "tally" or not FEWEST_ITEMS <= len(run.names) <= MOST_ITEMS:
        return None
    return run.interval(key).best
