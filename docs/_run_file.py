"""The table of the run file's tables and columns, from the comments of its schema."""

from __future__ import annotations

import re


def schema_table(schema: str) -> str:
    """Return the tables and columns of a schema with their comments, as Markdown.

    >>> print(schema_table("CREATE TABLE a ( -- an item\\n    b INTEGER, -- its number\\n);"))
    | table | column | |
    |---|---|---|
    | `a` | | **one row: an item** |
    | | `b` | its number |
    """
    rows = ["| table | column | |", "|---|---|---|"]
    for line in schema.splitlines():
        found = re.fullmatch(r"CREATE TABLE (\w+) \( -- (.*)|    (\w+) .*?-- (.*)", line)
        if found:
            table, row, column, meaning = found.groups()
            rows.append(f"| `{table}` | | **one row: {row}** |" if table else f"| | `{column}` | {meaning} |")
    return "\n".join(rows)
