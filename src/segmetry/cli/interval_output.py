"""Confidence intervals in the terminal: ``--interval`` of ``segmetry score`` and ``segmetry info``."""

from __future__ import annotations

from segmetry.cli.console import console
from segmetry.statistics.intervals import Intervals


def show_intervals(found: Intervals) -> None:
    """Print the intervals, and how they were drawn; a single item has none, and that is said."""
    from segmetry.outputs.tables.comparison_tables import intervals_table
    from segmetry.outputs.tables.undefined_reasons import lacking_intervals

    screen = console()
    screen.print(intervals_table(found))
    if found.n_items > 1:
        screen.print(f"BCa intervals from {found.resamples:,} resamples of the items, seed {found.seed}.")
    for line in lacking_intervals(found):
        screen.print(line, markup=False)
