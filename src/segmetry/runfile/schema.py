"""The run file, an SQLite database: its tables, how it is opened, and how its errors are reported.

A change of the tables is a change of :data:`VERSION`.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import starmap
from pathlib import Path
from typing import Any

from segmetry._base import check_target, limit_database, replace_lastingly, sync
from segmetry.errors import FormatError, OptionError

APPLICATION_ID = 0x5345474D
"""``SEGM``: SQLite keeps it in bytes 68 to 71 of the file."""
VERSION = 1
"""The version of the schema; newer ones are not read."""
SCHEMA = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
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
        if not write:
            connection.set_authorizer(_authorized)
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


_FUNCTIONS = ("count", "ifnull", "length", "max")


def _authorized(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Return whether SQLite may do something for a reader: nothing but to read, in words of this package."""
    is_read = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ) or (
        action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS
    )
    is_version = action == sqlite3.SQLITE_PRAGMA and first == "user_version"
    return sqlite3.SQLITE_OK if is_read or is_version else sqlite3.SQLITE_DENY


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Raise an error for a file that is not a database, not a run file, of a newer version, or corrupt.

    Tables are compared as SQL: nothing that a file defines itself, such as a view, is ever run.
    """
    try:
        limit_database(connection, path.stat().st_size)
        application, version = (_pragma_value(connection, name) for name in ("application_id", "user_version"))
        if application != APPLICATION_ID:
            raise FormatError(f"{path}: an SQLite database, but not a run file of segmetry")
        if version > VERSION:
            raise FormatError(
                f"{path}: a run file of schema version {version}; this segmetry reads up to {VERSION}: upgrade segmetry"
            )
        tables, expected = _definitions(connection), _expected_definitions()
        if tables != expected:
            wrong = sorted(name for name in expected if tables.get(name) != expected[name])
            raise FormatError(
                f"{path}: corrupt run file: the table {', '.join(wrong) or 'list'} is not as it should be"
            )
        whole = connection.execute("PRAGMA quick_check(1)").fetchone()
        if whole != ("ok",):
            raise FormatError(f"{path}: corrupt run file: {whole[0] if whole else 'it cannot be checked'}")
        for table, query in _type_queries().items():
            if wrong_type := connection.execute(query).fetchone():
                raise FormatError(
                    f"{path}: corrupt run file: a value of another type than it should be in the column "
                    f"{wrong_type[0]} of the table {table}"
                )
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as problem:
        raise sqlite_error(problem, path) from None
    finally:
        connection.set_progress_handler(None, 0)


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


def _definitions(connection: sqlite3.Connection) -> dict[str, tuple[Any, ...]]:
    """Return what a database defines, by name: its kind, its table and its SQL without comments and spaces."""
    rows = connection.execute("SELECT name, type, tbl_name, sql FROM sqlite_master").fetchall()
    return {str(name): (*of, re.sub(r"--[^\n]*|\s", "", str(sql))) for name, *of, sql in rows}


@cache
def _expected_definitions() -> dict[str, tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return _definitions(connection)


@cache
def _type_queries() -> dict[str, str]:
    """Return the query for a column with a value of another type than its own, for every table."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        tables = [name for name, of in _expected_definitions().items() if of[0] == "table"]
        columns = {name: connection.execute(f"PRAGMA table_info({name})").fetchall() for name in tables}
    return {
        table: f"SELECT CASE {' '.join(starmap(_type_case, listed))} END AS wrong FROM {table} "  # noqa: S608 - own names
        "WHERE wrong IS NOT NULL LIMIT 1"
        for table, listed in columns.items()
    }


def _type_case(_number: int, column: str, kind: str, is_required: int, _default: Any, is_key: int) -> str:
    types = [f"'{kind.lower()}'"] if kind else ["'integer'", "'real'", "'text'"]
    types += [] if is_required or is_key else ["'null'"]
    return f"WHEN typeof({column}) NOT IN ({', '.join(types)}) THEN '{column}'"


LEAST_ROOM = 2**20
ROOM_PER_ITEM = 4096


def check_new_run_file(path: Path, n_items: int, *, replace: bool = False) -> None:
    """Raise an error for a file that exists or cannot be written, and for a disk without room for a run.

    With ``replace`` it may exist if it is a run file that no other process is writing.
    """
    if path.exists() and not replace:
        raise _exists(path)
    if path.exists():
        settle_run_file(path)
    import shutil

    check_target(path)
    _check_remains(path)
    needed = LEAST_ROOM + ROOM_PER_ITEM * n_items
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise OptionError(f"{path}: cannot be written: the disk has {free} bytes left, the run needs about {needed}")


def _exists(path: Path) -> OptionError:
    return OptionError(
        f"{path}: exists already; continue it with resume (--resume), replace it with force (--force), or choose "
        "another name"
    )


def settle_run_file(path: Path) -> None:
    """Commit the write-ahead log of a killed run: SQLite would apply it to a new file of that name.

    Another file than a run file, and one that is being written, is an error.
    """
    with closing(open_run_file(path, write=True)) as connection, sqlite_errors(path):
        connection.execute("PRAGMA journal_mode = DELETE")


def give_name(temporary: Path, path: Path, *, replace: bool = False) -> None:
    """Rename the temporary file, unless another run has created the target in the meantime, or with ``replace``."""
    if replace:
        replace_lastingly(temporary, path)
        return
    sync(temporary)
    try:
        os.link(temporary, path)
        sync(path.parent)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without links
        replace_lastingly(temporary, path)


def _check_remains(path: Path) -> None:
    """Raise an error if a killed run has left a journal beside this name.

    SQLite would apply it to any database of that name. It is not deleted: its run may have been moved away.
    """
    for end in ("-wal", "-journal"):
        remains = path.with_name(path.name + end)
        if remains.exists() and remains.stat().st_size:
            raise OptionError(
                f"{remains}: belongs to an interrupted run whose file {path.name} is gone; put that file back, or "
                "delete this one, or choose another name"
            )
