"""Integer columns are the rows of a query, in however many parts they are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from segmetry.run.counts import integer_columns as module
from segmetry.run.counts.integer_columns import integer_columns

ROWS = [(item, at, value) for item in (1, 2, 5, 9) for at, value in enumerate((7, -(2**63), 2**63 - 1, 0)[: item % 5])]
KEYS = np.array([1, 2, 5, 9])


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as opened:
        opened.execute(
            "CREATE TABLE part (item, position, value INTEGER, kind DEFAULT 'a', PRIMARY KEY (item, position)) "
            "WITHOUT ROWID"
        )
        opened.executemany("INSERT INTO part (item, position, value) VALUES (?, ?, ?)", reversed(ROWS))
        yield opened


def read(connection: sqlite3.Connection) -> list[tuple[int, ...]]:
    columns = integer_columns(connection, ("item", "position", "value"), "FROM part WHERE kind = ?", KEYS, "a")
    assert all(column.dtype == np.int64 for column in columns)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("items_at_once", [1, 3, 4096])
def test_every_row_in_order(
    connection: sqlite3.Connection, items_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ITEMS_AT_ONCE", items_at_once)
    assert read(connection) == ROWS


def test_columns_longer_than_a_text_may_be(connection: sqlite3.Connection) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 30)
    assert read(connection) == ROWS


def test_no_rows(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM part")
    assert read(connection) == []


@pytest.mark.parametrize("value", ["1.5", "'many'", "NULL", "x'01'", "'1,2'"])
def test_anything_but_integers_is_an_error(connection: sqlite3.Connection, value: str) -> None:
    connection.execute(f"UPDATE part SET value = {value} WHERE item = 2")  # noqa: S608 - the values above
    with pytest.raises((ValueError, sqlite3.Error)):
        read(connection)
