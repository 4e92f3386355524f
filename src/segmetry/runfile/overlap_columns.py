"""All overlap tables of a run, loaded into flat columns, available item by item or all together."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, distinct, frozen_dataclass, products_fit
from segmetry.errors import FormatError
from segmetry.overlaps import BackgroundCounts, Ids, ItemTables, OverlapTable, Side
from segmetry.runfile.counts import NO_CLASS, SUPERSEDED, CountColumns, SegmentColumns, load_counts
from segmetry.runfile.writer import GroupResults

_WITHOUT_COUNTS = "SELECT item FROM item WHERE status = 'done' AND item NOT IN (SELECT item FROM counts) LIMIT 1"


@frozen_dataclass()
class ItemFacts:
    """A row of the table ``item``."""

    name: str
    kind: str | None
    axes: int | None
    n_elements: int
    background: BackgroundCounts
    true_disjoint: bool
    pred_disjoint: bool
    has_classes: bool
    true_has_crowd: bool
    pred_has_crowd: bool


@frozen_dataclass(eq=False)
class FactColumns(Sequence[ItemFacts]):
    """The facts about items in columns; those of one item are put together when it is asked for.

    ``counts`` are the elements of every item (a row) and the four numbers of its background, ``flags`` the last five
    fields of :class:`ItemFacts`.
    """

    names: tuple[str, ...]
    kinds: Sequence[str | None]
    axes: Sequence[int | None]
    counts: IntArray
    flags: NDArray[np.bool_]

    @classmethod
    def joined(cls, parts: Sequence[tuple[IntArray, FactColumns]]) -> tuple[IntArray, FactColumns]:
        """Return the numbers of the items of several parts in ascending order, and the facts about them."""
        parts = parts or [facts_of_rows((), ())]
        keys = np.concatenate([numbers for numbers, _ in parts])
        names, kinds, axes = (
            [value for _, facts in parts for value in getattr(facts, name)] for name in ("names", "kinds", "axes")
        )
        counts, flags = (np.concatenate([getattr(facts, name) for _, facts in parts]) for name in ("counts", "flags"))
        if bool((keys[1:] > keys[:-1]).all()):
            return keys, cls(tuple(names), kinds, axes, counts, flags)
        order = np.argsort(keys)
        names, kinds, axes = ([column[at] for at in order.tolist()] for column in (names, kinds, axes))
        return keys[order], cls(tuple(names), kinds, axes, counts[order], flags[order])

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, slice):
            return [self[at] for at in range(len(self))[item]]
        n_elements, *background = self.counts[item].tolist()
        facts = self.names[item], self.kinds[item], self.axes[item], n_elements, BackgroundCounts(*background)
        return ItemFacts(*facts, *self.flags[item].tolist())


@frozen_dataclass(eq=False)
class RunSideColumns:
    """The segments of one side of all items, item after item; item ``i`` has ``starts[i] : starts[i + 1]``.

    Ids beyond int64 are in ``large_ids``, by place; ``ids`` is 0 there.
    """

    starts: NDArray[np.intp]
    item: NDArray[np.intp]
    ids: IntArray
    large_ids: dict[int, int]
    classes: IntArray
    sizes: IntArray
    outside: IntArray
    void: IntArray
    crowd: NDArray[np.bool_]
    superseded: NDArray[np.bool_]

    def part(self, item: int) -> slice:
        """Return the places of the segments of an item."""
        return slice(int(self.starts[item]), int(self.starts[item + 1]))

    def original_ids(self, part: slice) -> Ids:
        """Return the ids at some places: uint64 where one is beyond int64."""
        large = [at for at in range(part.start, part.stop) if at in self.large_ids] if self.large_ids else []
        if not large:
            return self.ids[part]
        ids = self.ids[part].astype(np.uint64)
        for at in large:
            ids[at - part.start] = self.large_ids[at]
        return ids


@frozen_dataclass(eq=False)
class RunTables:
    """The finished items of a run with their segments and overlap rows; ``file`` is the run file, for messages."""

    items: FactColumns
    class_names: tuple[Hashable, ...]
    true: RunSideColumns
    pred: RunSideColumns
    row_starts: NDArray[np.intp]
    row_item: NDArray[np.intp]
    row_true: NDArray[np.intp]
    row_pred: NDArray[np.intp]
    shared: IntArray
    file: str = ""

    @classmethod
    def load(cls, connection: sqlite3.Connection, file: str = "") -> RunTables:
        """Load the counts of all items."""
        keys, items = _finished_items(connection)
        if connection.execute(_WITHOUT_COUNTS).fetchone() is not None:
            raise FormatError("corrupt run file: a finished item has no counts")
        return replace(cls.of(keys, items, load_counts(connection)), file=file)

    @classmethod
    def of(cls, keys: IntArray, items: FactColumns, counts: CountColumns) -> RunTables:
        """Return the tables of items, whose numbers are ``keys``, from their counts."""
        row_item = _item_places(keys, counts.overlaps.item)
        tables = cls(
            items=items,
            class_names=counts.class_names,
            true=_side_columns(counts.true, keys),
            pred=_side_columns(counts.pred, keys),
            row_starts=np.searchsorted(row_item, np.arange(len(items) + 1)),
            row_item=row_item,
            row_true=counts.overlaps.row_true.astype(np.intp, copy=False),
            row_pred=counts.overlaps.row_pred.astype(np.intp, copy=False),
            shared=counts.overlaps.shared,
        )
        tables._check_counts()
        return tables

    def _check_counts(self) -> None:
        """Raise an error for rows that would count for another item or class, and for contradictory sizes."""
        has_classes = self.has_classes
        for side, rows in ((self.true, self.row_true), (self.pred, self.row_pred)):
            if bool(((side.classes == NO_CLASS) & has_classes[side.item]).any()):
                raise FormatError("corrupt run file: a segment has no class, but its item has classes")
            least, most = np.minimum(side.outside, side.void), np.maximum(side.outside, side.void)
            if bool(((least < 0) | (most > side.sizes)).any()):
                raise FormatError("corrupt run file: a segment has more elements outside than it has elements")
            if rows.size and bool((rows < 0).any() or (rows >= np.diff(side.starts)[self.row_item]).any()):
                raise FormatError("corrupt run file: an overlap row names a segment that its item does not have")
            at = rows + side.starts[self.row_item]
            if bool(((self.shared < 1) | (self.shared > side.sizes[at])).any()):
                raise FormatError("corrupt run file: a segment shares more elements than it has")

    def __len__(self) -> int:
        return len(self.items)

    def place(self, item: int) -> str:
        """Return where an error is: the file, if there is one, and the item."""
        return f"{self.file and f'{self.file}: '}item {self.items.names[item]}"

    @property
    def has_classes(self) -> NDArray[np.bool_]:
        """Whether the segments of every item have classes."""
        return self.items.flags[:, 2]

    def table(self, item: int) -> OverlapTable:
        """Return the overlap table of one item, as it was counted."""
        facts = self.items[item]
        at = slice(int(self.row_starts[item]), int(self.row_starts[item + 1]))
        true, pred = (side.part(item) for side in (self.true, self.pred))
        codes = np.unique(np.concatenate((self.true.classes[true], self.pred.classes[pred])))
        names = tuple(self.class_names[code] for code in codes.tolist()) if facts.has_classes else None

        def side(columns: RunSideColumns, part: slice, *, crowd: bool, disjoint: bool) -> Side:
            return Side(
                ids=columns.original_ids(part),
                sizes=columns.sizes[part],
                outside=columns.outside[part],
                void=columns.void[part],
                classes=np.searchsorted(codes, columns.classes[part]) if facts.has_classes else None,
                crowd=columns.crowd[part] if crowd else None,
                superseded=_if_any(columns.superseded[part]),
                disjoint=disjoint,
            )

        return OverlapTable(
            true=side(self.true, true, crowd=facts.true_has_crowd, disjoint=facts.true_disjoint),
            pred=side(self.pred, pred, crowd=facts.pred_has_crowd, disjoint=facts.pred_disjoint),
            row_true=self.row_true[at],
            row_pred=self.row_pred[at],
            shared=self.shared[at],
            background=facts.background,
            n_elements=facts.n_elements,
            class_names=names,
        )

    @property
    def is_uniform(self) -> bool:
        """Whether all items are disjoint on both sides, and all or none carry classes."""
        return bool(self.items.flags[:, :2].all()) and distinct(self.has_classes).size == 1

    @cached_property
    def together(self) -> OverlapTable:
        """One table of all items, its segments numbered from 0 over the whole run."""
        has_classes = self.items[0].has_classes

        def side(columns: RunSideColumns) -> Side:
            return Side(
                ids=np.arange(columns.sizes.size, dtype=np.int64),
                sizes=columns.sizes,
                outside=columns.outside,
                void=columns.void,
                classes=columns.classes if has_classes else None,
                crowd=_if_any(columns.crowd),
                superseded=_if_any(columns.superseded),
            )

        return OverlapTable(
            true=side(self.true),
            pred=side(self.pred),
            row_true=self.row_true + self.true.starts[self.row_item],
            row_pred=self.row_pred + self.pred.starts[self.row_item],
            shared=self.shared,
            background=BackgroundCounts(),
            n_elements=sum(self.items.counts[:, 0].tolist()),
            class_names=self.class_names if has_classes else None,
        )

    @cached_property
    def as_items(self) -> ItemTables | None:
        """All items at once; None where they have to be taken one by one."""
        if not (self.items and self.is_uniform) or self.true.large_ids or self.pred.large_ids:
            return None
        table = self.together
        return ItemTables(
            replace(table, true=replace(table.true, ids=self.true.ids), pred=replace(table.pred, ids=self.pred.ids)),
            self.true.item,
            self.pred.item,
            self.items.counts if products_fit(int(self.items.counts.max())) else self.items.counts.astype(object),
        )


class _Postponed:
    """A part of what was postponed: the attributes that are not known yet are those of what ``make`` returns."""

    def __init__(self, make: Callable[[], Any], **known: Any) -> None:
        self.__dict__.update(known, _make=make)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by Python itself, such as when an object is copied
            raise AttributeError(name)
        self.__dict__.update({**vars(self._make()), **self.__dict__})
        return self.__dict__[name]


class _PostponedFacts(_Postponed, FactColumns):
    pass


class PostponedTables(_Postponed, RunTables):
    """The tables of items of one kind, whose overlaps are counted when they are asked for.

    All items have classes, of these names, or none has any.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        kind: str,
        class_names: tuple[Hashable, ...] | None,
        count: Callable[[], RunTables],
    ) -> None:
        n = len(names)
        facts = _PostponedFacts(lambda: count().items, names=names, kinds=[kind] * n, axes=[None] * n)
        has_classes = np.full(n, class_names is not None)
        super().__init__(count, items=facts, class_names=class_names or (), _has_classes=has_classes)

    @property
    def has_classes(self) -> NDArray[np.bool_]:
        """Whether the segments of every item have classes."""
        known: NDArray[np.bool_] = self._has_classes
        return known


