"""The run file, an SQLite database: its tables, how it is opened, and how its errors are reported.

A change of the tables is a change of :data:`VERSION`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError

APPLICATION_ID = 0x5345474D
"""``SEGM``: SQLite keeps it in bytes 68 to 71 of the file."""
VERSION = 1
"""The version of the schema; newer ones are not read."""
SCHEMA = """
CREATE TABLE fact ( -- a fact about the run
    name  TEXT PRIMARY KEY, -- `segmetry` (its version), `settings`, `true` and `pred` (paths), `files`, `shard`
    value TEXT NOT NULL -- text, or JSON: the settings; a list with the true and the predicted file of every item
) WITHOUT ROWID;
CREATE TABLE input ( -- an input
    side   TEXT NOT NULL CHECK (side IN ('true', 'pred')), -- `true` or `pred`
    name   TEXT NOT NULL, -- its path relative to that on the command line, or the name of an item
    sha256 TEXT NOT NULL, -- of the file, or of the content of an object
    PRIMARY KEY (side, name)
) WITHOUT ROWID;
CREATE TABLE class_name ( -- a class that the data set names
    class PRIMARY KEY, -- an integer or text, as in the data set: `3` and `'3'` are two classes
    name  TEXT NOT NULL -- its name
) WITHOUT ROWID;
CREATE TABLE item ( -- an item; all but the first three columns are NULL until it is done
    item            INTEGER PRIMARY KEY, -- 1, 2, … in the order of the truth
    name            TEXT NOT NULL UNIQUE, -- its name
    status          TEXT NOT NULL CHECK (status IN ('pending', 'done')), -- `pending` or `done`
    kind            TEXT, -- the kind of its segmentations
    axes            INTEGER, -- their number of axes
    n_elements      INTEGER, -- elements of the domain
    outside_outside INTEGER, -- elements in no segment of either side: outside on both,
    outside_void    INTEGER, -- outside in the truth and void in the prediction,
    void_outside    INTEGER, -- void in the truth and outside in the prediction,
    void_void       INTEGER, -- void on both
    true_disjoint   INTEGER, -- 1 if no true segments overlap each other
    pred_disjoint   INTEGER, -- 1 if no predicted segments do
    has_classes     INTEGER, -- 1 if segments have classes
    true_has_crowd  INTEGER, -- 1 if the truth states which segments are crowd regions
    pred_has_crowd  INTEGER -- 1 if the prediction does
);
CREATE TABLE counts ( -- a finished item, or 2²³ segments or overlaps of a larger one; blobs are integers
    item       INTEGER NOT NULL REFERENCES item, -- the item
    part       INTEGER NOT NULL, -- 0, or 0, 1, … if the item needs several rows
    n_true     INTEGER NOT NULL, -- true segments of this row
    n_pred     INTEGER NOT NULL, -- predicted segments of this row
    n_overlaps INTEGER NOT NULL, -- pairs of overlapping segments of this row
    unsigned   INTEGER NOT NULL, -- which ids are unsigned integers of 64 bits: 1 true ones, 2 predicted ones, 3 both
    class_list TEXT, -- the classes of the item as a JSON list; NULL without classes
    ids        BLOB NOT NULL, -- the ids of the true segments, ascending, then those of the predicted segments
    sizes      BLOB NOT NULL, -- of each: its elements, those in no segment of the other side, and those in its void
    classes    BLOB NOT NULL, -- of each: the position of its class in `class_list`; empty without classes
    crowds     BLOB NOT NULL, -- of each: 1 a crowd region, 2 one before another one of its class, else 0; empty if none
    overlaps   BLOB NOT NULL, -- positions (0, 1, … by id) of a true and a predicted segment, and their shared elements
    PRIMARY KEY (item, part)
);
CREATE TABLE score ( -- a score of an item that cannot be computed from the counts
    item        INTEGER NOT NULL REFERENCES item, -- the item
    key         TEXT NOT NULL, -- the metric
    rule        TEXT NOT NULL, -- the rule; empty if the metric does not depend on one
    value       REAL, -- the score, NULL where it is undefined
    reason      TEXT, -- why it is undefined
    numerator   TEXT, -- as text, so that no digit is lost
    denominator TEXT, -- likewise
    details     TEXT, -- JSON
    PRIMARY KEY (item, key, rule)
) WITHOUT ROWID;
CREATE TABLE collected ( -- a column that metrics of a whole data set need of an item
    item      INTEGER NOT NULL REFERENCES item, -- the item
    collector TEXT NOT NULL, -- what collects it
    options   TEXT NOT NULL, -- JSON
    rule      TEXT NOT NULL, -- the rule; empty if none matters
    name      TEXT NOT NULL, -- the column
    type      TEXT NOT NULL, -- such as `<i2`: little-endian integers of two bytes; `labels`: a JSON list of classes
    shape     TEXT NOT NULL, -- JSON
    content   BLOB NOT NULL, -- the bytes of an array of this type and shape, or the JSON list
    PRIMARY KEY (item, collector, options, rule, name)
) WITHOUT ROWID;
"""
"""The comments document tables (what a row is) and columns, here, in the file itself and on ``docs/run-file.md``."""


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
    """Open a connection in one of SQLite's modes ``ro``, ``rw``, ``rwc``; transactions are started explicitly."""
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
    """Open a database in memory; transactions are started explicitly."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=ONE_THREAD, factory=SharedConnection)


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Raise an error for a file that is not a database, not a run file, of a newer version, or corrupt."""
    try:
        application, version = (_pragma_value(connection, name) for name in ("application_id", "user_version"))
        if application != APPLICATION_ID:
            raise FormatError(f"{path}: an SQLite database, but not a run file of segmetry")
        if version > VERSION:
            raise FormatError(
                f"{path}: a run file of schema version {version}; this segmetry reads up to {VERSION}: upgrade segmetry"
            )
        whole = connection.execute("PRAGMA quick_check(1)").fetchone()
        if whole != ("ok",):
            raise FormatError(f"{path}: corrupt run file: {whole[0] if whole else 'it cannot be checked'}")
        columns, expected = _table_columns(connection), _expected_columns()
        if columns != expected:
            wrong = sorted(name for name in expected if columns.get(name) != expected[name])
            raise FormatError(
                f"{path}: corrupt run file: the table {', '.join(wrong) or 'list'} is not as it should be"
            )
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as problem:
        raise sqlite_error(problem, path) from None


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


@contextmanager
def sqlite_errors(path: Path | str | None) -> Iterator[None]:
    """Translate errors of SQLite, and text that is no text; without a path the run is in memory."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as problem:
        raise sqlite_error(problem, path or "the run") from None


def _pragma_value(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _table_columns(connection: sqlite3.Connection) -> dict[str, list[Any]]:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    query = "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid"
    return {name: connection.execute(query, (name,)).fetchall() for (name,) in tables}


@cache
def _expected_columns() -> dict[str, list[Any]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return _table_columns(connection)
