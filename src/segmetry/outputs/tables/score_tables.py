"""Terminal tables of scores, readable at 80 columns: by class, by item."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from segmetry.alignments.rule_labels import rule_heading
from segmetry.outputs.tables.number_format import number, styled
from segmetry.outputs.tables.table_style import name_cell, new_table

if TYPE_CHECKING:
    from rich.table import Table

    from segmetry.comparison.several_rules import ItemScores
    from segmetry.protocols.table_layout import NumberStyle
    from segmetry.statistics.summary import Averages, Summary


def class_keys(summary: Summary) -> list[str]:
    """Return the metrics shown by class: the panoptic ones, or the first that have values by class."""
    headline = ("pq", "sq", "rq", "n_matched", "n_missed", "n_spurious")
    rows = [*summary.parts.values(), *summary.groups.values()]
    common = [key for key in summary.scores if all(key in row for row in rows)]
    return [key for key in headline if key in common] or common[:4]


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
        table.add_row(Text(name), *(_average_cell(key, row[key]) for key in keys))
    return table


def items_table(
    rows: Sequence[ItemScores], keys: Sequence[str], title: str, numbers: NumberStyle | None = None
) -> Table:
    """Return one row per item."""
    table = new_table(title)
    table.add_column("item", max_width=40)  # the column that may be shortened
    for key in keys:
        table.add_column(key, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(name_cell(row.name), *(styled(row.scores[key].value, key, numbers) for key in keys))
    return table


def _average_cell(key: str, averages: Averages) -> str:
    return number(averages.usual.value, key)
