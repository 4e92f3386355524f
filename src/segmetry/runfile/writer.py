"""Write a run file: created completely or not at all, then items in transactions, so that a killed process loses
only items that are unfinished or not yet committed.

The file is in write-ahead mode while the run goes on (a killed process leaves a valid database at every moment) and
becomes one plain file at the end. The writer locks it exclusively: a second process that wants to write it gets
an error.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import field
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from segmetry._base import ColumnsOfItem, __version__, errors_within, frozen_dataclass, sync, temporary_beside
from segmetry.errors import FormatError, InputError
from segmetry.overlaps import ItemTables, OverlapTable
from segmetry.runfile.collected import (
    FORGET,
    FORGET_ALL,
    CollectedKey,
    CollectedTogether,
    CountedBlocks,
    column_rows,
    read_counted,
    write_counted,
)
from segmetry.runfile.counts import INSERT_COUNTS, rows_of_items, table_rows
from segmetry.runfile.schema import (
    APPLICATION_ID,
    SCHEMA,
    VERSION,
    check_new_run_file,
    connect,
    connect_in_memory,
    give_name,
    open_run_file,
    sqlite_errors,
)
from segmetry.runfile.values import stored_class, stored_classes, stored_text

Fingerprints = Mapping[tuple[str, str], str]
"""The sha256 of every input by side and name."""
ITEMS_TOGETHER, ROWS_TOGETHER = 256, 2**15
"""How many items, or segments and overlaps of them, are packed together, however long it is until a commit."""
Rows = list[tuple[Any, ...]]

_FACTS = (
    "kind, axes, n_elements, outside_outside, outside_void, void_outside, void_void, true_disjoint, pred_disjoint, "
    "has_classes, true_has_crowd, pred_has_crowd"
)
_FINISH = f"UPDATE item SET status = 'done', ({_FACTS}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE item = ?"  # noqa: S608
_SCORE = "INSERT INTO score VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_COLLECTED = "INSERT INTO collected VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


@frozen_dataclass(eq=False)
class ItemResult:
    """One item; ``kind`` and ``axes`` say what its segmentations were.

    ``scores`` are rows of the table ``score`` without the item, ``collected`` the columns of metrics of a data set.
    """

    name: str
    table: OverlapTable
    kind: str | None = None
    axes: int | None = None
    scores: Sequence[tuple[Any, ...]] = ()
    collected: Mapping[CollectedKey, ColumnsOfItem] = field(default_factory=dict)


@frozen_dataclass(eq=False)
class GroupResults:
    """What an :class:`ItemResult` has, for ``n`` items of one kind that are evaluated together.

    ``count`` returns their overlaps; ``classes`` are those of both sides, None where the segments have none. ``scores``
    are all scores of each item, rows of the table ``score`` without the item, and empty where there are none.
    """

    n: int
    count: Callable[[], ItemTables]
    kind: str
    axes: int | None = None
    classes: tuple[frozenset[Hashable], frozenset[Hashable]] | None = None
    scores: Sequence[Sequence[tuple[Any, ...]]] = ()
    collected: Mapping[CollectedKey, CollectedTogether] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.n

    @cached_property
    def tables(self) -> ItemTables:
        """The overlap tables, counted when they are asked for."""
        return self.count()


class RunWriter:
    """An open run file to which items are added; ``pending`` are the positions of items that are not done.

    ``changed`` are the inputs that have changed since the run was started; ``counted`` are the blocks of unfinished
    items that were saved last; ``n_done`` is the number of items that are committed, and ``n_added`` that of those
    added since.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self.connection, self.path = connection, path
        self.changed: frozenset[tuple[str, str]] = frozenset()
        self.counted = read_counted(connection)
        rows = connection.execute("SELECT item, name, status FROM item ORDER BY item").fetchall()
        self.names = [name for _, name, _ in rows]
        self.pending = [item for item, _, status in rows if status == "pending"]
        self.n_done = len(rows) - len(self.pending)
        self.n_added = 0
        self._waiting: list[ItemRows] = []
        self._n_waiting_rows = 0
        self._has_saved_blocks = bool(self.counted)
        self._is_synced = self._has_log = False

    @classmethod
    def create(
        cls,
        path: Path | None,
        settings: str,
        inputs: Fingerprints,
        names: Sequence[str],
        facts: Mapping[str, str] | None = None,
        class_names: Mapping[Hashable, str] | None = None,
        *,
        replace: bool = False,
    ) -> RunWriter:
        """Create a run file, or a run in memory for None; raise an error for a target that cannot be written.

        A run file that exists is an error, unless it shall be replaced.
        """
        every = {**(facts or {}), "segmetry": __version__, "settings": settings}
        if path is None:
            connection = connect_in_memory()
            fill_run(connection, every, inputs, names, class_names or {})
            return cls(connection, None)
        check_new_run_file(path, len(names), replace=replace)
        with sqlite_errors(path), temporary_beside(path) as temporary:
            with closing(connect(temporary, "rwc")) as connection:
                fill_run(connection, every, inputs, names, class_names or {})
            give_name(temporary, path, replace=replace)
        return cls._opened(path)

    @classmethod
    def resume(
        cls,
        path: Path,
        settings: str,
        inputs: Fingerprints,
        names: Sequence[str],
        shard: str | None = None,
        are_of_pending: Callable[[frozenset[tuple[str, str]], Sequence[int]], bool] | None = None,
    ) -> RunWriter:
        """Open an interrupted run; raise an error for other settings, inputs or another version of segmetry.

        ``are_of_pending`` says whether changed inputs belong to unfinished items alone, for which they are accepted.
        """
        writer = cls._opened(path)
        try:
            with sqlite_errors(path):
                _check_same(writer, settings, inputs, names, are_of_pending)
                _check_shard(writer, shard)
        except BaseException:
            writer.connection.close()
            raise
        return writer

    @classmethod
    def _opened(cls, path: Path) -> RunWriter:
        connection = open_run_file(path, write=True)
        try:
            with sqlite_errors(path):
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("BEGIN IMMEDIATE")  # takes the lock, and fails here if the file is read-only
                connection.execute("COMMIT")
                return cls(connection, path)
        except FormatError:
            connection.close()
            raise

    def add(self, results: Iterable[tuple[int, ItemResult]]) -> None:
        """Add some items; if one of them cannot be written, those before it. :meth:`commit` makes them lasting.

        They are packed together, when many are waiting or with the commit.
        """
        for item, result in results:
            self._waiting.append(ItemRows.of(item, result))
            self.n_added += 1
            self._n_waiting_rows += len(result.table.true) + len(result.table.pred) + len(result.table)
        if len(self._waiting) >= ITEMS_TOGETHER or self._n_waiting_rows >= ROWS_TOGETHER:
            self._write_waiting()

    def add_group(self, items: Sequence[int], results: GroupResults) -> None:
        """Add items that were evaluated together."""
        statements = group_statements(items, results, self.counted)
        self._write_waiting()
        self._write(lambda: statements)
        self.n_added += len(items)

    def _write_waiting(self) -> None:
        if self._waiting:
            self._write(lambda: item_statements(self._waiting, self.counted))
            self._waiting, self._n_waiting_rows = [], 0

    def _write(self, make_statements: Callable[[], Mapping[str, list[tuple[Any, ...]]]]) -> None:
        """Execute statements, each with all of its rows; where that fails, no item of the transaction is added."""
        with sqlite_errors(self.path):
            try:
                if not self.connection.in_transaction:
                    self.connection.execute("BEGIN")
                for statement, rows in make_statements().items():
                    self.connection.executemany(statement, rows)
            except BaseException:  # half an item must not be committed, so no item of the transaction is
                self._waiting, self._n_waiting_rows, self.n_added = [], 0, 0
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def commit(self, *, synced: bool = False) -> None:
        """Make the items that were added lasting: a killed process does not lose them, and nothing does if synced."""
        self._write_waiting()
        with sqlite_errors(self.path):
            if self.connection.in_transaction:
                self.connection.execute("COMMIT")
                self._is_synced = False
        if synced and self.path is not None and not self._is_synced:
            log = self.path.with_name(f"{self.path.name}-wal")
            try:
                for place in (log,) if self._has_log else (log, log.parent):
                    sync(place)
            except OSError as problem:
                raise FormatError(f"{log}: cannot be written: {problem.strerror}") from None
            self._is_synced = self._has_log = True
        self.n_done += self.n_added
        self.n_added = 0

    def save_counted(self, items: Mapping[int, CountedBlocks]) -> None:
        """Write the counted blocks of unfinished items, which replace those in the file; a run in memory has none."""
        if self.path is None or not (items or self.counted):
            return
        self.commit()
        with sqlite_errors(self.path):
            try:
                write_counted(self.connection, items)
            except sqlite3.Error:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        self.counted, self._has_saved_blocks = dict(items), True

    def finish(self) -> None:
        """Finish the run: leave one plain file."""
        self.commit()
        if self.path is not None:
            with closing(self.connection), sqlite_errors(self.path):
                self.connection.execute("PRAGMA journal_mode = DELETE")
                if self._has_saved_blocks:
                    self.connection.execute("VACUUM")  # the room of blocks that are not needed any more

    def close(self) -> None:
        """Close the file with all items that were added, to be resumed later."""
        if self.path is not None:
            with closing(self.connection), suppress(FormatError):  # a full disk has been reported already
                self.commit()


