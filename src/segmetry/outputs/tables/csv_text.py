"""Write rows as CSV; text that a spreadsheet would run as a formula is quoted."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters that start a formula in a spreadsheet."""


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with a heading; undefined is an empty cell, and text that looks like a formula is quoted.

    >>> as_csv([{"item": "=1+1", "pq": -0.5}, {"item": "b", "pq": None}]).splitlines()
    ['item,pq', "'=1+1,-0.5", 'b,']
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_cell(name) for name in names])
    writer.writerows([[_cell(row.get(name)) for name in names] for row in rows])
    return text.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
