"""The contents of a run: its facts, inputs, items and overlap tables, read from the file on demand, and its digests.

Digests are of values, segment by segment, so they depend neither on the order of writing nor on how counts are stored.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import closing
from functools import cached_property
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, Self

from segmetry._base import Column, errors_within, temporary_beside
from segmetry.errors import FormatError, UnknownNameError
from segmetry.overlaps import OverlapTable
from segmetry.runfile.collected import CollectedItems, CollectedKey, read_column, read_counted
from segmetry.runfile.memory import RunInMemory
from segmetry.runfile.overlap_columns import RunSideColumns, RunTables
from segmetry.runfile.schema import check_new_run_file, give_name, open_run_file, sqlite_errors
from segmetry.runfile.values import stored_id
from segmetry.segmentation import Segmentation

PairLoader = Callable[[], tuple[Segmentation, Segmentation]]
"""Loads the true and the predicted segmentation of one item."""


class RunContents:
    """The contents of a run file or of a run in memory; :class:`segmetry.Run` adds the scores that follow from them."""

    def __init__(self, source: sqlite3.Connection | RunInMemory, path: Path | None = None) -> None:
        self._source = source
        self._memory = source if isinstance(source, RunInMemory) else None
        self.path = path
        facts = dict(self._query("SELECT name, value FROM fact")) if self._memory is None else self._memory.facts
        self.facts: dict[str, str] = facts
        self.loaders: Mapping[str, PairLoader] = {}

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._source.connection if isinstance(self._source, RunInMemory) else self._source

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a run file, finished or not; raise an error for any other file."""
        return cls(open_run_file(path), Path(path))

    def save(self, path: str | Path, *, replace: bool = False) -> None:
        """Write a copy of the run to a file, also of a run in memory; ``replace`` an earlier one.

        >>> import segmetry as sm, tempfile
        >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run.save(f"{folder}/run.segm")
        ...     sm.Run.open(f"{folder}/run.segm").scalars() == run.scalars()
        True
        """
        target = Path(path)
        check_new_run_file(target, len(self.names), replace=replace)
        with sqlite_errors(target), temporary_beside(target) as temporary:
            with closing(sqlite3.connect(temporary)) as copy:
                self._connection.backup(copy)
            give_name(temporary, target, replace=replace)

    def close(self) -> None:
        """Close the file; what was loaded stays usable."""
        if self._memory is None:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _query(self, statement: str) -> list[tuple[Any, ...]]:
        with sqlite_errors(self.path):
            return self._connection.execute(statement).fetchall()

    @cached_property
    def tables_together(self) -> RunTables:
        """The overlap tables of all finished items in flat columns."""
        file = str(self.path or "")
        try:
            with errors_within(file), sqlite_errors(self.path):
                return self._memory.tables() if self._memory is not None else RunTables.load(self._connection, file)
        except (TypeError, ValueError, OverflowError, MemoryError):  # a value of another type than the schema says
            raise FormatError(f"{self.path}: corrupt run file: non-integer value in an integer column") from None

    def stored_scores(self) -> list[tuple[Any, ...]]:
        """Return the rows of the table ``score``, with the names of their items, in the order of the items."""
        if self._memory is not None:
            return self._memory.stored_scores()
        return self._query(
            "SELECT name, key, rule, value, reason, numerator, denominator, details FROM score JOIN item USING (item) "
            "ORDER BY score.item, key, rule"
        )

    def score_columns(self) -> Mapping[str, Any] | None:
        """Return the scores of all items in columns, by key of the metric, if a run in memory has them."""
        return None if self._memory is None else self._memory.score_columns()

    def collected(self) -> Mapping[CollectedKey, CollectedItems]:
        """Return the collected columns of finished items by key."""
        if self._memory is not None:
            return self._memory.collected()
        columns: dict[CollectedKey, dict[str, dict[str, Column]]] = {}
        for item, collector, options, rule, *column in self._query(
            "SELECT item.name, collector, options, rule, collected.name, type, shape, content "
            "FROM collected JOIN item USING (item) WHERE status = 'done'"
        ):
            by_item = columns.setdefault(CollectedKey(collector, options, rule), {})
            by_item.setdefault(item, {})[column[0]] = read_column((column[0], column[1], column[2], column[3]))
        return {key: CollectedItems(by_item) for key, by_item in columns.items()}

    @cached_property
    def counted_blocks(self) -> dict[str, tuple[int, int]]:
        """The number of counted blocks, and of all, of every unfinished volume that parts of a run divide."""
        names = dict(enumerate(self.names, 1))
        counted = read_counted(self._connection)
        return {names[item]: (len(blocks.blocks), blocks.n_blocks) for item, blocks in counted.items()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all items, finished or not."""
        if self._memory is not None:
            return self._memory.names
        return tuple(name for (name,) in self._query("SELECT name FROM item ORDER BY item"))

    @cached_property
    def files(self) -> dict[str, tuple[str | None, str | None]]:
        """The true and the predicted file of every item, relative to the folders of the inputs; empty without folders.

        >>> import segmetry as sm
        >>> sm.evaluate({"a": [[1]]}, {"a": [[1]]}, metrics="pq").files
        {}
        """
        if "files" not in self.facts:
            return {}
        try:
            listed = json.loads(self.facts["files"])
            both = [(true, pred) for true, pred in listed]
            is_text = all(file is None or isinstance(file, str) for pair in both for file in pair)
        except (ValueError, TypeError, RecursionError):
            is_text, both = False, []
        if not is_text or len(both) != len(self.names):
            raise FormatError(f"{self.path}: corrupt run file: the files of its items are not as they should be")
        return dict(zip(self.names, both, strict=True))

    @property
    def n_done(self) -> int:
        """The number of finished items."""
        if self._memory is not None:
            return self._memory.n_done
        return int(self._query("SELECT count(*) FROM item WHERE status = 'done'")[0][0])

    @property
    def is_complete(self) -> bool:
        """Whether every item is finished."""
        return self.n_done == len(self.names)

    @property
    def inputs(self) -> list[dict[str, str]]:
        """The inputs as plain rows: side, name, sha256."""
        rows = self._query("SELECT side, name, sha256 FROM input ORDER BY side, name")
        return [dict(zip(("side", "name", "sha256"), row, strict=True)) for row in rows]

    @property
    def most_elements(self) -> int:
        """The number of elements of the largest finished item."""
        return int(self._query("SELECT ifnull(max(n_elements), 0) FROM item")[0][0])

    @cached_property
    def class_names(self) -> Mapping[Hashable, str]:
        """The names that the data set gives to its classes, if any."""
        if self._memory is not None:
            return self._memory.class_names
        return dict(self._query("SELECT class, name FROM class_name"))

    def counts(self) -> dict[str, int]:
        """Count the true and pred segments and the overlap rows of the run."""
        tables = self.tables_together
        return {
            "true_segments": tables.true.sizes.size,
            "pred_segments": tables.pred.sizes.size,
            "overlap_rows": tables.shared.size,
        }

    def content_digest(self) -> str:
        """Return the sha256 of everything in the run: equal for equal runs, independent of engine and order."""
        with sqlite_errors(self.path):
            return content_digest(self._connection, self.tables_together)

    def truth_digests(self) -> dict[str, str]:
        """Return the sha256 of the true segments of every finished item: equal for runs on the same truth."""
        return truth_digests(self.tables_together)

    def results_digest(self, *, scores: bool = True) -> str:
        """Return the sha256 of predicted segments, overlaps and stored scores: equal for the same predictions.

        Without ``scores`` it is also equal for the same predictions under different rules.
        """
        with sqlite_errors(self.path):
            return results_digest(self._connection, self.tables_together, scores=scores)

    def statistics_digests(self) -> dict[str, str]:
        """Return the sha256 of all that is stored of every item, by its name: equal for an item that is counted again.

        >>> import segmetry as sm
        >>> true, pred = {"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}
        >>> sm.evaluate(true, pred).statistics_digests() == sm.evaluate(true, true).statistics_digests()
        False
        """
        import hashlib

        digests = {name: hashlib.sha256() for name in self.names}
        for query in _OF_ITEMS:
            for name, _, *row in self._query(query):
                blobs = [value for value in row if isinstance(value, bytes)]
                lengths = [len(value) if isinstance(value, bytes) else value for value in row]
                digests[name].update(b"".join([repr(lengths).encode(), *blobs]))
        return {name: digest.hexdigest() for name, digest in digests.items()}

    def frame_digest(self) -> str:
        """Return the sha256 of what is stored of no single item: settings, names, and the digests of the inputs."""
        queries = (_FACTS, "SELECT * FROM input ORDER BY side, name", "SELECT * FROM class_name ORDER BY class")
        return _hash_rows({query: self._query(query) for query in queries})

    @property
    def schema_version(self) -> int:
        """The version of the run file's schema."""
        return int(self._query("PRAGMA user_version")[0][0])

    def table(self, item: str) -> OverlapTable:
        """Return the overlap table of one finished item."""
        for at, facts in enumerate(self.tables_together.items):
            if facts.name == item:
                return self.tables_together.table(at)
        raise UnknownNameError(f"there is no finished item {item!r} in this run")

    def tables(self) -> Iterator[tuple[str, OverlapTable]]:
        """Yield name and overlap table of every finished item, in the order of the data set."""
        for at, facts in enumerate(self.tables_together.items):
            yield facts.name, self.tables_together.table(at)


RECEIPT = "receipt"
"""The fact that states what followed from a finished run: it is about the content, and no part of it."""
_FACTS = f"SELECT * FROM fact WHERE name <> '{RECEIPT}' ORDER BY name"  # noqa: S608 - a fixed name
_OF_ITEMS = (
    "SELECT name, * FROM item ORDER BY item.item",
    "SELECT name, counts.* FROM counts JOIN item USING (item) ORDER BY counts.item, part",
    "SELECT name, score.* FROM score JOIN item USING (item) ORDER BY score.item, key, rule",
    "SELECT item.name, collected.* FROM collected JOIN item USING (item) ORDER BY collected.item, 3, 4, 5, 6",
)
"""Everything that is stored of items; the first two columns are the name and the number of the item."""
_BATCH = 10_000
"""How many rows are hashed at once."""
_SCORES = "SELECT item.name, key, rule, value FROM score JOIN item USING (item) ORDER BY name, key, rule"
_COLLECTED = (
    "SELECT item.name, collector, options, rule, collected.name, content FROM collected JOIN item USING (item) "
    "ORDER BY item.name, collector, options, rule, 5"
)


def write_receipt(path: str | Path, text: str) -> None:
    """State in a finished run file what follows from it; an earlier statement is replaced."""
    with sqlite_errors(path), closing(open_run_file(path, write=True)) as connection:
        connection.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (RECEIPT, text))


def content_digest(connection: sqlite3.Connection, tables: RunTables) -> str:
    """Return the sha256 of all values in the order of their keys, with the type of every value."""
    keys = [item for (item,) in connection.execute("SELECT item FROM item WHERE status = 'done' ORDER BY item")]
    rows: dict[str, Iterable[tuple[Any, ...]]] = {
        "fact": connection.execute(_FACTS),
        "input": connection.execute("SELECT * FROM input ORDER BY side, name"),
        "class_name": connection.execute("SELECT * FROM class_name ORDER BY class"),
        "item": connection.execute("SELECT * FROM item ORDER BY item"),
        "segment": (
            (key, word, *row)
            for at, key in enumerate(keys)
            for word in ("pred", "true")
            for row in _segment_rows(tables, at, word)
        ),
        "overlap": ((key, *row) for at, key in enumerate(keys) for row in _overlap_rows(tables, at)),
        "score": connection.execute("SELECT * FROM score ORDER BY item, key, rule"),
        "collected": connection.execute("SELECT * FROM collected ORDER BY item, collector, options, rule, name"),
    }
    return _hash_rows(rows)


def truth_digests(tables: RunTables) -> dict[str, str]:
    """Return the sha256 of the true side of every item: n_elements, ids, classes, sizes and crowd of its segments."""
    import hashlib

    return {
        facts.name: hashlib.sha256(
            "".join(
                [repr(facts.n_elements)]
                + [repr([row[1], row[2], row[3], int(bool(row[6]))]) for row in _segment_rows(tables, at, "true")]
            ).encode()
        ).hexdigest()
        for at, facts in enumerate(tables.items)
    }


def results_digest(connection: sqlite3.Connection, tables: RunTables, *, scores: bool = True) -> str:
    """Return the sha256 of the predicted segments, their overlaps with the truth, and the stored scores if asked."""
    by_name = sorted((facts.name, at) for at, facts in enumerate(tables.items))
    segments = ((name, *row[:4]) for name, at in by_name for row in _segment_rows(tables, at, "pred"))
    overlaps = ((name, *row) for name, at in by_name for row in _overlap_rows(tables, at))
    stored = (connection.execute(query) for query in ((_SCORES, _COLLECTED) if scores else ()))
    return _hash_rows({"": chain(segments, overlaps, *stored)})


def _hash_rows(tables: dict[str, Iterable[tuple[Any, ...]]]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for name, rows in tables.items():
        digest.update(name.encode())
        remaining = iter(rows)
        while batch := list(islice(remaining, _BATCH)):
            digest.update("".join(map(repr, batch)).encode())
    return digest.hexdigest()


def _segment_rows(tables: RunTables, item: int, word: str) -> Iterator[tuple[Any, ...]]:
    """Yield position, id, class, size, outside, void and crowd code of the segments of one side of an item."""
    side: RunSideColumns = getattr(tables, word)
    facts, part = tables.items[item], side.part(item)
    has_crowd = facts.true_has_crowd if word == "true" else facts.pred_has_crowd
    crowd = side.crowd[part].astype(int) + side.superseded[part]
    names = tables.class_names
    return zip(  # noqa: B905 - constants have no end
        range(part.stop - part.start),
        map(stored_id, side.original_ids(part).tolist()),
        [names[code] for code in side.classes[part].tolist()] if facts.has_classes else repeat(None),
        side.sizes[part].tolist(),
        side.outside[part].tolist(),
        side.void[part].tolist(),
        crowd.tolist() if has_crowd else repeat(None),
    )


def _overlap_rows(tables: RunTables, item: int) -> Iterator[tuple[Any, ...]]:
    """Yield the positions of both segments and the shared elements of the overlaps of an item."""
    part = slice(int(tables.row_starts[item]), int(tables.row_starts[item + 1]))
    return zip(*(column[part].tolist() for column in (tables.row_true, tables.row_pred, tables.shared)), strict=True)
