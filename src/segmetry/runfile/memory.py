"""A run in memory: results as they are computed. A database is made of them only where one is asked for."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np

from segmetry._base import ColumnsOfItem, IntArray, __version__, errors_within
from segmetry.errors import DataWarning
from segmetry.overlaps import sorted_names
from segmetry.runfile.collected import CollectedItems, CollectedKey, CollectedTogether, CountedBlocks, as_read
from segmetry.runfile.counts import CountBatch, columns_of_items, columns_of_tables, join_counts
from segmetry.runfile.overlap_columns import FactColumns, PostponedTables, RunTables, facts_of_group, facts_of_rows
from segmetry.runfile.values import stored_class, stored_classes, stored_text
from segmetry.runfile.writer import ITEMS_TOGETHER, GroupResults, ItemResult, RunWriter, fact_row
from segmetry.segmentation import Spans


class RunInMemory:
    """A run to which items are added, as to a :class:`RunWriter`, and which is read without a database."""

    path = None
    changed: frozenset[tuple[str, str]] = frozenset()

    def __init__(
        self,
        settings: str,
        names: Sequence[str],
        facts: Mapping[str, str] | None = None,
        class_names: Mapping[Hashable, str] | None = None,
    ) -> None:
        self.facts = dict(sorted({**(facts or {}), "segmetry": __version__, "settings": settings}.items()))
        self.names = tuple(names)
        called = {stored_class(label): stored_text(name) for label, name in (class_names or {}).items()}
        in_order = sorted(called, key=lambda label: (isinstance(label, str), label))  # numbers, then text, as in a file
        self.class_names: dict[Hashable, str] = {label: called[label] for label in in_order}
        self.pending = list(range(1, len(self.names) + 1))
        self.counted: dict[int, CountedBlocks] = {}
        self.n_done = 0
        self._waiting: list[tuple[int, ItemResult]] = []
        self._facts: list[tuple[IntArray, FactColumns]] = []
        self._counts: list[CountBatch] = []
        self._classes: dict[Hashable, int] = {}
        self._scores: dict[int, Sequence[tuple[Any, ...]]] = {}
        self._collected: dict[int, Mapping[CollectedKey, ColumnsOfItem]] = {}
        self._groups: list[tuple[Sequence[int], GroupResults]] = []
        self._n_taken = 0
        self._postponed: Callable[[], Any] | None = None
        self._known: tuple[str, tuple[Hashable, ...] | None] = ("", ())
        self._together: dict[CollectedKey, CollectedItems] = {}

    def postpone(
        self, key: CollectedKey, together: CollectedTogether, kind: str, names: set[Hashable], count: Callable[[], Any]
    ) -> None:
        """Take what all items of a kind contribute; ``count`` adds them, where their overlaps are asked for.

        ``names`` are the classes that occur.
        """
        self._together, self._known = {key: CollectedItems({}, [(self.names, together)])}, (kind, sorted_names(names))
        self._postponed, self.n_done = count, len(self.names)

    def _count_postponed(self) -> None:
        if self._postponed is not None:
            count, self._postponed, self.n_done = self._postponed, None, 0
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # nothing was worth one when the files were read
                count()

    def add(self, results: Iterable[tuple[int, ItemResult]]) -> None:
        """Add some items; one that a file could not store is an error here too."""
        for item, result in results:
            with errors_within(f"item {result.name}"):
                stored_classes(result.table.class_names or ())
                for columns in result.collected.values():
                    for column in columns.values():
                        if not isinstance(column, np.ndarray):
                            stored_classes(column)
            self._waiting.append((item, result))
            if len(self._waiting) == ITEMS_TOGETHER:
                self._take_waiting()
            self.n_done += 1

    def _take_waiting(self) -> None:
        """Keep columns instead of tables: the garbage collector visits the objects of all items again and again."""
        if self._waiting:
            names = [result.name for _, result in self._waiting]
            self._facts.append(facts_of_rows(names, [fact_row(item, result) for item, result in self._waiting]))
            items, tables = zip(*((item, result.table) for item, result in self._waiting), strict=True)
            self._counts.append(columns_of_tables(items, tables, self._classes))
            self._scores.update((item, result.scores) for item, result in self._waiting)
            self._collected.update((item, result.collected) for item, result in self._waiting if result.collected)
            self._waiting = []

    def add_group(self, items: Sequence[int], results: GroupResults) -> None:
        """Add items that were evaluated together."""
        self._groups.append((items, results))
        self.n_done += len(items)

    def commit(self, *, synced: bool = False) -> None:
        """Do nothing: there is no file."""

    def save_counted(self, items: Mapping[int, CountedBlocks]) -> None:
        """Do nothing: counted blocks are saved to resume a file."""

    def finish(self) -> None:
        """Do nothing: there is no file."""

    def close(self) -> None:
        """Do nothing: there is no file."""

    def tables(self) -> RunTables:
        """Return the overlap tables of all finished items in flat columns, or what counts them when it is asked."""
        if not self.is_postponed:
            return self._counted_tables()
        kind, names = self._known
        if self._postponed is None and (lines := self._all_lines) is not None:
            kind = Spans.kind
            names = None if lines.classes is None else sorted_names({*lines.classes[0], *lines.classes[1]})
        return PostponedTables(self.names, kind, names, self._counted_tables)

    @property
    def is_postponed(self) -> bool:
        """Whether the overlaps of items are not counted yet, since nothing has asked for them."""
        return self._postponed is not None or (self._all_lines is not None and not self._n_taken)

    @property
    def _all_lines(self) -> GroupResults | None:
        """The results of all items, if they are lines that were evaluated together."""
        results = self._groups[0][1] if len(self._groups) == 1 else None
        return None if results is None or (results.kind, results.n) != (Spans.kind, len(self.names)) else results

    def _counted_tables(self) -> RunTables:
        self._count_postponed()
        self._take_waiting()
        for items, results in self._groups[self._n_taken :]:
            names = [self.names[item - 1] for item in items]
            self._facts.append((np.array(items), facts_of_group(names, results)))
            self._counts.append(columns_of_items(items, results.tables, self._classes))
        self._n_taken = len(self._groups)
        return RunTables.of(*FactColumns.joined(self._facts), join_counts(self._counts, self._classes))

    def score_columns(self) -> Mapping[str, Any] | None:
        """Return the scores of all items in columns, by key of the metric, if they were computed together."""
        return None if self._all_lines is None else getattr(self._all_lines.scores, "columns", None)

    def stored_scores(self) -> list[tuple[Any, ...]]:
        """Return the scores as :meth:`RunContents.stored_scores` does."""
        self._take_waiting()
        scores = dict(self._scores)
        for items, results in self._groups:
            scores.update(zip(items, results.scores, strict=False))  # there may be none
        return [
            (self.names[item - 1], *row)
            for item in sorted(scores)
            for row in sorted(scores[item], key=itemgetter(0, 1))
        ]

    def collected(self) -> dict[CollectedKey, CollectedItems]:
        """Return the columns of metrics of a data set by key."""
        if self._together:
            return self._together
        self._take_waiting()
        by_key: dict[CollectedKey, dict[str, ColumnsOfItem]] = {}
        for item in sorted(self._collected):
            for key, columns in self._collected[item].items():
                read = {name: as_read(column) for name, column in columns.items()}
                by_key.setdefault(key, {})[self.names[item - 1]] = read
        groups: dict[CollectedKey, list[tuple[Sequence[str], CollectedTogether]]] = {}
        for items, results in self._groups:
            for key, together in results.collected.items():
                groups.setdefault(key, []).append(([self.names[item - 1] for item in items], together))
        return {key: CollectedItems(by_key.get(key, {}), groups.get(key, ())) for key in {**by_key, **groups}}

    @cached_property
    def connection(self) -> sqlite3.Connection:
        """A database of what is here, to be saved or digested."""
        facts = {name: value for name, value in self.facts.items() if name not in ("segmetry", "settings")}
        writer = RunWriter.create(None, self.facts["settings"], {}, self.names, facts, self.class_names)
        tables, grouped = self._counted_tables(), {item for items, _ in self._groups for item in items}
        for at, item in enumerate(sorted(item for items, _ in self._facts for item in items.tolist())):
            if item not in grouped:
                facts = tables.items[at]
                details = self._scores[item], self._collected.get(item, {})
                writer.add([(item, ItemResult(facts.name, tables.table(at), facts.kind, facts.axes, *details))])
        for items, results in self._groups:
            writer.add_group(items, results)
        writer.finish()
        return writer.connection
