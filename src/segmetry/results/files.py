"""Records as files: CSV, in which text that a spreadsheet would run as a formula is quoted, and typed Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from segmetry.errors import MissingExtraError
from segmetry.results.records import Table

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters that start a formula in a spreadsheet."""


def as_csv(rows: Table | Iterable[Mapping[str, Any]]) -> str:
    """Return rows with a heading; undefined is an empty cell, and text that looks like a formula is quoted.

    A missing integer of a :class:`Table` is the number that the table states for it (-1 for an id): plain readers make
    floats of a column of integers with an empty cell, and ids above 2⁵³ would lose their last digits.

    >>> as_csv([{"item": "=1+1", "pq": -0.5}, {"item": "b", "pq": None}]).splitlines()
    ['item,pq', "'=1+1,-0.5", 'b,']
    """
    table = rows if isinstance(rows, Table) else Table("rows", rows)
    filled = {name: number for name, number in table.absent.items() if table.types[name] == "integer"}
    names = list(table.columns)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_csv_cell(name) for name in names])
    writer.writerows([[_csv_cell(row.get(name), filled.get(name)) for name in names] for row in table])
    return text.getvalue()


def _csv_cell(value: Any, absent: int | None = None) -> Any:
    if value is None:
        return absent
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def check_parquet() -> None:
    """Raise an error if pyarrow is not installed, before any work is done."""
    try:
        import pyarrow.parquet  # noqa: F401 - only whether it is there
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None


def as_parquet(table: Table, facts: Mapping[str, str] | None = None) -> bytes:
    """Return the table as a Parquet file; ``facts`` are stored in the metadata of its schema."""
    check_parquet()
    import pyarrow as pa
    from pyarrow import parquet

    target = pa.BufferOutputStream()
    arrow = table.to_arrow()
    metadata = {**arrow.schema.metadata, **{name.encode(): fact.encode() for name, fact in (facts or {}).items()}}
    parquet.write_table(arrow.replace_schema_metadata(metadata), target, compression="zstd")
    content: bytes = target.getvalue().to_pybytes()
    return content