def fill_run(
    connection: sqlite3.Connection,
    facts: Mapping[str, str],
    inputs: Fingerprints,
    names: Sequence[str],
    class_names: Mapping[Hashable, str],
) -> None:
    """Write the tables of a run in which every item is pending."""
    connection.executescript(f"BEGIN; {SCHEMA}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.executemany("INSERT INTO fact VALUES (?, ?)", sorted(facts.items()))
    connection.executemany("INSERT INTO input VALUES (?, ?, ?)", [(*key, sha256) for key, sha256 in inputs.items()])
    names_of_classes = [(stored_class(label), stored_text(name)) for label, name in class_names.items()]
    connection.executemany("INSERT INTO class_name VALUES (?, ?)", names_of_classes)
    pending = [(at, name, "pending") for at, name in enumerate(names, start=1)]
    connection.executemany("INSERT INTO item (item, name, status) VALUES (?, ?, ?)", pending)
    connection.execute("COMMIT")


def changed_input(before: Fingerprints, now: Fingerprints) -> str | None:
    """Describe the first input that has changed; None where none has."""
    changed = sorted(_changed_keys(before, now))
    if not changed:
        return None
    side, name = changed[0]
    word = "is gone" if changed[0] not in now else "has changed" if changed[0] in before else "is new"
    more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
    return f"the input {name} of {side} {word} since the run started{more}"


def _changed_keys(before: Fingerprints, now: Fingerprints) -> frozenset[tuple[str, str]]:
    return frozenset(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))


