"""The parts of a run: which items or slabs each evaluates, and how their files are merged by item.

A part is every n-th item, so that costly neighbours are spread evenly. Where there are fewer items than parts, it is a
slab of every large volume: consecutive blocks, which lie side by side along the first axis.

Results of the same item must be equal in all parts. The order of the parts does not matter, a part that is named twice
changes nothing, and neither does merging again. The merged run has the content of a run that was never divided; where
the parts are slabs of a volume, once it has been resumed, which scores the volume from the sum of their counts.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Hashable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from segmetry._base import errors_within, frozen_dataclass, replace_lastingly, temporary_beside
from segmetry.errors import InputError, OptionError
from segmetry.runfile.collected import CountedBlocks, add_part, read_counted, write_counted
from segmetry.runfile.contents import RECEIPT
from segmetry.runfile.schema import check_new_run_file, connect, open_run_file, settle_run_file, sqlite_errors
from segmetry.runfile.writer import fill_run, settings_differences


@frozen_dataclass()
class Shard:
    """Part ``number`` of ``count``, counted from 1."""

    number: int
    count: int

    @classmethod
    def of(cls, text: str) -> Shard:
        """Return the part ``NUMBER/COUNT``."""
        match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", str(text))
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise OptionError(f"shard is {text!r}; expected NUMBER/COUNT with NUMBER from 1 to COUNT, such as 3/16")
        return cls(int(match[1]), int(match[2]))

    def takes(self, item: int) -> bool:
        """Return whether an item, counted from 1, belongs to this part."""
        return (item - self.number) % self.count == 0

    def divides_volumes(self, n_items: int) -> bool:
        """Return whether the parts of a data set of so many items are slabs of its volumes."""
        return n_items < self.count

    def slab(self, n_blocks: int) -> range:
        """Return the blocks of a volume that belong to this part."""
        return range(n_blocks * (self.number - 1) // self.count, n_blocks * self.number // self.count)

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


ROWS = {"item": "item", "counts": "overlap table", "score": "score", "collected": "collected column"}
"""The tables with rows of items, and what they are called in messages."""
_BOTH = "SELECT item FROM part.item WHERE status = 'done' INTERSECT SELECT item FROM main.item WHERE status = 'done'"
_NEW = "SELECT item FROM part.item WHERE status = 'done' EXCEPT SELECT item FROM main.item WHERE status = 'done'"


def merge_files(parts: Iterable[str | Path], target: Path) -> None:
    """Merge the files of several parts of a run into one; a target that exists is one of the parts."""
    paths = list(dict.fromkeys(Path(part).resolve() for part in parts))
    if not paths:
        raise OptionError("no parts to merge; expected run files")
    if target.exists() and target.resolve() not in paths:
        paths.insert(0, target.resolve())
    identities = [_RunIdentity.of(path) for path in paths]
    for identity in identities[1:]:
        _check_alike(identities[0], identity)
    if target.exists():
        settle_run_file(target)
    else:
        check_new_run_file(target, len(identities[0].items))
    with temporary_beside(target) as temporary:
        _write(temporary, identities)
        replace_lastingly(temporary, target)


@dataclass(frozen=True)
class _RunIdentity:
    """The facts that all parts of a run have in common, except paths, which may be written differently."""

    path: Path
    facts: dict[str, str]
    inputs: dict[tuple[str, str], str]
    items: list[str]
    class_names: dict[Hashable, str]

    @classmethod
    def of(cls, path: Path) -> _RunIdentity:
        with closing(open_run_file(path)) as connection, sqlite_errors(path):
            facts = dict(connection.execute("SELECT name, value FROM fact"))
            rows = connection.execute("SELECT side, name, sha256 FROM input")
            inputs = {(side, name): sha256 for side, name, sha256 in rows}
            items = [name for (name,) in connection.execute("SELECT name FROM item ORDER BY item")]
            return cls(path, facts, inputs, items, dict(connection.execute("SELECT class, name FROM class_name")))


def _check_alike(first: _RunIdentity, other: _RunIdentity) -> None:
    versions = [part.facts.get("segmetry") for part in (first, other)]
    if versions[0] != versions[1]:
        raise InputError(
            f"{other.path}: was written by segmetry {versions[1]}, {first.path} by {versions[0]}; "
            "expected parts of one version"
        )
    wrong = settings_differences(*(part.facts.get("settings", "") for part in (first, other)))
    if wrong:
        raise InputError(
            f"{other.path}: has other settings than {first.path}: {'; '.join(wrong)}; expected parts of one run"
        )
    keys = first.inputs.keys() | other.inputs.keys()
    changed = sorted(key for key in keys if first.inputs.get(key) != other.inputs.get(key))
    if changed:
        side, name = changed[0]
        raise InputError(
            f"{other.path}: has another input {name} of {side} than {first.path}; expected parts of one run"
        )
    if other.items != first.items or other.class_names != first.class_names:
        word = "items" if other.items != first.items else "names of classes"
        raise InputError(f"{other.path}: has other {word} than {first.path}; expected parts of one run")


def _write(temporary: Path, parts: Sequence[_RunIdentity]) -> None:
    names = {name for part in parts for name in part.facts if name not in ("shard", RECEIPT)}
    facts = {name: min(part.facts[name] for part in parts if name in part.facts) for name in names}  # in any order
    with closing(connect(temporary, "rwc")) as connection:
        fill_run(connection, facts, parts[0].inputs, parts[0].items, parts[0].class_names)
        _add_items(connection, parts)
        _add_counted(connection, parts)


def _add_items(connection: sqlite3.Connection, parts: Sequence[_RunIdentity]) -> None:
    for part in parts:
        with sqlite_errors(part.path):
            connection.execute("ATTACH ? AS part", (f"{part.path.absolute().as_uri()}?mode=ro",))
            connection.execute("BEGIN")
            _check_same_records(connection, part.path)
            _take(connection)
            connection.execute("COMMIT")
            connection.execute("DETACH part")


def _add_counted(connection: sqlite3.Connection, parts: Sequence[_RunIdentity]) -> None:
    """Add up the counted blocks of items that no part has finished."""
    pending = dict(connection.execute("SELECT item, name FROM item WHERE status = 'pending'"))
    total: dict[int, CountedBlocks] = {}
    for part in parts:
        with closing(open_run_file(part.path)) as source:
            counted = read_counted(source)
        for item in counted.keys() & pending.keys():
            with errors_within(str(part.path)):
                total[item] = add_part(pending[item], total.get(item), counted[item])
    write_counted(connection, total)


def _check_same_records(connection: sqlite3.Connection, path: Path) -> None:
    """Raise an error for a part whose result for an item differs from that of the parts before."""
    for table, word in ROWS.items():
        for source, target in (("part", "main"), ("main", "part")):
            query = (
                f"SELECT name FROM part.item WHERE item = (SELECT item FROM (SELECT * FROM {source}.{table} "  # noqa: S608 - fixed names
                f"WHERE item IN ({_BOTH}) EXCEPT SELECT * FROM {target}.{table}) ORDER BY item LIMIT 1)"
            )
            row = connection.execute(query).fetchone()
            if row is not None:
                raise InputError(
                    f"{path}: item {row[0]!r} has another {word} than in a part before; "
                    "expected the same result for the same item"
                )


def _take(connection: sqlite3.Connection) -> None:
    """Copy the items that are done in the part and not yet in the merged run."""
    connection.execute(f"CREATE TEMP TABLE new AS {_NEW}")
    connection.execute("DELETE FROM main.item WHERE item IN (SELECT item FROM temp.new)")
    for table in ROWS:
        connection.execute(
            f"INSERT INTO main.{table} SELECT * FROM part.{table} WHERE item IN (SELECT item FROM temp.new)"  # noqa: S608 - fixed names
        )
    connection.execute("DROP TABLE temp.new")
