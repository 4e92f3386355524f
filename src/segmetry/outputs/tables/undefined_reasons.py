"""Why a table has dashes: values that are undefined, and values without an interval, in one line per reason."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from segmetry.outputs.tables.comparison_tables import letter
from segmetry.outputs.tables.score_tables import short_rule

if TYPE_CHECKING:
    from segmetry.comparison.compare import Comparison
    from segmetry.comparison.rule_sensitivity import RuleSensitivity
    from segmetry.statistics.bootstrap import Interval
    from segmetry.statistics.intervals import Intervals

ONE_ITEM = "One item only: there is nothing to resample, so no intervals."


def lacking_intervals(found: Intervals) -> Iterator[str]:
    """What the values of one run lack."""
    yield from _told(_values(found, found.scores, ""), found.n_items)


def lacking_lines(found: Comparison, keys: Collection[str]) -> Iterator[str]:
    """What the systems of a comparison lack in some metrics, and then their differences."""
    listed: list[tuple[str, Interval]] = []
    for at, name in enumerate(found.systems):
        listed += _values(found.values[name], keys, f"{letter(at)} ")
    for row in found.differences:
        if row.level == "data set" and row.key in keys and not math.isnan(row.value):
            pair = [letter(found.systems.index(name)) for name in (row.second, row.first)]
            listed.append((f"{' − '.join(pair)} {row.aggregation} {row.key}", row.interval))
    yield from _told(listed, found.n_items)


def lacking_under_rules(found: RuleSensitivity) -> Iterator[str]:
    """What systems lack under which rules."""
    listed = [
        (f"{letter(at)} under {short_rule(row.rule)}", value)
        for at in range(len(found.systems))
        for row in found.by_rule
        for value in [row.values[at]]
    ]
    yield from _told(listed, found.n_items)


def _values(found: Intervals, keys: Iterable[str], prefix: str) -> list[tuple[str, Interval]]:
    return [
        (f"{prefix}{word} {key}", value)
        for key in keys
        for word, value in (("mean", found.scores[key].mean), ("pooled", found.scores[key].pooled))
        if value is not None
    ]


def _told(listed: Iterable[tuple[str, Interval]], n_items: int) -> Iterator[str]:
    """One line per reason, in the order in which they come up."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for label, value in listed:
        if math.isnan(value.value):
            reasons.setdefault(("No value", value.reason or "undefined"), []).append(label)
        elif value.best is None and n_items > 1:
            reasons.setdefault(("No interval", value.reason or "undefined"), []).append(label)
    if n_items == 1:
        yield ONE_ITEM
    for (lack, reason), labels in reasons.items():
        yield f"{lack}, {reason}: {', '.join(labels)}"
