"""Confidence intervals in the terminal: ``--interval`` of ``segmetry score`` and ``segmetry info``."""

from __future__ import annotations

from segmetry.cli.console import console
from segmetry.run.run import Run
from segmetry.statistics.averages import Average
from segmetry.statistics.intervals import Intervals


def show_intervals(intervals: Intervals, headline: Average | None) -> None:
    """Print the intervals, those of the headline's average first, and how they were computed, or why there are none."""
    from segmetry.outputs.tables.comparison_tables import intervals_table
    from segmetry.outputs.tables.direction_words import lower_is_better
    from segmetry.outputs.tables.undefined_reasons import undefined_in_intervals

    screen = console()
    screen.print(intervals_table(intervals, headline))
    if lower := lower_is_better(intervals.scores):
        screen.print(lower)
    if intervals.n_items > 1:
        screen.print(f"BCa intervals from {intervals.resamples:,} resamples of the items, seed {intervals.seed}.")
    for line in undefined_in_intervals(intervals):
        screen.print(line, markup=False)


def headline_average(run: Run) -> Average | None:
    """Return the average of the headline of a run's protocol; None without a protocol."""
    return None if run.protocol is None else run.protocol.headline.average
