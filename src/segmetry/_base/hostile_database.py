"""Limits for SQLite while it reads a file that may have been made to do harm."""

from __future__ import annotations

import sqlite3

_STEPS, _LEAST_STEPS, _STEPS_OF_A_BYTE = 10_000, 10**7, 100
"""How often work is counted, and how much may be done; a sound file takes far less."""


def limit_database(connection: sqlite3.Connection, n_bytes: int) -> None:
    """Bound the work in a database of so many bytes, and let its schema call no function; before its first statement.

    A table is a tree of pages: one whose branches lead to the same page many times has more rows than a machine can
    count.
    """
    left = _LEAST_STEPS + _STEPS_OF_A_BYTE * n_bytes

    def is_too_much() -> bool:
        nonlocal left
        left -= _STEPS
        return left < 0

    connection.set_progress_handler(is_too_much, _STEPS)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