def _check_same(
    writer: RunWriter,
    settings: str,
    inputs: Fingerprints,
    names: Sequence[str],
    are_of_pending: Callable[[frozenset[tuple[str, str]], Sequence[int]], bool] | None,
) -> None:
    path, connection = writer.path, writer.connection
    facts = dict(connection.execute("SELECT name, value FROM fact").fetchall())
    if facts.get("segmetry") != __version__:
        raise InputError(
            f"{path}: was started by segmetry {facts.get('segmetry')}, this is {__version__}; "
            "finish it with the same version"
        )
    wrong = settings_differences(facts.get("settings", ""), settings)
    if wrong:
        raise InputError(f"{path}: was started with other settings: {'; '.join(wrong)}; expected the same to resume")
    stored = {(side, name): sha256 for side, name, sha256 in connection.execute("SELECT * FROM input")}
    writer.changed = _changed_keys(stored, inputs)
    is_started = len(writer.pending) < len(writer.names)
    if writer.changed and is_started and not (are_of_pending and are_of_pending(writer.changed, writer.pending)):
        raise InputError(f"{path}: {changed_input(stored, inputs)}; restore it, or start a new run")
    if writer.names != list(names):
        raise InputError(f"{path}: was started with {len(writer.names)} items, now there are {len(names)} others")
    if writer.changed:  # no item that is done has been read from them: they may have been corrected
        _replace_inputs(connection, inputs)


def settings_differences(before: str, now: str) -> list[str]:
    """Describe the settings (JSON) that differ, for the error message of a run that cannot be resumed or merged."""
    try:
        first, second = json.loads(before), json.loads(now)
        return [
            f"{name} was {_as_stated(first.get(name))!r} and is now {_as_stated(second.get(name))!r}"
            for name in {**first, **second}
            if first.get(name) != second.get(name)
        ]
    except (ValueError, AttributeError, RecursionError):
        raise FormatError("corrupt run file: its settings cannot be read") from None