def _finished_items(connection: sqlite3.Connection) -> tuple[IntArray, FactColumns]:
    rows = connection.execute(
        "SELECT kind, axes, n_elements, outside_outside, outside_void, void_outside, void_void, "
        "true_disjoint, pred_disjoint, has_classes, true_has_crowd, pred_has_crowd, item, name "
        "FROM item WHERE status = 'done' ORDER BY item"
    ).fetchall()
    keys, facts = facts_of_rows([row[-1] for row in rows], rows)
    if (len(facts) and int(facts.counts.min()) < 0) or any(axes is not None and axes < 0 for axes in set(facts.axes)):
        raise FormatError("corrupt run file: an item has a negative number of elements or axes")
    return keys, facts


def facts_of_rows(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> tuple[IntArray, FactColumns]:
    """Return the numbers of items and the facts about them, from rows: kind, axes, … and number."""
    columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True)) or [()] * 13
    counts, flags = (np.array(columns[part], dtype=np.int64).T for part in (slice(2, 7), slice(7, 12)))
    return np.array(columns[12], dtype=np.int64), FactColumns(tuple(names), columns[0], columns[1], counts, flags != 0)


def facts_of_group(names: Sequence[str], results: GroupResults) -> FactColumns:
    """Return the facts about items that were evaluated together."""
    n, tables = len(names), results.tables
    flags = np.ones((n, 5), dtype=bool)
    flags[:, 2] = tables.table.class_names is not None
    for at, crowds in enumerate(tables.have_crowd, 3):
        flags[:, at] = False if crowds is None else crowds
    return FactColumns(tuple(names), [results.kind] * n, [results.axes] * n, tables.counts, flags)


def _item_places(keys: IntArray, column: IntArray) -> NDArray[np.intp]:
    at = np.searchsorted(keys, column)
    if column.size and (not keys.size or bool((keys[np.minimum(at, keys.size - 1)] != column).any())):
        raise FormatError("corrupt run file: rows of an item that is not finished")
    return at


def _side_columns(segments: SegmentColumns, keys: IntArray) -> RunSideColumns:
    item, large = _item_places(keys, segments.item), np.flatnonzero(segments.is_large)
    return RunSideColumns(
        starts=np.searchsorted(item, np.arange(keys.size + 1)),
        item=item,
        ids=np.where(segments.is_large, 0, segments.ids) if large.size else segments.ids,
        large_ids={
            at: 2**64 + segment for at, segment in zip(large.tolist(), segments.ids[large].tolist(), strict=True)
        },
        classes=segments.classes,
        sizes=segments.sizes,
        outside=segments.outside,
        void=segments.void,
        crowd=segments.crowd > 0,
        superseded=segments.crowd == SUPERSEDED,
    )


def _if_any(flags: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    return flags if flags.any() else None
