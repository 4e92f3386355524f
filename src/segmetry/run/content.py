"""The content of a run as one number: equal for runs that hold the same, in whatever order they were written."""

from __future__ import annotations

import hashlib
import sqlite3

TABLES = {
    "fact": "name",
    "input": "side, name",
    "class_name": "class",
    "item": "item",
    "segment": "item, side, position",
    "overlap": "item, true_position, pred_position",
    "score": "item, key, rule",
}


def content_digest(connection: sqlite3.Connection) -> str:
    """The sha256 of all rows of all tables in the order of their keys, with the type of every value."""
    digest = hashlib.sha256()
    for table, order in TABLES.items():
        digest.update(table.encode())
        for row in connection.execute(f"SELECT * FROM {table} ORDER BY {order}"):  # noqa: S608 - the names stand above
            digest.update(repr(row).encode())
    return digest.hexdigest()
