"""Tables in the terminal, drawn with rich and readable at 80 columns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Counts, Result

if TYPE_CHECKING:
    from rich.table import Table

    from segmetry.comparison.rules_side_by_side import ItemScores
    from segmetry.statistics.summary_tables import Aggregated, Summary

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
    first = next(iter(columns.values()))
    names = [short_rule(name) for name in columns] if _bound_to_rule(first) else ["value"]
    table = _new_table(title, names)
    for key in _with_headings(table, first):
        results = [column[key] for column in columns.values() if key in column]
        if isinstance(results[0], Counts):
            table.add_row(f"  {key}")
            for name, value in results[0].parts.items():
                table.add_row(f"    {name}", "", str(value))
            continue
        cells = [number(result.value, key) for result in results] + [""] * (len(names) - len(results))
        table.add_row(f"  {key}", ARROWS[METRICS[key].better], *cells, _remark(results))
    return table


def summary_table(summaries: Mapping[str, Summary], title: str) -> Table:
    """Mean and pooled value of every metric for each rule, and how many items the mean used where it is not all."""
    first = next(iter(summaries.values()))
    rules = [f" {short_rule(name)}" for name in summaries] if _bound_to_rule(first.scores) else [""]
    names = [f"{word}{rule}" for rule in rules for word in ("mean", "pooled")]
    table = _new_table(title, names)
    for key in _with_headings(table, _shown(first.scores)):
        totals = [summary.scores[key] for summary in summaries.values() if key in summary.scores]
        cells = [cell for found in totals for cell in _mean_and_pooled(key, found)]
        remark = "" if totals[0].n == first.n_items else f"{totals[0].n}/{first.n_items}"
        table.add_row(f"  {key}", ARROWS[METRICS[key].better], *cells, *[""] * (len(names) - len(cells)), remark)
    return table


def class_keys(summary: Summary) -> list[str]:
    """The metrics a line per class has room for: the panoptic ones, or the first that are pooled by class."""
    headline = ("pq", "sq", "rq", "n_matched", "n_missed", "n_spurious")
    rows = [*summary.parts.values(), *summary.groups.values()]
    common = [key for key in summary.scores if all(key in row for row in rows)]
    pooled = [key for key in common if any(row[key].pooled is not None for row in rows)]
    return [key for key in headline if key in common] or pooled[:4]


def classes_table(summary: Summary, class_names: Mapping[Hashable, str] | None = None) -> Table:
    """The pooled scores of every class, by name where it has one, and of their groups: see :func:`class_keys`."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    keys = class_keys(summary)
    title = Text(f"by class, {short_rule(summary.rule)} (pooled)")
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("class")
    for key in keys:
        table.add_column(key, justify="right")
    called = {name: str((class_names or {}).get(name, name)) for name in summary.parts}
    for name, row in (*((called[one], row) for one, row in summary.parts.items()), *summary.groups.items()):
        table.add_row(Text(name), *(_mean_and_pooled(key, row[key])[1] for key in keys))
    return table


def items_table(rows: Sequence[ItemScores], keys: Sequence[str], title: str) -> Table:
    """One row per item."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column("item", max_width=40)  # the one column that gives way: numbers are never cut
    for key in keys:
        table.add_column(key, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            Text(row.name, overflow="ellipsis", no_wrap=True), *(number(row.scores[key].value, key) for key in keys)
        )
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


def _bound_to_rule(keys: Iterable[str]) -> bool:
    """Whether any of these metrics needs an alignment; the rule's name over the others would mislead."""
    return any(METRICS[key].depends_on_rule for key in keys)


def _with_headings(table: Table, keys: Iterable[str]) -> Iterable[str]:
    """The keys one by one, with a row for every new family before its first metric."""
    family = None
    for key in keys:
        if METRICS[key].family != family:
            family = METRICS[key].family
            table.add_row(f"[bold]{family}[/bold]")
        yield key


def _shown(keys: Iterable[str]) -> list[str]:
    return sorted(keys, key=lambda key: METRICS[key].display_order)


def _mean_and_pooled(key: str, found: Aggregated) -> tuple[str, str]:
    return number(found.mean.value), "" if found.pooled is None else number(found.pooled.value, key)


def _remark(results: Sequence[Result]) -> str:
    return "; ".join(sorted({result.reason for result in results if result.reason}))
