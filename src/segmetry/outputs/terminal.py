"""Tables in the terminal, drawn with rich and readable at 80 columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from segmetry.scores.metric import METRICS
from segmetry.scores.score import Counts, Result, Score

if TYPE_CHECKING:
    from rich.table import Table

    from segmetry.dataset import Aggregate, ItemScores

UNDEFINED = "–"
_ARROWS = {"higher": "↑", "lower": "↓", "neither": " "}


def number(value: float, key: str | None = None) -> str:
    """A value as it is printed: counts as whole numbers, scores with four decimals, undefined as a dash.

    >>> number(0.25), number(math.nan), number(12.0, "n_matched")
    ('0.2500', '–', '12')
    """
    if math.isnan(value):
        return UNDEFINED
    if key is not None and math.isinf(METRICS[key].bounds[1]) and value == int(value):
        return f"{int(value)}"
    return f"{value:.4f}"


def scores_table(columns: Mapping[str, Mapping[str, Result]], title: str) -> Table:
    """One row per metric, one column per rule (or whatever the columns are), with the direction of each metric."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", expand=False)
    table.add_column("metric")
    table.add_column("", justify="center")
    for name in columns:
        table.add_column(name, justify="right")
    table.add_column("", style="dim", overflow="fold", max_width=30)
    keys = list(next(iter(columns.values())))
    family = None
    for key in keys:
        if family is not None and METRICS[key].family != family:
            table.add_section()
        family = METRICS[key].family
        results = [column[key] for column in columns.values()]
        table.add_row(key, _ARROWS[METRICS[key].better], *(_cell(result) for result in results), _remark(results))
    return table


def _cell(result: Result) -> str:
    if isinstance(result, Counts):
        return "\n".join(f"{name} {value}" for name, value in result.parts.items())
    return number(result.value, result.key)


def _remark(results: Sequence[Result]) -> str:
    reasons = sorted({result.reason for result in results if result.reason})
    return "; ".join(reasons)


def aggregates_table(totals: Iterable[Aggregate], title: str) -> Table:
    """Mean and pooled value of every metric, and how many items the mean used."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold")
    for name, justify in (
        ("metric", "left"),
        ("", "center"),
        ("mean", "right"),
        ("items", "right"),
        ("pooled", "right"),
    ):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    family = None
    for found in totals:
        declared = METRICS[found.key]
        if family is not None and declared.family != family:
            table.add_section()
        family = declared.family
        pooled = "" if found.pooled is None else number(found.pooled.value, found.key)
        used = f"{found.mean.details['used']}/{found.mean.details['items']}"
        table.add_row(found.key, _ARROWS[declared.better], number(found.mean.value), used, pooled)
    return table


def items_table(rows: Sequence[ItemScores], keys: Sequence[str]) -> Table:
    """One row per item."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    table.add_column("item")
    for key in keys:
        table.add_column(key, justify="right", no_wrap=True)
    for row in rows:
        cells = [row.scores[key] for key in keys]
        values = [number(found.value, found.key) for found in cells if isinstance(found, Score)]
        table.add_row(Text(row.name, overflow="ellipsis", no_wrap=True), *values)
    return table
