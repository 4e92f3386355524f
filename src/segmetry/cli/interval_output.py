"""Confidence intervals in the terminal: ``--interval`` of ``segmetry score`` and ``segmetry info``."""

from __future__ import annotations

from segmetry.cli.screen import Screen
from segmetry.statistics import Intervals


def show_intervals(intervals: Intervals) -> None:
    """Print the intervals and how they were computed, or why there are none."""
    from segmetry.comparison import intervals_table, lower_is_better, undefined_in_intervals

    drawn = intervals.resampling
    how = f"BCa intervals from {drawn.resamples:,} resamples of the items, seed {drawn.rng}."
    lines = [
        lower_is_better(intervals.scores),
        how if intervals.n_items > 1 else "",
        *undefined_in_intervals(intervals),
    ]
    Screen().show([intervals_table(intervals), *filter(None, lines)], below=True)
