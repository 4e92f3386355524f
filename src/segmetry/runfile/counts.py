"""The overlap table of an item as a row of the table ``counts``: a few blobs of little-endian integers.

The segments of both sides are in the same blobs, true ones before predicted ones. Every blob of every row has the
narrowest of four integer types that holds it, so that its width follows from its length. Sizes are records rather than
columns of their own: 50,000 lines are written in about 80 % of the time that nine blobs a row take. They are not
compressed: parts of a run are compared byte for byte when they are merged, and versions of zlib differ in their output.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, distinct
from segmetry.errors import FormatError
from segmetry.overlaps import ItemTables, OverlapTable, Side, sorted_names
from segmetry.runfile.values import MOST_INTEGER, json_of_text, stored_classes

NO_CLASS = -1
SUPERSEDED = 2
"""The crowd code of a crowd region after which the data set lists another one of its class; other ones have 1."""
MOST_IN_A_ROW = 2**23
"""The most true segments, pred segments and overlaps of a row: of 8 bytes each they stay below SQLite's 10⁹ bytes."""
ROWS_AT_ONCE = 1024
"""The number of rows that are read at once, so that their bytes stay small beside the columns."""
INSERT_COUNTS = "INSERT INTO counts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TRUE_UNSIGNED, _PRED_UNSIGNED = 1, 2
_WIDTHS = np.array([1, 2, 4, 8])
_ENDS = np.array([2**7, 2**15, 2**31])
"""The first numbers that are too large for a signed integer of 1, 2 and 4 bytes."""

CountRow = tuple[Any, ...]
"""A row of the table ``counts``."""


def table_rows(tables: Iterable[tuple[int, OverlapTable]]) -> Iterator[CountRow]:
    """Yield the rows of the given items, whose numbers are narrowed together: one by one takes five times as long."""
    rows = [(item, 0, table) for item, table in tables]
    if not rows:
        return
    counts = _count_segments(rows)
    if int(counts.max()) > MOST_IN_A_ROW:
        rows = [(item, *part) for item, _, table in rows for part in enumerate(_table_parts(table))]
        counts = _count_segments(rows)
    n_true, n_pred, n_overlaps = counts.T
    n_segments = n_true + n_pred
    items, parts, every = zip(*rows, strict=True)
    has_classes = [table.class_names is not None for table in every]
    has_crowd = [table.true.crowd is not None or table.pred.crowd is not None for table in every]
    sides = [side for table in every for side in (table.true, table.pred)]
    ids, unsigned = _joined_ids(sides)
    records = np.empty((ids.size, 3), dtype=np.int64)
    for at, name in enumerate(("sizes", "outside", "void")):
        np.concatenate([getattr(side, name) for side in sides], out=records[:, at])
    overlaps = np.empty((int(n_overlaps.sum()), 3), dtype=np.int64)
    for at, name in enumerate(("row_true", "row_pred", "shared")):
        np.concatenate([getattr(table, name) for table in every], out=overlaps[:, at])
    columns = [
        ids,
        records.ravel(),
        *[side.class_codes for table in compress(every, has_classes) for side in (table.true, table.pred)],
        *[_crowd_codes(side) for table in compress(every, has_crowd) for side in (table.true, table.pred)],
        overlaps.ravel(),
    ]
    sizes = [n_segments, 3 * n_segments, n_segments * has_classes, n_segments * has_crowd, 3 * n_overlaps]
    class_lists = [_class_list(table) for table in every] if any(has_classes) else [None] * len(every)
    blobs = _narrow_columns(np.concatenate(columns), sizes)
    yield from zip(items, parts, *counts.T.tolist(), unsigned, class_lists, *blobs, strict=True)