def _as_stated(setting: Any) -> Any:
    """Return a setting of JSON as a program states it: several names are a tuple."""
    return tuple(setting) if isinstance(setting, list) else setting


def _replace_inputs(connection: sqlite3.Connection, inputs: Fingerprints) -> None:
    connection.execute("BEGIN")
    connection.execute("DELETE FROM input")
    connection.execute(FORGET_ALL)  # the blocks that were not read from them are written again
    connection.executemany("INSERT INTO input VALUES (?, ?, ?)", [(*key, sha256) for key, sha256 in inputs.items()])
    connection.execute("COMMIT")


def _check_shard(writer: RunWriter, shard: str | None) -> None:
    before = writer.connection.execute("SELECT value FROM fact WHERE name = 'shard'").fetchone()
    if (before and before[0]) != shard:
        words = [
            f"the part {shard_name}" if shard_name else "a whole run" for shard_name in (before and before[0], shard)
        ]
        raise InputError(f"{writer.path}: was started as {words[0]}, this is {words[1]}; expected the same to resume")


class ItemRows(NamedTuple):
    """The rows of one finished item, but for its counts, which are written together with those of others."""

    item: int
    facts: tuple[Any, ...]
    table: OverlapTable
    scores: Rows
    collected: Rows

    @classmethod
    def of(cls, item: int, result: ItemResult) -> ItemRows:
        """Return the rows of an item; one that cannot be stored is an error here, before it is added."""
        with errors_within(f"item {result.name}"):
            stored_classes(result.table.class_names or ())
        return cls(
            item,
            fact_row(item, result),
            result.table,
            [(item, *row) for row in result.scores],
            [
                (item, *collected_key, *column)
                for collected_key, columns in result.collected.items()
                for column in column_rows(columns)
            ],
        )


def item_statements(items: Sequence[ItemRows], counted: Collection[int]) -> dict[str, Rows]:
    """Return the statements that write finished items, with the rows of each.

    ``counted`` are the items of which the file has counted blocks, which are no longer needed.
    """
    statements = {
        _FINISH: [rows.facts for rows in items],
        FORGET: [(rows.item,) for rows in items if rows.item in counted],
        INSERT_COUNTS: list(table_rows((rows.item, rows.table) for rows in items)),
        _SCORE: [row for rows in items for row in rows.scores],
        _COLLECTED: [row for rows in items for row in rows.collected],
    }
    return {statement: rows for statement, rows in statements.items() if rows}


def group_statements(items: Sequence[int], results: GroupResults, counted: Collection[int]) -> dict[str, Rows]:
    """Return the same for items that were evaluated together."""
    statements = {
        _FINISH: fact_rows_of_group(items, results),
        FORGET: [(item,) for item in items if item in counted],
        INSERT_COUNTS: list(rows_of_items(items, results.tables)),
        _SCORE: [(item, *row) for item, rows in zip(items, results.scores, strict=False) for row in rows],
        _COLLECTED: [
            (item, *key, *column)
            for key, together in results.collected.items()
            for item, columns in zip(items, together.items(), strict=True)
            for column in column_rows(columns)
        ],
    }
    return {statement: rows for statement, rows in statements.items() if rows}


def fact_rows_of_group(items: Sequence[int], results: GroupResults) -> Rows:
    """Return the facts about items that were evaluated together, each with the number of its item at the end."""
    tables = results.tables
    has_classes = repeat(tables.table.class_names is not None)
    crowds = (repeat(False) if flags is None else flags.tolist() for flags in tables.have_crowd)
    facts = *tables.counts.T.tolist(), *repeat(repeat(True), 2), has_classes, *crowds
    return list(zip(repeat(results.kind), repeat(results.axes), *facts, items))


def fact_row(item: int, result: ItemResult) -> tuple[Any, ...]:
    """Return the facts about an item, with its number at the end."""
    table, background = result.table, result.table.background
    return (
        result.kind,
        result.axes,
        table.n_elements,
        background.outside_outside,
        background.outside_void,
        background.void_outside,
        background.void_void,
        table.true.disjoint,
        table.pred.disjoint,
        table.class_names is not None,
        table.true.crowd is not None,
        table.pred.crowd is not None,
        item,
    )
