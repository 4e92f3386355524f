"""The run file, an SQLite database: its tables, how it is opened, and how its errors are reported.

``docs/run-file.md`` documents every table and column; a change here is a change there, and of :data:`VERSION`.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError
from segmetry.run.counts.counts_schema import COUNTS_SCHEMA

APPLICATION_ID = 0x5345474D
"""``SEGM``: SQLite keeps it in bytes 68 to 71 of the file."""
VERSION = 3
"""The schema version that is written; newer versions are not read, older ones are read and not continued.

Version 1 had no crowd code 2; before version 3 every segment and every overlap was a row of a table.
"""
PACKED = 3
"""The version since which the counts of an item are one row of the table ``counts``."""
ADDED = {"collected": 2}
"""Tables that older versions do not have, with the version that added them."""

_TABLES = """
CREATE TABLE fact (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE input (
    side   TEXT NOT NULL CHECK (side IN ('true', 'pred')),
    name   TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (side, name)
) WITHOUT ROWID;
CREATE TABLE class_name (
    class PRIMARY KEY,
    name  TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE item (
    item            INTEGER PRIMARY KEY,
    name            TEXT NOT NULL UNIQUE,
    status          TEXT NOT NULL CHECK (status IN ('pending', 'done')),
    kind            TEXT,
    axes            INTEGER,
    n_elements      INTEGER,
    outside_outside INTEGER,
    outside_void    INTEGER,
    void_outside    INTEGER,
    void_void       INTEGER,
    true_disjoint   INTEGER,
    pred_disjoint   INTEGER,
    has_classes     INTEGER,
    true_has_crowd  INTEGER,
    pred_has_crowd  INTEGER
);
CREATE TABLE score (
    item        INTEGER NOT NULL REFERENCES item,
    key         TEXT NOT NULL,
    rule        TEXT NOT NULL,
    value       REAL,
    reason      TEXT,
    numerator   TEXT,
    denominator TEXT,
    details     TEXT,
    PRIMARY KEY (item, key, rule)
) WITHOUT ROWID;
CREATE TABLE collected (
    item      INTEGER NOT NULL REFERENCES item,
    collector TEXT NOT NULL,
    options   TEXT NOT NULL,
    rule      TEXT NOT NULL,
    name      TEXT NOT NULL,
    type      TEXT NOT NULL,
    shape     TEXT NOT NULL,
    content   BLOB NOT NULL,
    PRIMARY KEY (item, collector, options, rule, name)
) WITHOUT ROWID;
"""
EARLIER_ROWS = """
CREATE TABLE segment (
    item     INTEGER NOT NULL REFERENCES item,
    side     TEXT NOT NULL CHECK (side IN ('true', 'pred')),
    position INTEGER NOT NULL,
    id       NOT NULL,
    class,
    size     INTEGER NOT NULL,
    outside  INTEGER NOT NULL,
    void     INTEGER NOT NULL,
    crowd    INTEGER,
    PRIMARY KEY (item, side, position)
) WITHOUT ROWID;
CREATE TABLE overlap (
    item          INTEGER NOT NULL REFERENCES item,
    true_position INTEGER NOT NULL,
    pred_position INTEGER NOT NULL,
    shared        INTEGER NOT NULL,
    PRIMARY KEY (item, true_position, pred_position)
) WITHOUT ROWID;
CREATE VIEW pair AS
SELECT item.name AS item, t.id AS true_id, p.id AS pred_id, t.class AS true_class, p.class AS pred_class,
       shared, t.size - shared AS missed, p.size - shared AS spurious,
       1.0 * shared / (t.size + p.size - shared) AS iou
FROM overlap
JOIN item USING (item)
JOIN segment AS t ON t.item = overlap.item AND t.side = 'true' AND t.position = true_position
JOIN segment AS p ON p.item = overlap.item AND p.side = 'pred' AND p.position = pred_position;
"""
"""The tables of the versions 1 and 2, with a row for every segment and every overlap."""
SCHEMA = _TABLES + COUNTS_SCHEMA


def open_run_file(path: str | Path, *, write: bool = False) -> sqlite3.Connection:
    """Open a run file after checking that it is a run file of a supported version."""
    place = Path(path)
    if not place.is_file():
        raise FormatError(f"{place}: {'a folder' if place.is_dir() else 'no such file'}; expected a run file (*.segm)")
    if place.stat().st_size == 0:
        raise FormatError(f"{place}: an empty file; expected a run file (*.segm)")
    connection = connect(place, "rw" if write else "ro")
    try:
        check_schema(connection, place)
        if write:
            check_version(connection, place)
    except BaseException:
        connection.close()
        raise
    return connection


ONE_THREAD = sqlite3.threadsafety < 3
"""Whether this SQLite was compiled so that only the thread that opens a connection may use it."""


class SharedConnection(sqlite3.Connection):
    """A connection of any number of runs and threads, which closes itself when the last of the runs is gone."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # where ONE_THREAD: freed by another one without being closed
            self.close()


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a connection in one of SQLite's modes ``ro``, ``rw``, ``rwc``; transactions are begun explicitly."""
    try:
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            timeout=1.0,
            check_same_thread=ONE_THREAD,
            factory=SharedConnection,
        )
    except sqlite3.Error as problem:
        raise FormatError(f"{path}: cannot be opened: {problem}") from None


def connect_in_memory() -> sqlite3.Connection:
    """Open a database in memory; transactions are begun explicitly."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=ONE_THREAD, factory=SharedConnection)


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Raise an error for a file that is not a database, not a run file, of a newer version, or corrupt."""
    try:
        application, version = (_pragma(connection, name) for name in ("application_id", "user_version"))
        if application != APPLICATION_ID:
            raise FormatError(f"{path}: an SQLite database, but not a run file of segmetry")
        if version > VERSION:
            raise FormatError(
                f"{path}: a run file of schema version {version}; this segmetry reads up to {VERSION}: upgrade segmetry"
            )
        whole = connection.execute("PRAGMA quick_check(1)").fetchone()
        if whole != ("ok",):
            raise FormatError(f"{path}: corrupt run file: {whole[0] if whole else 'it cannot be checked'}")
        columns, expected = _columns(connection), _expected(version)
        if columns != expected:
            wrong = sorted(name for name in expected if columns.get(name) != expected[name])
            raise FormatError(
                f"{path}: corrupt run file: the table {', '.join(wrong) or 'list'} is not as it should be"
            )
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as problem:
        raise sqlite_error(problem, path) from None


def check_version(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse to continue or to merge a run file of an older version, which can only be read."""
    version = _pragma(connection, "user_version")
    if version < VERSION:
        raise FormatError(
            f"{path}: a run file of schema version {version}, which this segmetry reads but does not write "
            f"(it writes {VERSION}); evaluate again into a new file"
        )


def sqlite_error(problem: Exception, path: Path | str) -> FormatError:
    """Translate an error of SQLite into a message for the user."""
    name = getattr(problem, "sqlite_errorname", "") or ""
    words = {
        "SQLITE_NOTADB": "not a run file: it is not an SQLite database",
        "SQLITE_CORRUPT": "corrupt run file: restore it from a copy, or evaluate again",
        "SQLITE_BUSY": "another process is writing this run; wait until it has finished",
        "SQLITE_FULL": "the disk is full; make room, then continue the run with resume (--resume)",
        "SQLITE_READONLY_ROLLBACK": "its process was killed while it changed the file, which reading cannot undo; "
        "continue the run with resume (--resume)",
        "SQLITE_READONLY": "cannot be written: it is read-only",
        "SQLITE_CANTOPEN": "cannot be opened; is the folder writable?",
        "SQLITE_IOERR": "the disk cannot be read or written; repair it, then continue the run with resume (--resume)",
    }
    message = next((text for start, text in words.items() if name.startswith(start)), None)
    return FormatError(f"{path}: {message or 'corrupt or not a run file'} ({problem})")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _columns(connection: sqlite3.Connection) -> dict[str, list[Any]]:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    query = "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid"
    return {name: connection.execute(query, (name,)).fetchall() for (name,) in tables}


def _expected(version: int) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA if version >= PACKED else _TABLES + EARLIER_ROWS)
        return {name: columns for name, columns in _columns(connection).items() if ADDED.get(name, 1) <= version}


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Return whether a run file has a table or view: older versions lack some."""
    query = "SELECT count(*) FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?"
    return bool(connection.execute(query, (name,)).fetchone()[0])
