"""Merge the tables of blocks: sums of integers, so every order and split gives the same table."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IndexArray, IntArray, is_new, sum_by
from segmetry.errors import ClassesError, InputError
from segmetry.overlaps.table import BackgroundCounts, Ids, OverlapTable, Side


def merge(tables: Sequence[OverlapTable]) -> OverlapTable:
    """Return the table of several disjoint blocks of one domain."""
    if not tables:
        raise InputError("no tables to merge; expected at least one")
    if len(tables) == 1:
        return tables[0]
    class_names, recoded = _common_classes(tables)
    true, true_at = _merge_sides([t.true for t in tables], [codes[0] for codes in recoded], "true")
    pred, pred_at = _merge_sides([t.pred for t in tables], [codes[1] for codes in recoded], "pred")
    row_true = np.concatenate([at[t.row_true] for t, at in zip(tables, true_at, strict=True)])
    row_pred = np.concatenate([at[t.row_pred] for t, at in zip(tables, pred_at, strict=True)])
    shared = np.concatenate([t.shared for t in tables])
    row_true, row_pred, shared = sum_equal_rows(row_true, row_pred, shared)
    return OverlapTable(
        true=true,
        pred=pred,
        row_true=row_true,
        row_pred=row_pred,
        shared=shared,
        background=BackgroundCounts(*map(sum, zip(*(t.background for t in tables), strict=True))),
        n_elements=sum(t.n_elements for t in tables),
        class_names=class_names,
    )


def sum_equal_rows(row_true: IndexArray, row_pred: IndexArray, counts: Any) -> tuple[IndexArray, IndexArray, Any]:
    """Return the distinct pairs of positions, sorted, each with the sum of its counts."""
    order = np.lexsort((row_pred, row_true))
    row_true, row_pred, counts = row_true[order], row_pred[order], counts[order]
    if not order.size:
        return row_true, row_pred, counts
    first = np.flatnonzero(is_new(row_true, row_pred))
    return row_true[first], row_pred[first], np.add.reduceat(counts, first)


def _merge_sides(
    sides: Sequence[Side], classes: Sequence[IntArray | None], name: str
) -> tuple[Side, list[NDArray[np.intp]]]:
    ids = _joined_ids([side.ids for side in sides])
    merged, inverse = np.unique(ids, return_inverse=True)
    ends = np.cumsum([len(side) for side in sides])
    positions = np.split(inverse, ends[:-1])

    def summed(field: str) -> IntArray:
        return sum_by(inverse, np.concatenate([getattr(side, field) for side in sides]), merged.size)

    return Side(
        ids=merged,
        sizes=summed("sizes"),
        outside=summed("outside"),
        void=summed("void"),
        classes=_agreed(classes, inverse, merged, name, "class"),
        crowd=_agreed([side.crowd for side in sides], inverse, merged, name, "crowd flag"),
        superseded=_superseded(sides, inverse, merged.size),
        disjoint=all(side.disjoint for side in sides),
    ), positions


def _superseded(sides: Sequence[Side], inverse: NDArray[np.intp], count: int) -> NDArray[np.bool_] | None:
    """Return which crowd segments are superseded; a block without any has no column."""
    if all(side.superseded is None for side in sides):
        return None
    flags = np.zeros(count, dtype=bool)
    flags[inverse[np.concatenate([_flags(side) for side in sides])]] = True
    return flags


def _flags(side: Side) -> NDArray[np.bool_]:
    return np.zeros(len(side), dtype=bool) if side.superseded is None else side.superseded


def _joined_ids(columns: Sequence[Ids]) -> Ids:
    if len({column.dtype for column in columns}) > 1:
        lowest = min((int(column.min()) for column in columns if column.size), default=0)
        if lowest < 0:
            raise InputError(
                f"ids contain {lowest} in one block and values beyond int64 in another; expected one signedness"
            )
        columns = [column.astype(np.uint64) for column in columns]
    joined: Ids = np.concatenate(columns)
    return joined


def _agreed(columns: Sequence[Any], inverse: NDArray[np.intp], ids: Ids, side: str, name: str) -> NDArray[Any] | None:
    """Return a value per merged segment; raise if blocks disagree about a segment."""
    if all(column is None for column in columns):
        return None
    if any(column is None for column in columns):
        raise ClassesError(f"{side}: some blocks have a {name} per segment and some do not; expected all or none")
    values = np.concatenate(columns)
    merged = np.zeros(ids.size, dtype=values.dtype)
    merged[inverse] = values
    conflicts = merged[inverse] != values
    if conflicts.any():
        raise ClassesError(f"{side}: segment {ids[inverse][conflicts][0]} has a different {name} in another block")
    return merged


def _common_classes(
    tables: Sequence[OverlapTable],
) -> tuple[tuple[Hashable, ...] | None, list[tuple[IntArray | None, IntArray | None]]]:
    if all(t.class_names == tables[0].class_names for t in tables):
        return tables[0].class_names, [(t.true.classes, t.pred.classes) for t in tables]
    if any(t.class_names is None for t in tables):
        raise ClassesError("some blocks have classes and some do not; expected all or none")
    names = sorted_names({name for t in tables for name in t.class_names or ()})
    code = {name: at for at, name in enumerate(names)}
    recoded: list[tuple[IntArray | None, IntArray | None]] = []
    for table in tables:
        translate = np.array([code[name] for name in table.class_names or ()], dtype=np.int64)
        recoded.append(
            (
                None if table.true.classes is None else translate[table.true.classes],
                None if table.pred.classes is None else translate[table.pred.classes],
            )
        )
    return names, recoded


def sorted_names(names: set[Hashable]) -> tuple[Hashable, ...]:
    """Return class names in a stable order: numbers by value, then others by their text."""

    def key(name: Hashable) -> tuple[int, int | float, str]:
        return (0, name, "") if isinstance(name, int | float) else (1, 0, str(name))

    if set(map(type, names)) == {int}:
        return tuple(sorted(names))  # type: ignore[type-var]
    return tuple(sorted(names, key=key))
