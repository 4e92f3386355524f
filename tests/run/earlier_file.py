"""Turn a run file into one of an earlier version, whose segments and overlaps are rows of tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from segmetry.run.schema import EARLIER_ROWS


def make_earlier(path: Path, version: int) -> None:
    """Write what version 1 or 2 would have written."""
    with closing(sqlite3.connect(path)) as connection:
        segments = connection.execute("SELECT * FROM segment").fetchall()
        overlaps = connection.execute("SELECT * FROM overlap").fetchall()
        connection.executescript(
            f"DROP VIEW pair; DROP VIEW segment; DROP VIEW overlap; DROP TABLE counts; {EARLIER_ROWS}"
        )
        connection.executemany("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", segments)
        connection.executemany("INSERT INTO overlap VALUES (?, ?, ?, ?)", overlaps)
        if version < 2:
            connection.executescript("UPDATE segment SET crowd = 1 WHERE crowd = 2; DROP TABLE collected;")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
