"""Tables in the terminal, drawn with rich and readable at 80 columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from segmetry.scores.metric import METRICS
from segmetry.scores.score import Counts, Result

if TYPE_CHECKING:
    from rich.table import Table

    from segmetry.dataset import Aggregate, ItemScores

UNDEFINED = "–"
ARROWS = {"higher": "↑", "lower": "↓", "neither": " "}


def number(value: float, key: str | None = None) -> str:
    """A value as it is printed: counts as whole numbers, scores with four decimals, undefined as a dash.

    >>> number(0.25), number(math.nan), number(12.0, "n_matched")
    ('0.2500', '–', '12')
    """
    if math.isnan(value):
        return UNDEFINED
    if key is not None and math.isinf(METRICS[key].bounds[1]) and value == int(value):
        return f"{int(value)}"
    return f"{value:.4f}" if abs(value) < 100 else f"{value:.1f}"


def short_rule(rule: str) -> str:
    """The name of a rule as a column heading.

    >>> short_rule("theta_and"), short_rule("iou(above=3/4)")
    ('θ&', 'iou(above=3/4)')
    """
    return {"theta_and": "θ&", "theta_plus": "θ⁺"}.get(rule, rule)


def scores_table(columns: Mapping[str, Mapping[str, Result]], title: str) -> Table:
    """One row per metric, one column per rule; what does not depend on the rule is printed once."""
    table = _new_table(title, [short_rule(name) for name in columns])
    first = next(iter(columns.values()))
    for key in _with_headings(table, first):
        results = [column[key] for column in columns.values() if key in column]
        if isinstance(results[0], Counts):
            table.add_row(f"  {key}")
            for name, value in results[0].parts.items():
                table.add_row(f"    {name}", "", str(value))
            continue
        cells = [number(result.value, key) for result in results] + [""] * (len(columns) - len(results))
        table.add_row(f"  {key}", ARROWS[METRICS[key].better], *cells, _remark(results))
    return table


def aggregates_table(columns: Mapping[str, Mapping[str, Aggregate]], title: str) -> Table:
    """Mean and pooled value of every metric for each rule, and how many items the mean used where it is not all."""
    names = [f"{word} {short_rule(name)}" for name in columns for word in ("mean", "pooled")]
    table = _new_table(title, names)
    first = next(iter(columns.values()))
    for key in _with_headings(table, first):
        totals = [column[key] for column in columns.values() if key in column]
        cells = [cell for found in totals for cell in _mean_and_pooled(found)]
        used, items = totals[0].mean.details["used"], totals[0].mean.details["items"]
        remark = "" if used == items else f"{used}/{items}"
        table.add_row(f"  {key}", ARROWS[METRICS[key].better], *cells, *[""] * (len(names) - len(cells)), remark)
    return table


def items_table(rows: Sequence[ItemScores], keys: Sequence[str]) -> Table:
    """One row per item."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    table.add_column("item", overflow="ellipsis", no_wrap=True, max_width=40)
    for key in keys:
        table.add_column(key, justify="right")
    for row in rows:
        table.add_row(Text(row.name), *(number(row.scores[key].value, key) for key in keys))
    return table


def _new_table(title: str, columns: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column("metric", no_wrap=True)
    table.add_column("")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", style="dim", overflow="fold", max_width=30)
    return table


def _with_headings(table: Table, keys: Iterable[str]) -> Iterable[str]:
    """The keys one by one, with a row for every new family before its first metric."""
    family = None
    for key in keys:
        if METRICS[key].family != family:
            family = METRICS[key].family
            table.add_row(f"[bold]{family}[/bold]")
        yield key


def _mean_and_pooled(found: Aggregate) -> tuple[str, str]:
    return number(found.mean.value), "" if found.pooled is None else number(found.pooled.value, found.key)


def _remark(results: Sequence[Result]) -> str:
    return "; ".join(sorted({result.reason for result in results if result.reason}))
