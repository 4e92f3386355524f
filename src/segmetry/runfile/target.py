"""The target of a new run file: the checks before work starts, and the final rename."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from segmetry._base import check_target
from segmetry.errors import OptionError
from segmetry.runfile.schema import open_run_file, sqlite_errors

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
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without links
        temporary.replace(path)


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