def rows_of_items(items: Sequence[int], tables: ItemTables) -> Iterator[CountRow]:
    """Yield the rows of items that were counted together, from their columns."""
    whole, starts = tables.table, tables.starts
    n_true, n_pred, n_overlaps = (np.diff(of_items) for of_items in starts)
    is_plain = whole.class_names is None and whole.true.crowd is None and whole.pred.crowd is None
    if not is_plain or max(int(n_true.max()), int(n_pred.max()), int(n_overlaps.max())) > MOST_IN_A_ROW:
        yield from table_rows(zip(items, tables.tables(), strict=True))
        return
    number = np.arange(len(items), dtype=np.min_scalar_type(len(items)))  # the narrowest type is sorted fastest
    by_item = np.argsort(np.concatenate((np.repeat(number, n_true), np.repeat(number, n_pred))), kind="stable")
    both = [(getattr(whole.true, name), getattr(whole.pred, name)) for name in ("ids", "sizes", "outside", "void")]
    ids, *records = (np.concatenate(columns)[by_item] for columns in both)
    overlaps = np.column_stack((*_rows_in_items(tables), whole.shared))
    n_segments, none = n_true + n_pred, np.zeros_like(n_true)
    numbers = np.concatenate((ids, np.column_stack(records).ravel(), overlaps.ravel()))
    blobs = _narrow_columns(numbers, [n_segments, 3 * n_segments, none, none, 3 * n_overlaps])
    counts = (column.tolist() for column in (n_true, n_pred, n_overlaps))
    yield from zip(items, repeat(0), *counts, repeat(0), repeat(None), *blobs)


def _rows_in_items(tables: ItemTables) -> tuple[IntArray, IntArray]:
    """Return the positions of the segments of every row among those of its item."""
    of_true, of_pred, of_rows = tables.starts
    n_rows = np.diff(of_rows)
    row_true = tables.table.row_true - np.repeat(of_true[:-1], n_rows)
    return row_true, tables.table.row_pred - np.repeat(of_pred[:-1], n_rows)


def _count_segments(rows: Iterable[tuple[int, int, OverlapTable]]) -> IntArray:
    return np.array([(t.true.ids.size, t.pred.ids.size, t.shared.size) for _, _, t in rows], dtype=np.int64)


def _table_parts(table: OverlapTable) -> Iterator[OverlapTable]:
    """Yield parts of the columns of a table that one row can hold."""
    for start in range(0, max(len(table.true), len(table.pred), len(table), 1), MOST_IN_A_ROW):
        part = slice(start, start + MOST_IN_A_ROW)
        rows = {name: getattr(table, name)[part] for name in ("row_true", "row_pred", "shared")}
        yield replace(table, true=_side_part(table.true, part), pred=_side_part(table.pred, part), **rows)


def _side_part(side: Side, part: slice) -> Side:
    names = ("ids", "sizes", "outside", "void", "classes", "crowd", "superseded")
    columns = {name: column[part] for name in names if (column := getattr(side, name)) is not None}
    return replace(side, **columns)


