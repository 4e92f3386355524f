"""The scores of the parts of a run, as they are printed: one row per part, as many metrics as fit in 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from segmetry._base.result_table import Table
from segmetry.outputs.tables.number_format import styled
from segmetry.outputs.tables.plain_table import PlainTable
from segmetry.protocols.table_layout import NumberStyle
from segmetry.run.part_rows import COUNTS

ROOM = 44
"""The columns for scores, beside the name of a part and its counts."""


def parts_table(table: Table, keys: Sequence[str], numbers: NumberStyle | None = None) -> PlainTable:
    """Return the parts with their counts and the first of these metrics.

    >>> parts_table(Table("parts", [{"size": "small", "items": 2, "true": 3, "pred": 4, "pq": 0.5}]), ["pq"]).rows
    [['small', '2', '3', '4', '0.5000']]
    """
    name = next(iter(table.columns))
    shown: list[str] = []
    for key in keys:
        if key in table.columns and sum(max(len(other), 6) + 2 for other in (*shown, key)) <= ROOM:
            shown.append(key)
    rows = [
        [str(row[name]), *(str(row[count]) for count in COUNTS), *(styled(row[key], key, numbers) for key in shown)]
        for row in table
    ]
    return PlainTable(f"by {name}", (name, *COUNTS, *shown), rows)
