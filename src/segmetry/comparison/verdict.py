"""One sentence for a comparison: which system is better, by how much, how certain that is, and in how many items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from segmetry.alignments import rule_heading
from segmetry.comparison.systems import listed
from segmetry.metrics import METRICS
from segmetry.results import Cell, counted, p_value
from segmetry.statistics import FEWEST_ITEMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segmetry.comparison.compare_runs import Comparison
    from segmetry.statistics import Difference

SIGNIFICANT = 0.05
"""The largest p value at which a difference is not taken for chance."""


def verdict_sentence(comparison: Comparison, key: str | None = None, average: str | None = None) -> str:
    """Return the sentence on one metric, by default the headline: of two systems, or of the best of several and the
    next.

    >>> import segmetry as sm
    >>> true = {name: [[1, 1, 1, 2]] for name in "abcdef"}
    >>> good = sm.evaluate(true, true, metrics="pq")
    >>> fair = sm.evaluate(true, {**dict.fromkeys(true, [[1, 1, 2, 2]]), "f": true["f"]}, metrics="pq")
    >>> print(*verdict_sentence(sm.compare({"fair": fair, "good": good})).split(" (mean over items) "), sep=chr(10))
    fair and good cannot be told apart with 6 items: good − fair = +0.5556 pq
    (p = 0.0625, too few for an interval); good is better in 5 of 6 items, worse in 0.
    """
    key = key or comparison.headline
    average = average or comparison.averages(key)[0]
    first, second = _two_best(comparison, key, average)
    cell = comparison.cell(key, average)
    row, what = comparison.difference(key, average, first, second), cell.words
    if math.isnan(row.value):
        return f"{first} and {second} cannot be compared by {what}: {row.interval.reason}."
    if comparison.rules:
        return _rules_sentence(comparison, row, cell)
    among = "" if len(comparison.systems) == 2 else f"Of {len(comparison.systems)} systems, "
    items = f"{_items(comparison, key, first, second)}{left_out(row)}."
    if row.value == 0:
        return f"{among}{first} and {second} have the same {what}, {cell.text(row.first_value)}{items}"
    amount = f"{second} − {first} = {cell.text(row.value, sign=True)} {what}{_certain(comparison, row, cell)}{items}"
    if not is_certain(comparison, row):
        return f"{among}{first} and {second} cannot be told apart with {counted(comparison.n_items, 'item')}: {amount}"
    is_second = (row.value < 0) == (METRICS[key].better == "lower")
    better, worse = (second, first) if is_second else (first, second)
    if METRICS[key].better == "neither":
        return f"{among}{first} and {second} differ: {amount}"
    return f"{among}{better} beats {worse}: {amount}"


def left_out(row: Difference, names: Sequence[str] = ()) -> str:
    """Return what a difference leaves out, as only one system has a value there; nothing where both have all.

    ``names`` are what the two systems are called, where it is not by their names.
    """
    both = zip(names or (row.first, row.second), (row.first_lacks, row.second_lacks), strict=True)
    parts = [f"{listed(lacks)} (no value of {name})" for name, lacks in both if lacks]
    return f"; the difference leaves out {' and '.join(parts)}" if parts else ""


def is_certain(comparison: Comparison, row: Difference) -> bool:
    """Return whether the interval and the test, corrected for the number of pairs, agree that it is not chance."""
    ends, p = row.interval.best, comparison.p_of(row)
    return ends is not None and not ends[0] <= 0 <= ends[1] and p is not None and p < SIGNIFICANT


def _certain(comparison: Comparison, row: Difference, cell: Cell) -> str:
    p = comparison.p_of(row)
    found = [] if p is None else [f"p {'< 1e-4' if p < 1e-4 else f'= {p_value(p)}'}"]
    if comparison.n_items < FEWEST_ITEMS:
        found.append("too few for an interval")
    elif row.interval.best is not None:
        found.insert(0, cell.span(row.interval.best, sign=True))
    return f" ({', '.join(found)})" if found else ""


def _rules_sentence(comparison: Comparison, row: Difference, cell: Cell) -> str:
    """Return the sentence on two rules: what the second adds to the value of the first, and whether that is chance."""
    rules, what = dict(zip(comparison.systems, map(rule_heading, comparison.rules), strict=True)), cell.words
    if row.value == 0:
        return f"{what} is the same under {rules[row.first]} and {rules[row.second]}: {cell.text(row.first_value)}."
    certain = _certain(comparison, row, cell)
    if is_certain(comparison, row):
        word = "higher" if row.value > 0 else "lower"
        amount = f"{cell.text(abs(row.value))} {word}"
        return f"{what} is {amount} under {rules[row.second]} than under {rules[row.first]}{certain}."
    both = f"under {rules[row.second]} and under {rules[row.first]}"
    return f"{what} {both} cannot be told apart: {cell.text(row.value, sign=True)}{certain}."


def _two_best(comparison: Comparison, key: str, average: str) -> tuple[str, str]:
    """Return the two best systems in the order of the comparison; undefined values come last."""

    def place(name: str) -> tuple[bool, float]:
        value = comparison.values[name].scores[key][average].value
        return math.isnan(value), value if METRICS[key].better == "lower" else -value

    best = sorted(comparison.systems, key=place)[:2]
    first, second = sorted(best, key=comparison.systems.index)
    return first, second


def _items(comparison: Comparison, key: str, first: str, second: str) -> str:
    found = comparison.difference(key, None, first, second).outcomes
    if found is None:
        return ""
    return f"; {second} is better in {found.won} of {counted(comparison.n_items, 'item')}, worse in {found.lost}"
