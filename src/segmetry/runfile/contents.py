"""The contents of a run: its facts, inputs, items and overlap tables, read from the file on demand."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from segmetry._base import temporary_beside
from segmetry.errors import FormatError, UnknownNameError
from segmetry.overlaps import OverlapTable
from segmetry.runfile.counted_blocks import read_counted
from segmetry.runfile.overlap_columns import RunTables
from segmetry.runfile.schema import open_run_file, sqlite_errors
from segmetry.runfile.target import check_new_run_file, give_name
from segmetry.segmentation import Segmentation

PairLoader = Callable[[], tuple[Segmentation, Segmentation]]
"""Loads the true and the predicted segmentation of one item."""


class RunContents:
    """The contents of a run file or of a run in memory; :class:`segmetry.Run` adds the scores that follow from them."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None = None) -> None:
        self._connection = connection
        self.path = path
        self.facts: dict[str, str] = dict(self._query("SELECT name, value FROM fact"))
        self.loaders: Mapping[str, PairLoader] = {}

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
        try:
            with sqlite_errors(self.path):
                return RunTables.load(self._connection)
        except FormatError as problem:
            raise problem.within(str(self.path or "the run")) from None
        except (TypeError, ValueError, OverflowError, MemoryError):  # a value of another type than the schema says
            raise FormatError(f"{self.path}: corrupt run file: non-integer value in an integer column") from None

    def stored_scores(self) -> list[tuple[Any, ...]]:
        """Return the rows of the table ``score``, with the names of their items, in the order of the items."""
        return self._query(
            "SELECT name, key, rule, value, reason, numerator, denominator, details FROM score JOIN item USING (item) "
            "ORDER BY score.item, key, rule"
        )

    def stored_columns(self) -> list[tuple[Any, ...]]:
        """Return the rows of the table ``collected`` of finished items, with the names of their items."""
        return self._query(
            "SELECT item.name, collector, options, rule, collected.name, type, shape, content "
            "FROM collected JOIN item USING (item) WHERE status = 'done'"
        )

    @cached_property
    def counted_blocks(self) -> dict[str, tuple[int, int]]:
        """The number of counted blocks, and of all, of every unfinished volume that parts of a run divide."""
        names = dict(enumerate(self.names, 1))
        counted = read_counted(self._connection)
        return {names[item]: (len(blocks.blocks), blocks.n_blocks) for item, blocks in counted.items()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all items, finished or not."""
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
        from segmetry.runfile.digests import content_digest

        return content_digest(self._connection, self.tables_together)

    def truth_digests(self) -> dict[str, str]:
        """Return the sha256 of the true segments of every finished item: equal for runs on the same truth."""
        from segmetry.runfile.digests import truth_digests

        return truth_digests(self.tables_together)

    def results_digest(self) -> str:
        """Return the sha256 of predicted segments, overlaps and stored scores: equal for the same predictions."""
        from segmetry.runfile.digests import results_digest

        return results_digest(self._connection, self.tables_together)

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
