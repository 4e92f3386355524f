"""The counts of all items of a run in flat columns, from the rows of the table ``counts``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.errors import FormatError
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.run.counts.count_columns import NO_CLASS, CountColumns, OverlapColumns, SegmentColumns
from segmetry.run.counts.fixed_width import read

ROWS_AT_ONCE = 4096
"""The number of rows that are read at once, so that their text stays small beside the columns."""
_QUERY = (
    "SELECT item, block, n_true, n_pred, n_overlaps, id_digits, digits, has_classes, class_list, content "
    "FROM counts ORDER BY item, block"
)
_MINUS, _ZERO = ord("-"), ord("0")
_NONE = np.zeros(0, dtype=np.int64)


class _Row(NamedTuple):
    """A row of the table ``counts``."""

    item: int
    block: int
    n_true: int
    n_pred: int
    n_overlaps: int
    id_digits: int
    digits: int
    has_classes: int
    class_list: str | None
    content: bytes

    @property
    def layout(self) -> tuple[int, int, int, bool]:
        """What rows that are read together have in common."""
        return self.id_digits, self.digits, self.has_classes, self.class_list is not None


class _Group(NamedTuple):
    """The columns of some rows. Both sides are divided at once: of all rows they would need twice the memory."""

    true: SegmentColumns
    pred: SegmentColumns
    overlaps: OverlapColumns


def load_packed(connection: sqlite3.Connection) -> CountColumns:
    """Return the counts of all items."""
    known: dict[Hashable, int] = {}
    groups = [_Group(SegmentColumns(*[_NONE] * 7), SegmentColumns(*[_NONE] * 7), OverlapColumns(*[_NONE] * 4))]
    cursor = connection.execute(_QUERY)
    while batch := cursor.fetchmany(ROWS_AT_ONCE):
        by_layout: dict[tuple[int, int, int, bool], list[_Row]] = {}
        for cells in batch:
            row = _Row(*cells)
            by_layout.setdefault(row.layout, []).append(row)
        groups.extend(_read_group(rows, known) for rows in by_layout.values())
    names = sorted_names(set(known))
    code = {name: at for at, name in enumerate(names)}
    final = np.array([*(code[name] for name in known), NO_CLASS], dtype=np.int64)  # NO_CLASS is the last one, too
    true = SegmentColumns(*_joined([group.true for group in groups]))
    pred = SegmentColumns(*_joined([group.pred for group in groups]))
    return CountColumns(
        class_names=names,
        true=true._replace(classes=final[true.classes]),
        pred=pred._replace(classes=final[pred.classes]),
        overlaps=OverlapColumns(*_joined([group.overlaps for group in groups])),
    )


def _joined(groups: Sequence[Sequence[NDArray[Any]]]) -> Sequence[NDArray[Any]]:
    """Return the columns of several groups as one, in the order of the items."""
    return _in_order([_concatenated(parts) for parts in zip(*groups, strict=True)])


def _in_order(columns: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]]:
    """Return columns in the order of the items, the first column."""
    if not bool((columns[0][1:] < columns[0][:-1]).any()):
        return columns
    order = np.argsort(columns[0], kind="stable")
    return [column[order] for column in columns]


def _concatenated(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Join columns; ids of int64 and of uint64 become Python's integers, as numpy would make floats of them."""
    filled = [part for part in parts if part.size] or parts[:1]
    if len({part.dtype for part in filled}) > 1:
        return np.concatenate([part.astype(object) for part in filled])
    return np.concatenate(filled)


def _read_group(rows: Sequence[_Row], known: dict[Hashable, int]) -> _Group:
    """Return the columns of rows of one layout."""
    id_digits, digits, has_classes, _ = rows[0].layout
    n_true, n_pred, n_overlaps = (np.array([row[at] for row in rows], dtype=np.int64) for at in (2, 3, 4))
    n_segments = n_true + n_pred
    sizes = np.column_stack([n_segments] * (3 + has_classes) + [n_overlaps] * 3)
    if min(int(sizes.min()), int(n_true.min()), int(n_pred.min())) < 0 or has_classes not in (0, 1):
        raise FormatError("corrupt run file: an item has a negative number of segments")
    ids, numbers, crowd = _texts(rows, n_segments.tolist(), sizes.sum(axis=1).tolist(), (id_digits, digits))
    column = np.repeat(np.tile(np.arange(sizes.shape[1], dtype=np.uint8), len(rows)), sizes.ravel())
    values = [numbers[column == at] for at in range(sizes.shape[1])]
    item = np.array([row.item for row in rows], dtype=np.int64)
    n_all = int(n_segments.sum())
    segments = SegmentColumns(
        item=np.repeat(item, n_segments),
        ids=ids,
        sizes=values[0],
        outside=values[1],
        void=values[2],
        classes=_class_codes(rows, values[3], n_segments, known) if has_classes else np.full(n_all, NO_CLASS),
        crowd=crowd,
    )
    is_pred = np.repeat(np.tile([False, True], len(rows)), np.column_stack([n_true, n_pred]).ravel())
    overlaps = OverlapColumns(np.repeat(item, n_overlaps), *values[-3:])
    return _Group(segments.where(~is_pred), segments.where(is_pred), overlaps)


def _texts(
    rows: Sequence[_Row], n_segments: list[int], n_numbers: list[int], widths: tuple[int, int]
) -> tuple[NDArray[Any], IntArray, IntArray]:
    """Return the ids, the other numbers and the crowd codes of some rows."""
    ids, numbers, crowds = [], [], []
    for row, n_ids, n_others in zip(rows, n_segments, n_numbers, strict=True):
        start = n_ids * widths[0]
        stop = start + n_others * widths[1]
        crowd = row.content[stop:] or b"-" * n_ids
        if len(row.content) < stop or len(crowd) != n_ids:
            raise FormatError("corrupt run file: the counts of an item are cut off")
        ids.append(row.content[:start])
        numbers.append(row.content[start:stop])
        crowds.append(crowd)
    codes = np.frombuffer(b"".join(crowds), dtype=np.uint8).astype(np.int64)
    codes[codes == _MINUS] = _ZERO
    if codes.size and not _ZERO <= int(codes.min()) <= int(codes.max()) <= _ZERO + 2:
        raise FormatError("corrupt run file: the crowd code of a segment is unknown")
    return read(b"".join(ids), widths[0]), read(b"".join(numbers), widths[1]), codes - _ZERO


def _class_codes(rows: Sequence[_Row], values: IntArray, n_segments: IntArray, known: dict[Hashable, int]) -> IntArray:
    """Return the positions of classes among the known names, to which new ones are added."""
    if rows[0].class_list is None:
        distinct, at = np.unique(values, return_inverse=True)
        return _codes(distinct.tolist(), known)[at]
    translated = {text: _codes(_listed(text), known) for text in {row.class_list for row in rows}}
    lists = [translated[row.class_list] for row in rows]
    lengths = np.array([len(codes) for codes in lists])
    if values.size and bool((values < 0).any() or (values >= np.repeat(lengths, n_segments)).any()):
        raise FormatError("corrupt run file: a segment has a class that its item does not list")
    starts = np.cumsum(lengths) - lengths
    codes: IntArray = np.concatenate(lists)[values + np.repeat(starts, n_segments)]
    return codes


def _codes(names: Iterable[Hashable], known: dict[Hashable, int]) -> IntArray:
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _listed(text: str | None) -> list[Hashable]:
    names = json.loads(text or "")
    if not isinstance(names, list) or not all(type(name) in (str, int, float) for name in names):
        raise FormatError("corrupt run file: the classes of an item cannot be read")
    return names
