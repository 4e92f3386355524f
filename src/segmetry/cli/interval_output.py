"""Confidence intervals in the terminal: ``--interval`` of ``segmetry score`` and ``segmetry info``."""

from __future__ import annotations

from segmetry.cli.console import console
from segmetry.statistics.intervals import Intervals


def show_intervals(intervals: Intervals) -> None:
    """Print the intervals and how they were computed, or why there are none."""
    from segmetry.outputs.tables.comparison_tables import intervals_table
    from segmetry.outputs.tables.direction_words import lower_is_better
    from segmetry.outputs.tables.undefined_reasons import undefined_in_intervals

    screen = console()
    screen.print(intervals_table(intervals))
    if lower := lower_is_better(intervals.scores):
        screen.print(lower)
    if intervals.n_items > 1:
        drawn = intervals.resampling
        screen.print(f"BCa intervals from {drawn.resamples:,} resamples of the items, seed {drawn.rng}.")
    for line in undefined_in_intervals(intervals):
        screen.print(line, markup=False)
