"""Terminal tables of scores, readable at 80 columns: of one item, of a data set, by class, by item."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from segmetry.alignments.rule_labels import rule_heading
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Counts, Result
from segmetry.outputs.tables.number_format import number
from segmetry.outputs.tables.score_remark import score_remark
from segmetry.outputs.tables.table_style import name_cell, new_table
from segmetry.statistics.averages import AVERAGE_HEADINGS, Average

if TYPE_CHECKING:
    from rich.table import Table

    from segmetry.comparison.several_rules import ItemScores
    from segmetry.statistics.summary_tables import Aggregated, Summary

ARROWS = {"higher": "↑", "lower": "↓", "neither": " "}
HEADING_WIDTH = 12
NARROW_HEADING_WIDTH = 9
"""The width of a rule above the columns of several rules, so that they fit in 80 columns."""


def scores_table(columns: Mapping[str, Mapping[str, Result]], title: str) -> Table:
    """Return the scores of one item: one row per metric, one column per rule, rule-independent scores once."""
    first = next(iter(columns.values()))
    names = [_column_heading(rule) for rule in columns] if _any_depends_on_rule(first) else ["value"]
    table = _metrics_table(title, names)
    for key in _with_family_rows(table, first):
        results = [column[key] for column in columns.values() if key in column]
        if isinstance(results[0], Counts):
            table.add_row(f"  {key}")
            for name, value in results[0].parts.items():
                table.add_row(f"    {name}", "", str(value))
            continue
        cells = [number(result.value, key) for result in results] + [""] * (len(names) - len(results))
        table.add_row(f"  {key}", ARROWS[METRICS[key].better], *cells, _reasons(results))
    return table


def summary_table(summaries: Mapping[str, Summary], title: str) -> Table:
    """Return the averages of every metric under each rule, and how many items a mean used if not all.

    Under several rules it shows the average of the data set and the mean by item.
    """
    first = next(iter(summaries.values()))
    headline: Average = "by_class" if first.by == "class" else "all_segments"
    averages = tuple(dict.fromkeys((headline, "by_item", *(("all_segments",) if len(summaries) == 1 else ()))))
    names = _headings(averages, list(summaries) if _any_depends_on_rule(first.scores) else [])
    is_tight = len(names) > 2 and any(total.n != first.n_items for total in first.scores.values())
    table = _metrics_table(title, names, gap=0 if is_tight else 1)
    for key in _with_family_rows(table, _in_family_order(first.scores)):
        totals = [summary.scores[key] for summary in summaries.values() if key in summary.scores]
        cells = [_average_cell(key, total, average) for total in totals for average in averages]
        used = "" if totals[0].n == first.n_items else f"{totals[0].n}/{first.n_items}"
        parts = [getattr(total, average) for total in totals for average in averages]
        remark = "; ".join(filter(None, (used, score_remark(parts))))
        table.add_row(f"  {key}", ARROWS[METRICS[key].better], *cells, *[""] * (len(names) - len(cells)), remark)
    return table


def class_keys(summary: Summary) -> list[str]:
    """Return the metrics shown by class: the panoptic ones, or the first that have values by class."""
    headline = ("pq", "sq", "rq", "n_matched", "n_missed", "n_spurious")
    rows = [*summary.parts.values(), *summary.groups.values()]
    common = [key for key in summary.scores if all(key in row for row in rows)]
    with_values = [key for key in common if any(row[key].by_class is not None for row in rows)]
    return [key for key in headline if key in common] or with_values[:4]


def classes_table(summary: Summary, class_names: Mapping[Hashable, str] | None = None) -> Table:
    """Return the scores of every class, by name where it has one, and of groups of classes: see :func:`class_keys`."""
    from rich.text import Text

    keys = class_keys(summary)
    table = new_table(f"by class, {rule_heading(summary.rule)}")
    table.add_column("class")
    for key in keys:
        table.add_column(key, justify="right")
    names = {code: str((class_names or {}).get(code, code)) for code in summary.parts}
    for name, row in (*((names[code], row) for code, row in summary.parts.items()), *summary.groups.items()):
        table.add_row(Text(name), *(_average_cell(key, row[key], "by_class") for key in keys))
    return table


def items_table(rows: Sequence[ItemScores], keys: Sequence[str], title: str) -> Table:
    """Return one row per item."""
    table = new_table(title)
    table.add_column("item", max_width=40)  # the column that may be shortened
    for key in keys:
        table.add_column(key, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(name_cell(row.name), *(number(row.scores[key].value, key) for key in keys))
    return table


def _metrics_table(title: str, columns: Sequence[str], gap: int = 1) -> Table:
    table = new_table(title, gap)
    table.add_column("metric", no_wrap=True)
    table.add_column("", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", style="dim", overflow="fold", max_width=30)
    return table


def _headings(averages: Sequence[Average], rules: Sequence[str]) -> list[str]:
    """Return the headings of averages under each rule, all of the same height."""
    width = HEADING_WIDTH if len(rules) <= 1 else NARROW_HEADING_WIDTH
    headings = [_wrapped(AVERAGE_HEADINGS[average], width) for average in averages]
    if rules:
        headings = [f"{heading}\n{_column_heading(rule, width)}" for rule in rules for heading in headings]
    tallest = max(heading.count("\n") for heading in headings)
    return ["\n" * (tallest - heading.count("\n")) + heading for heading in headings]


def _column_heading(rule: str, width: int = HEADING_WIDTH) -> str:
    r"""Return the heading of a rule on lines of at most ``width`` characters where its words allow it.

    >>> _column_heading("theta_and"), _column_heading("theta_plus")
    ('majority\noverlap (θ&)', 'IoU > 0.5\n(θ⁺)')
    """
    return _wrapped(rule_heading(rule), width)


def _wrapped(text: str, width: int) -> str:
    return "\n".join(wrap(text, width, break_long_words=False, break_on_hyphens=False))


def _any_depends_on_rule(keys: Iterable[str]) -> bool:
    """Return whether a metric needs an alignment; above the others the name of a rule would mislead."""
    return any(METRICS[key].depends_on_rule for key in keys)


def _with_family_rows(table: Table, keys: Iterable[str]) -> Iterable[str]:
    """Yield the keys, after adding a row for every new family before its first metric."""
    family = None
    for key in keys:
        if METRICS[key].family != family:
            family = METRICS[key].family
            table.add_row(f"[bold]{family}[/bold]")
        yield key


def _in_family_order(keys: Iterable[str]) -> list[str]:
    return sorted(keys, key=lambda key: METRICS[key].display_order)


def _average_cell(key: str, total: Aggregated, average: Average) -> str:
    score = getattr(total, average)
    if score is None:
        return ""
    return number(score.value) if average == "by_item" else number(score.value, key)


def _reasons(results: Sequence[Result]) -> str:
    reasons = sorted({result.reason for result in results if result.reason})
    return "; ".join(filter(None, [*reasons, score_remark(results)]))
