"""Putting parts of a run together: records unite by item, and what two parts say about one item must be the same.

The order of the parts does not matter, a part that is given twice changes nothing, and neither does merging what was
merged before. The whole has the content of a run that was never divided.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from segmetry.errors import InputError, OptionError
from segmetry.run.run import Run
from segmetry.run.schema import connect, open_run_file, sqlite_error
from segmetry.run.settings import Settings
from segmetry.run.writer import check_target, fill_run, user_mask

ROWS = ("segment", "overlap", "score")
_BOTH = "SELECT item FROM part.item WHERE status = 'done' INTERSECT SELECT item FROM main.item WHERE status = 'done'"
_NEW = "SELECT item FROM part.item WHERE status = 'done' EXCEPT SELECT item FROM main.item WHERE status = 'done'"


def merge_runs(parts: Iterable[str | Path], out: str | Path) -> Run:
    """The run made of several parts, in the file ``out``; if that exists already, it is one of the parts.

    >>> import segmetry as sm, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> true, pred = {"a": [[1, 2]], "b": [[1, 1]]}, {"a": [[1, 1]], "b": [[1, 1]]}
    >>> for part in ("1/2", "2/2"):
    ...     _ = sm.evaluate(true, pred, metrics="pq", out=folder / part[0], shard=part)
    >>> merge_runs([folder / "1", folder / "2"], folder / "all").summary()["pq"].mean.value
    0.5
    """
    target = Path(out)
    paths = list(dict.fromkeys(Path(part).resolve() for part in parts))
    if not paths:
        raise OptionError("no parts to merge; expected run files")
    if target.exists() and target.resolve() not in paths:
        paths.insert(0, target.resolve())
    names = _check_alike(paths)
    if not target.exists():
        check_target(target, names)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        os.close(handle)
    except OSError as problem:
        raise OptionError(f"{target}: cannot be written: {problem.strerror}") from None
    try:
        _write(Path(temporary), paths)
        Path(temporary).chmod(0o666 & ~user_mask())
        Path(temporary).replace(target)
    except OSError as problem:
        raise OptionError(f"{target}: cannot be written: {problem.strerror}") from None
    finally:
        Path(temporary).unlink(missing_ok=True)
    return Run.open(target)


def _facts(path: Path) -> tuple[dict[str, str], dict[tuple[str, str], str], list[str]]:
    """Facts, inputs and names of the items of a part."""
    with closing(open_run_file(path)) as connection:
        try:
            facts = dict(connection.execute("SELECT name, value FROM fact"))
            inputs = {
                (side, name): sha for side, name, sha in connection.execute("SELECT side, name, sha256 FROM input")
            }
            return facts, inputs, [name for (name,) in connection.execute("SELECT name FROM item ORDER BY item")]
        except (sqlite3.Error, UnicodeDecodeError) as problem:
            raise sqlite_error(problem, path) from None


def _check_alike(paths: Sequence[Path]) -> int:
    """Refuse parts of different runs; the number of items of the run."""
    first, *others = paths
    facts, inputs, names = _facts(first)
    for path in others:
        other_facts, other_inputs, other_names = _facts(path)
        if other_facts.get("segmetry") != facts.get("segmetry"):
            raise InputError(
                f"{path}: was made by segmetry {other_facts.get('segmetry')}, {first} by {facts.get('segmetry')}; "
                "expected parts of one version"
            )
        settings = [Settings.from_json(found.get("settings", "")) for found in (facts, other_facts)]
        wrong = settings[0].differences(settings[1])
        if wrong:
            raise InputError(f"{path}: has other settings than {first}: {'; '.join(wrong)}; expected parts of one run")
        changed = sorted(key for key in inputs.keys() | other_inputs.keys() if inputs.get(key) != other_inputs.get(key))
        if changed:
            raise InputError(
                f"{path}: has another input {changed[0][1]} of {changed[0][0]} than {first}; expected parts of one run"
            )
        if other_names != names:
            raise InputError(f"{path}: has other items than {first} ({len(other_names)} and {len(names)})")
    return len(names)


def _write(temporary: Path, paths: Sequence[Path]) -> None:
    facts, inputs, names = _facts(paths[0])
    facts.pop("shard", None)
    with closing(connect(temporary, "rwc")) as connection:
        fill_run(connection, facts, inputs, names)
        for path in paths:
            try:
                connection.execute("ATTACH ? AS part", (f"{path.absolute().as_uri()}?mode=ro",))
                connection.execute("BEGIN")
                _check_same_records(connection, path)
                _take(connection)
                connection.execute("COMMIT")
                connection.execute("DETACH part")
            except (sqlite3.Error, UnicodeDecodeError) as problem:
                raise sqlite_error(problem, path) from None


def _check_same_records(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a part that says something else about an item than the parts before."""
    for table in ("item", *ROWS):
        for one, other in (("part", "main"), ("main", "part")):
            query = (
                f"SELECT name FROM part.item WHERE item = (SELECT item FROM (SELECT * FROM {one}.{table} "  # noqa: S608 - fixed names
                f"WHERE item IN ({_BOTH}) EXCEPT SELECT * FROM {other}.{table}) ORDER BY item LIMIT 1)"
            )
            found = connection.execute(query).fetchone()
            if found is not None:
                raise InputError(
                    f"{path}: item {found[0]!r} has another {table} than in a part before; "
                    "expected the same result for one item"
                )


def _take(connection: sqlite3.Connection) -> None:
    """Copy what is done in the part and not yet in the whole."""
    connection.execute(f"CREATE TEMP TABLE new AS {_NEW}")
    connection.execute("DELETE FROM main.item WHERE item IN (SELECT item FROM temp.new)")
    for table in ("item", *ROWS):
        connection.execute(
            f"INSERT INTO main.{table} SELECT * FROM part.{table} WHERE item IN (SELECT item FROM temp.new)"  # noqa: S608 - fixed names
        )
    connection.execute("DROP TABLE temp.new")
