"""Digests of a run: of its whole content, of its truth and of its results, independent of the order of writing."""

from __future__ import annotations

import hashlib
import sqlite3

from segmetry.run.schema import has_table

TABLES = {
    "fact": "name",
    "input": "side, name",
    "class_name": "class",
    "item": "item",
    "segment": "item, side, position",
    "overlap": "item, true_position, pred_position",
    "score": "item, key, rule",
    "collected": "item, collector, options, rule, name",
}


_BATCH = 10_000
"""How many rows are hashed at once."""


def content_digest(connection: sqlite3.Connection) -> str:
    """Return the sha256 of all rows of all tables in the order of their keys, with the type of every value."""
    digest = hashlib.sha256()
    for table, order in TABLES.items():
        if not has_table(connection, table):
            continue
        digest.update(table.encode())
        rows = connection.execute(f"SELECT * FROM {table} ORDER BY {order}")  # noqa: S608 - fixed names
        while batch := rows.fetchmany(_BATCH):
            digest.update("".join(map(repr, batch)).encode())
    return digest.hexdigest()


def truth_digests(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the sha256 of the true side of every item: n_elements, ids, classes, sizes and crowd of its segments."""
    digests = {
        name: hashlib.sha256(repr(n_elements).encode())
        for name, n_elements in connection.execute("SELECT name, n_elements FROM item WHERE status = 'done'")
    }
    rows = connection.execute(
        "SELECT name, id, class, size, ifnull(crowd, 0) > 0 FROM segment JOIN item USING (item) "
        "WHERE side = 'true' ORDER BY item, position"
    )
    for name, *facts in rows:
        digests[name].update(repr(facts).encode())
    return {name: digest.hexdigest() for name, digest in digests.items()}


def results_digest(connection: sqlite3.Connection) -> str:
    """Return the sha256 of the predicted segments, their overlaps with the truth, and the stored scores."""
    digest = hashlib.sha256()
    for columns, table, order in (
        ("position, id, class, size", "segment", "name, side, position"),
        ("true_position, pred_position, shared", "overlap", "name, true_position, pred_position"),
        ("key, rule, value", "score", "name, key, rule"),
        ("collector, options, rule, collected.name, content", "collected", "item.name, collector, options, rule, 5"),
    ):
        if not has_table(connection, table):
            continue
        chosen = "WHERE side = 'pred'" if table == "segment" else ""
        query = f"SELECT item.name, {columns} FROM {table} JOIN item USING (item) {chosen} ORDER BY {order}"  # noqa: S608
        for row in connection.execute(query):
            digest.update(repr(row).encode())
    return digest.hexdigest()
