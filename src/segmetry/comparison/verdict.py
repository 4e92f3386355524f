"""One sentence for a comparison: which system is better, by how much, how certain that is, and in how many items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from segmetry.metrics import AVERAGES, METRICS
from segmetry.protocols import metric_cell
from segmetry.results import span

if TYPE_CHECKING:
    from segmetry.comparison.compare_runs import Comparison


def verdict_sentence(comparison: Comparison, key: str | None = None, average: str | None = None) -> str:
    """Return the sentence on one metric, by default the headline: of two systems, or of the best of several and the
    next.

    >>> import segmetry as sm
    >>> true = {name: [[1, 1, 1, 2]] for name in "abcdef"}
    >>> good = sm.evaluate(true, true, metrics="pq")
    >>> fair = sm.evaluate(true, {**dict.fromkeys(true, [[1, 1, 2, 2]]), "f": true["f"]}, metrics="pq")
    >>> verdict_sentence(sm.compare({"fair": fair, "good": good}))
    'good beats fair by +0.5556 pq (mean over items) (0.2222 to 0.6667); 5 of 6 items better, 0 worse.'
    """
    key = key or comparison.headline
    average = average or comparison.averages(key)[0]
    first, second = _two_best(comparison, key, average)
    cell = metric_cell(key, average)
    row, what = comparison.difference(key, average, first, second), f"{key} ({AVERAGES[average].words})"
    if math.isnan(row.value):
        return f"{first} and {second} cannot be compared by {what}: {row.interval.reason}."
    among = "" if len(comparison.systems) == 2 else f"Of {len(comparison.systems)} systems, "
    is_second = (row.value < 0) == (METRICS[key].better == "lower")
    items = _items(comparison, key, first, second, is_second=is_second)
    if row.value == 0:
        return f"{among}{first} and {second} have the same {what}, {cell.text(row.first_value)}{items}."
    better, worse, sign = (second, first, 1) if is_second else (first, second, -1)
    amount = f"{cell.text(sign * row.value, sign=True)} {what}"
    ends = None if row.interval.best is None else sorted(sign * end for end in row.interval.best)
    if ends is None:
        return f"{among}{better} beats {worse} by {amount}{items}."
    interval = span(ends)
    if ends[0] <= 0 <= ends[1]:
        return f"{among}{better} is ahead of {worse} by {amount}, but the interval includes 0 ({interval}){items}."
    return f"{among}{better} beats {worse} by {amount} ({interval}){items}."


def _two_best(comparison: Comparison, key: str, average: str) -> tuple[str, str]:
    """Return the two best systems in the order of the comparison; undefined values come last."""

    def place(name: str) -> tuple[bool, float]:
        value = comparison.values[name].scores[key][average].value
        return math.isnan(value), value if METRICS[key].better == "lower" else -value

    best = sorted(comparison.systems, key=place)[:2]
    first, second = sorted(best, key=comparison.systems.index)
    return first, second


def _items(comparison: Comparison, key: str, first: str, second: str, *, is_second: bool) -> str:
    outcomes = comparison.difference(key, None, first, second).outcomes
    if outcomes is None:
        return ""
    won, lost = (outcomes.won, outcomes.lost) if is_second else (outcomes.lost, outcomes.won)
    return f"; {won} of {comparison.n_items} items better, {lost} worse"
