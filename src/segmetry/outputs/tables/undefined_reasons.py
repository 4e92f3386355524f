"""Why a table has dashes: undefined values and values without an interval, in one line per reason."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from segmetry.alignments.rule_labels import rule_symbol
from segmetry.metrics.average import AVERAGES
from segmetry.outputs.tables.comparison_tables import labels

if TYPE_CHECKING:
    from segmetry.comparison.compare import Comparison
    from segmetry.comparison.rule_sensitivity import RuleSensitivity
    from segmetry.statistics.bootstrap import Interval
    from segmetry.statistics.intervals import Intervals

ONE_ITEM = "Only one item: nothing to resample, so no intervals."


def undefined_in_intervals(intervals: Intervals) -> Iterator[str]:
    """Yield the reasons for undefined values of one run."""
    yield from _lines(_values(intervals, intervals.scores, ""), intervals.n_items)


def undefined_in_comparison(comparison: Comparison, keys: Collection[str]) -> Iterator[str]:
    """Yield the reasons for undefined metrics of systems, and then of their differences."""
    listed: list[tuple[str, Interval]] = []
    for at, name in enumerate(comparison.systems):
        listed += _values(comparison.values[name], keys, f"{labels(comparison.systems)[at]} ")
    for row in comparison.differences:
        if row.level == "data set" and row.key in keys and not math.isnan(row.value):
            pair = [labels(comparison.systems)[comparison.systems.index(name)] for name in (row.second, row.first)]
            listed.append((f"{' − '.join(pair)} {row.key} ({AVERAGES[row.average].words})", row.interval))
    yield from _lines(listed, comparison.n_items)


def undefined_under_rules(sensitivity: RuleSensitivity) -> Iterator[str]:
    """Yield the reasons for undefined values of systems under several rules."""
    listed = [
        (f"{labels(sensitivity.systems)[at]} under {rule_symbol(row.rule)}", value)
        for at in range(len(sensitivity.systems))
        for row in sensitivity.by_rule
        for value in [row.values[at]]
    ]
    yield from _lines(listed, sensitivity.n_items)


def _values(intervals: Intervals, keys: Iterable[str], prefix: str) -> list[tuple[str, Interval]]:
    return [
        (f"{prefix}{key} ({AVERAGES[average].words})", value)
        for key in keys
        for average, value in intervals.scores[key].items()
    ]


def _lines(listed: Iterable[tuple[str, Interval]], n_items: int) -> Iterator[str]:
    """Yield one line per reason, in order of first occurrence."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for label, value in listed:
        if math.isnan(value.value):
            reasons.setdefault(("No value", value.reason or "undefined"), []).append(label)
        elif value.best is None and n_items > 1:
            reasons.setdefault(("No interval", value.reason or "undefined"), []).append(label)
    if n_items == 1:
        yield ONE_ITEM
    for (problem, reason), values in reasons.items():
        yield f"{problem}, {reason}: {', '.join(values)}"