def _joined_ids(sides: Sequence[Side]) -> tuple[IntArray, list[int]]:
    """Return the ids of the sides of all rows as signed integers, and which sides of each row are unsigned."""
    ids: NDArray[Any] = np.concatenate([side.ids for side in sides])
    if ids.dtype == np.int64:
        return ids, [0] * (len(sides) // 2)
    ids = np.concatenate([side.ids.astype(np.int64) for side in sides])  # numpy makes floats of int64 with uint64
    large = [bool(side.ids.size) and int(side.ids[-1]) > MOST_INTEGER for side in sides]  # ids ascend
    both = zip(large[::2], large[1::2], strict=True)
    return ids, [_TRUE_UNSIGNED * true + _PRED_UNSIGNED * pred for true, pred in both]


def _class_list(table: OverlapTable) -> str | None:
    if table.class_names is None:
        return None
    return json.dumps(stored_classes(table.class_names), ensure_ascii=False)


def _crowd_codes(side: Side) -> IntArray:
    if side.crowd is None:
        return np.zeros(len(side), dtype=np.int64)
    codes = side.crowd.astype(np.int64)
    return codes if side.superseded is None else np.where(side.superseded, SUPERSEDED, codes)


def _narrow_columns(numbers: IntArray, sizes: Sequence[IntArray]) -> list[list[bytes]]:
    """Return the blobs of all rows, column after column; ``sizes`` are the numbers in each blob of a column."""
    counts = np.concatenate(sizes)
    widths = _narrowest_widths(numbers, counts)
    lengths = widths * counts
    starts, texts, n_bytes = np.empty_like(lengths), [], 0
    for width in _WIDTHS.tolist():
        chosen = widths == width
        starts[chosen] = n_bytes + np.cumsum(lengths[chosen]) - lengths[chosen]
        texts.append(numbers[np.repeat(chosen, counts)].astype(f"<i{width}").tobytes())
        n_bytes += len(texts[-1])
    text = b"".join(texts)
    blobs = [text[start:stop] for start, stop in zip(starts.tolist(), (starts + lengths).tolist(), strict=True)]
    n_rows = sizes[0].size
    return [blobs[start : start + n_rows] for start in range(0, len(blobs), n_rows)]


def _narrowest_widths(numbers: IntArray, counts: IntArray) -> IntArray:
    """Return the bytes of each of the first ``counts[0]`` numbers, of the next ``counts[1]``, and so on."""
    widths = np.ones(counts.size, dtype=np.int64)
    some = counts > 0
    starts = (np.cumsum(counts) - counts)[some]
    if starts.size:
        # ~x is -x - 1, so the larger of both is below 2^(b - 1) just where a signed integer of b bits holds x
        magnitude = np.maximum(np.maximum.reduceat(numbers, starts), ~np.minimum.reduceat(numbers, starts))
        widths[some] = _WIDTHS[np.searchsorted(_ENDS, magnitude, side="right")]
    return widths


class SegmentColumns(NamedTuple):
    """The segments of one side, item after item, by position.

    ``item`` is the number of the item; ``is_large`` marks ids from 2⁶³ on, which are 2⁶⁴ less here; ``classes`` are
    positions in the names of all classes, or NO_CLASS; ``crowd`` are the codes of the run file.
    """

    item: IntArray
    ids: IntArray
    is_large: NDArray[np.bool_]
    sizes: IntArray
    outside: IntArray
    void: IntArray
    classes: IntArray
    crowd: NDArray[np.int8]


class OverlapColumns(NamedTuple):
    """The overlaps, item after item."""

    item: IntArray
    row_true: IntArray
    row_pred: IntArray
    shared: IntArray


CountBatch = tuple[SegmentColumns, SegmentColumns, OverlapColumns]
"""The segments of both sides of some items, and their overlaps."""


class CountColumns(NamedTuple):
    """The names of all classes, the segments of both sides, and their overlaps."""

    class_names: tuple[Hashable, ...]
    true: SegmentColumns
    pred: SegmentColumns
    overlaps: OverlapColumns


def load_counts(connection: sqlite3.Connection) -> CountColumns:
    """Return the counts of all items; sizes are checked against the bytes that are there before arrays are made."""
    known: dict[Hashable, int] = {}
    batches: list[CountBatch] = []
    cursor = connection.execute("SELECT * FROM counts ORDER BY item, part")
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        batches.append(_read_rows(rows, known))
    return join_counts(batches, known)


def join_counts(batches: Sequence[CountBatch], known: Mapping[Hashable, int]) -> CountColumns:
    """Return the counts of all items in their order, which workers may have finished in another one."""
    names = sorted_names(set(known))
    code = {name: at for at, name in enumerate(names)}
    final = np.array([*(code[name] for name in known), NO_CLASS], dtype=np.int64)  # NO_CLASS is the last one, too
    true, pred, overlaps = (
        [np.concatenate(columns) for columns in zip(*parts, strict=True)]
        for parts in zip(*(batches or [_no_rows()]), strict=True)
    )
    true, pred, overlaps = map(_in_order_of_items, (true, pred, overlaps))
    first, second = (SegmentColumns(*side) for side in (true, pred))
    return CountColumns(
        class_names=names,
        true=first._replace(classes=final[first.classes]),
        pred=second._replace(classes=final[second.classes]),
        overlaps=OverlapColumns(*overlaps),
    )


def _in_order_of_items(columns: list[NDArray[Any]]) -> list[NDArray[Any]]:
    items = columns[0]
    if not bool((items[1:] < items[:-1]).any()):
        return columns
    order = np.argsort(items, kind="stable")
    return [column[order] for column in columns]


def columns_of_tables(items: Sequence[int], tables: Sequence[OverlapTable], known: dict[Hashable, int]) -> CountBatch:
    """Return the counts of some items as they are loaded from a file; ``known`` are the codes of classes so far."""
    numbers = np.array(items, dtype=np.int64)
    codes, first_code = _codes_of_tables(tables, known)

    def segments(sides: list[Side]) -> SegmentColumns:
        counts = [side.ids.size for side in sides]
        ids = np.concatenate([side.ids.astype(np.int64, copy=False) for side in sides])
        classes, crowd = np.full(ids.size, NO_CLASS), np.zeros(ids.size, dtype=np.int8)
        if codes.size > 1:  # most segments have neither classes nor crowds
            classes = codes[np.concatenate([side.class_codes for side in sides]) + np.repeat(first_code, counts)]
        if any(side.crowd is not None for side in sides):
            crowd = np.concatenate([_crowd_codes(side) for side in sides]).astype(np.int8)
        return SegmentColumns(
            item=np.repeat(numbers, counts),
            ids=ids,
            is_large=np.repeat([side.ids.dtype == np.uint64 for side in sides], counts) & (ids < 0),
            sizes=np.concatenate([side.sizes for side in sides]),
            outside=np.concatenate([side.outside for side in sides]),
            void=np.concatenate([side.void for side in sides]),
            classes=classes,
            crowd=crowd,
        )

    return (
        segments([table.true for table in tables]),
        segments([table.pred for table in tables]),
        OverlapColumns(
            np.repeat(numbers, [table.shared.size for table in tables]),
            np.concatenate([table.row_true for table in tables]).astype(np.int64, copy=False),
            np.concatenate([table.row_pred for table in tables]).astype(np.int64, copy=False),
            np.concatenate([table.shared for table in tables]),
        ),
    )


def _codes_of_tables(tables: Sequence[OverlapTable], known: dict[Hashable, int]) -> tuple[IntArray, IntArray]:
    """Return the codes of the classes of all tables, and where those of each table begin: at 0, which says that a
    segment has no class, for a table without classes. Tables that name the same classes share them.
    """
    codes: list[int] = [NO_CLASS]
    first: dict[tuple[Hashable, ...] | None, int] = {None: 0}
    for names in {id(table.class_names): table.class_names for table in tables}.values():
        if names is not None and names not in first:
            first[names] = len(codes)
            codes += [known.setdefault(name, len(known)) for name in stored_classes(names)]
    return np.array(codes, dtype=np.int64), np.array([first[table.class_names] for table in tables], dtype=np.intp)


def columns_of_items(items: Sequence[int], tables: ItemTables, known: dict[Hashable, int]) -> CountBatch:
    """Return the counts of items that were counted together as they are loaded from a file."""
    numbers, table = np.array(items, dtype=np.int64), tables.table
    listed = [known.setdefault(name, len(known)) for name in stored_classes(table.class_names or ())]
    codes = np.array(listed, dtype=np.int64)

    def segments(side: Side, of_item: IntArray) -> SegmentColumns:
        classes = np.full(len(side), NO_CLASS) if side.classes is None else codes[side.classes]
        ids, is_large = side.ids.astype(np.int64, copy=False), np.zeros(len(side), dtype=bool)
        sizes = side.sizes, side.outside, side.void
        return SegmentColumns(numbers[of_item], ids, is_large, *sizes, classes, _crowd_codes(side).astype(np.int8))

    rows = np.repeat(numbers, np.diff(tables.starts[2])), *_rows_in_items(tables), table.shared
    return segments(table.true, tables.true_item), segments(table.pred, tables.pred_item), OverlapColumns(*rows)


def _no_rows() -> CountBatch:
    nothing = np.zeros(0, dtype=np.int64)
    side = SegmentColumns(nothing, nothing, nothing > 0, nothing, nothing, nothing, nothing, nothing.astype(np.int8))
    return side, side, OverlapColumns(*[nothing] * 4)


def _read_rows(rows: Sequence[CountRow], known: dict[Hashable, int]) -> CountBatch:
    """Return the columns of the given rows; classes are positions among the known names, to which new ones are added.

    Both sides are divided here: of all rows together they would need twice the memory.
    """
    cells = list(zip(*rows, strict=True))
    item, _, n_true, n_pred, n_overlaps, unsigned = (np.array(column, dtype=np.int64) for column in cells[:6])
    n_segments = n_true + n_pred
    for column in (n_true, n_pred, n_overlaps):  # before anything of their size is allocated, and products wrap
        if not 0 <= int(column.min()) <= int(column.max()) <= MOST_IN_A_ROW:
            raise FormatError("corrupt run file: an item has an impossible number of segments")
    blobs = cells[7:]
    n_classes, n_crowd = (np.where([bool(blob) for blob in blobs[at]], n_segments, 0) for at in (2, 3))
    sizes = [n_segments, 3 * n_segments, n_classes, n_crowd, 3 * n_overlaps]
    ids, records, classes, crowd, overlaps = _read_columns(blobs, sizes)
    if crowd.size and not 0 <= int(crowd.min()) <= int(crowd.max()) <= SUPERSEDED:
        raise FormatError("corrupt run file: the crowd code of a segment is unknown")
    is_pred = np.repeat(np.tile([False, True], len(rows)), np.column_stack((n_true, n_pred)).ravel())
    is_unsigned = np.column_stack((unsigned & _TRUE_UNSIGNED, unsigned & _PRED_UNSIGNED)).ravel() > 0
    segments = SegmentColumns(
        item=np.repeat(item, n_segments),
        ids=ids,
        is_large=np.repeat(is_unsigned, np.column_stack((n_true, n_pred)).ravel()) & (ids < 0),
        sizes=records[::3],
        outside=records[1::3],
        void=records[2::3],
        classes=_filled_up(_class_codes(cells[6], classes, n_classes, known), n_classes, n_segments, NO_CLASS),
        crowd=_filled_up(crowd, n_crowd, n_segments, 0).astype(np.int8),
    )
    true, pred = (SegmentColumns(*(column[chosen] for column in segments)) for chosen in (~is_pred, is_pred))
    return true, pred, OverlapColumns(np.repeat(item, n_overlaps), overlaps[::3], overlaps[1::3], overlaps[2::3])


def _read_columns(columns: Sequence[Sequence[bytes]], sizes: Sequence[IntArray]) -> list[IntArray]:
    """Return the numbers of every column, of all rows together."""
    counts = np.concatenate(sizes)
    blobs = list(chain.from_iterable(columns))
    lengths = np.fromiter(map(len, blobs), dtype=np.int64, count=len(blobs))
    widths = lengths // np.maximum(counts, 1)
    if bool((widths * counts != lengths).any()) or not bool(np.isin(widths[counts > 0], _WIDTHS).all()):
        raise FormatError("corrupt run file: the counts of an item are cut off")
    numbers = np.empty(int(counts.sum()), dtype=np.int64)
    for width in distinct(widths[counts > 0]).tolist():
        chosen = widths == width
        text = b"".join([blobs[at] for at in np.flatnonzero(chosen).tolist()])
        numbers[np.repeat(chosen, counts)] = np.frombuffer(text, dtype=f"<i{width}")
    return np.split(numbers, np.cumsum([int(column.sum()) for column in sizes])[:-1])


def _filled_up(values: IntArray, counts: IntArray, n_segments: IntArray, absent: int) -> IntArray:
    """Return a column that some rows lack, with a value for their segments."""
    if values.size == int(n_segments.sum()):
        return values
    column = np.full(int(n_segments.sum()), absent, dtype=np.int64)
    column[np.repeat(counts > 0, n_segments)] = values
    return column


def _class_codes(
    lists: Sequence[str | None], values: IntArray, counts: IntArray, known: dict[Hashable, int]
) -> IntArray:
    """Return the positions of classes among the known names, from their positions in the lists of their rows."""
    translated = {text: [known.setdefault(name, len(known)) for name in _listed_classes(text)] for text in set(lists)}
    codes = [translated[text] for text in lists]
    lengths = np.array([len(listed) for listed in codes])
    if values.size and bool((values < 0).any() or (values >= np.repeat(lengths, counts)).any()):
        raise FormatError("corrupt run file: a segment has a class that its item does not list")
    starts = np.cumsum(lengths) - lengths
    positions: IntArray = np.array(list(chain.from_iterable(codes)), dtype=np.int64)[values + np.repeat(starts, counts)]
    return positions


def _listed_classes(text: str | None) -> list[Hashable]:
    try:
        names = [] if text is None else json_of_text(text)
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(type(name) in (str, int, float) for name in names):
        raise FormatError("corrupt run file: the classes of an item cannot be read")
    return names
