"""The headline of a run with its interval in one line, as the terminal and a notebook show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segmetry.results import NumberStyle
    from segmetry.run import Run


def headline_line(run: Run, numbers: NumberStyle | None = None) -> str | None:
    """Return the headline of a run and its interval in words, in the digits that it leaves; None for a single item."""
    value, n = run.value(numbers=numbers), len(run.names)
    if n < 2 or value is None:
        return None
    cell, ends, certain = value.cell, None, "; --interval computes its interval"
    if run.is_quickly_resampled:
        interval = run.headline_interval()
        ends, certain = interval.best, f"; no interval: {interval.reason}"
    if ends is not None:
        certain = f", 95 % interval {' to '.join(cell.text(end, ends=ends) for end in ends)}"
    place = f" ({cell.of})" if cell.of else ""
    return f"{cell.name} {cell.text(value.value, ends=ends)}{place}{certain}"
