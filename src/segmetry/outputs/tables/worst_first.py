"""The worst items and classes of a run: sorted by one metric, undefined values last."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Score
from segmetry.outputs.tables.number_format import styled

if TYPE_CHECKING:
    from segmetry.comparison.several_rules import ItemScores
    from segmetry.protocols.table_layout import NumberStyle
    from segmetry.statistics.summary import Summary

TIED = "\N{NO-BREAK SPACE}"
LONGEST = 28
"""The most characters of a name in a list of the worst."""


def worst_items(rows: Sequence[ItemScores], key: str) -> list[ItemScores]:
    """Return the items by one metric, the worst first, undefined ones last; ``item`` sorts by name."""
    if key == "item":
        return sorted(rows, key=lambda row: row.name)
    return sorted(rows, key=lambda row: _place(row.scores[key], key))


def worst_classes(summary: Summary, key: str) -> list[tuple[Hashable, Score]]:
    """Return the classes that have a value of one metric, the worst first."""
    if summary.by != "class":
        return []
    scores = [(name, row[key].usual) for name, row in summary.parts.items() if key in row]
    defined = [(name, score) for name, score in scores if not math.isnan(score.value)]
    return sorted(defined, key=lambda row: _place(row[1], key))


def worst_line(what: str, key: str, worst: Sequence[tuple[str, float]], numbers: NumberStyle | None = None) -> str:
    r"""Return the worst of a run in one line, which may be broken between them but not between a name and its value.

    >>> worst_line("classes", "pq", [("fence", 0.0), ("a name that is longer than its room is", 0.25)])
    'Worst classes by pq: fence\xa00.0000, a\xa0name\xa0that\xa0is\xa0longer\xa0than…\xa00.2500'
    """
    names = [f"{_short(name)} {styled(value, key, numbers)}".replace(" ", TIED) for name, value in worst]
    return f"Worst {what} by {key}: {', '.join(names)}"


def class_name(label: Hashable, names: Mapping[Hashable, str]) -> str:
    """Return the name of a class, or its label where it has none."""
    return str(names.get(label, label))


def _place(score: object, key: str) -> tuple[bool, float]:
    value = score.value if isinstance(score, Score) else math.nan
    return math.isnan(value), -value if METRICS[key].better == "lower" else value


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"
