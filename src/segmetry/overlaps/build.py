"""From counted rows to a table: which labels are segments, which are outside, which void."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import InputError
from segmetry.exact import IntArray, sum_by
from segmetry.kernels.pairs import PairCounts
from segmetry.overlaps.merge import sorted_names
from segmetry.overlaps.table import Ids, Nowhere, OverlapTable, Side
from segmetry.segmentation import LabelArray, Segmentation
from segmetry.segmentation.base import ClassMap, class_of

SEGMENT, OUTSIDE, VOID = 0, 1, 2


def table_from_pairs(true: LabelArray, pred: LabelArray, counted: PairCounts) -> OverlapTable:
    """The table of two label arrays whose label pairs have been counted."""
    true_all, true_at = _labels(counted.true_labels, is_sorted=True)
    pred_all, pred_at = _labels(counted.pred_labels, is_sorted=False)
    true_role, pred_role = _roles(true_all, true), _roles(pred_all, pred)
    counts = counted.counts
    row_true_role, row_pred_role = true_role[true_at], pred_role[pred_at]
    both = (row_true_role == SEGMENT) & (row_pred_role == SEGMENT)
    true_position, pred_position = np.cumsum(true_role == SEGMENT) - 1, np.cumsum(pred_role == SEGMENT) - 1

    def side(
        found: LabelArray, labels: Ids, role: NDArray[np.int8], at: NDArray[np.intp], other: NDArray[np.int8], name: str
    ) -> Side:
        keep = role == SEGMENT
        ids = _stored_ids(labels[keep])
        found.check_ids(ids, name)
        void = other == VOID
        return Side(
            ids=ids,
            sizes=sum_by(at, counts, labels.size)[keep],
            outside=sum_by(at[other == OUTSIDE], counts[other == OUTSIDE], labels.size)[keep],
            void=sum_by(at[void], counts[void], labels.size)[keep],
            crowd=crowd_flags(found, ids),
        )

    no_side = (row_true_role != SEGMENT) & (row_pred_role != SEGMENT)
    both_sides = (row_true_role[no_side].tolist(), row_pred_role[no_side].tolist(), counts[no_side].tolist())
    corners = list(zip(*both_sides, strict=True))

    def corner(true_is: int, pred_is: int) -> int:
        return sum(n for true_role, pred_role, n in corners if (true_role, pred_role) == (true_is, pred_is))

    table = OverlapTable(
        true=side(true, true_all, true_role, true_at, row_pred_role, "true"),
        pred=side(pred, pred_all, pred_role, pred_at, row_true_role, "pred"),
        row_true=true_position[true_at[both]],
        row_pred=pred_position[pred_at[both]],
        shared=counts[both],
        nowhere=Nowhere(corner(OUTSIDE, OUTSIDE), corner(OUTSIDE, VOID), corner(VOID, OUTSIDE), corner(VOID, VOID)),
        n_elements=true.n_elements,
    )
    return with_classes(table, true.classes, pred.classes)


def with_classes(table: OverlapTable, true: ClassMap | None, pred: ClassMap | None) -> OverlapTable:
    """The table with the class of every segment, if both sides carry classes."""
    if true is None or pred is None:
        return table
    true_classes = [class_of(true, segment, "true") for segment in table.true.ids.tolist()]
    pred_classes = [class_of(pred, segment, "pred") for segment in table.pred.ids.tolist()]
    names = sorted_names({*true_classes, *pred_classes})
    code = {name: at for at, name in enumerate(names)}
    return replace(
        table,
        true=replace(table.true, classes=np.array([code[name] for name in true_classes], dtype=np.int64)),
        pred=replace(table.pred, classes=np.array([code[name] for name in pred_classes], dtype=np.int64)),
        class_names=names,
    )


def _labels(column: Ids, *, is_sorted: bool) -> tuple[Ids, NDArray[np.intp]]:
    if not is_sorted:
        return np.unique(column, return_inverse=True)
    if not column.size:
        return column, np.zeros(0, dtype=np.intp)
    new = np.concatenate(([True], column[1:] != column[:-1]))
    return column[new], np.cumsum(new) - 1


def _roles(labels: Ids, found: LabelArray) -> NDArray[np.int8]:
    roles = np.zeros(labels.size, dtype=np.int8)
    limits = np.iinfo(labels.dtype)
    for role, special in ((OUTSIDE, found.outside), (VOID, found.void)):
        for label in special:
            if limits.min <= label <= limits.max:
                roles[labels == labels.dtype.type(label)] = role
    return roles


def _stored_ids(ids: Ids) -> Ids:
    """int64 wherever the values fit, so that equal segmentations give equal tables whatever their dtype."""
    if ids.dtype == np.uint64 and (not ids.size or int(ids[-1]) <= np.iinfo(np.int64).max):
        return ids.astype(np.int64)
    return ids


def crowd_flags(found: Segmentation, ids: Ids) -> NDArray[np.bool_] | None:
    """Which segments are crowd regions; None when the segmentation declares none."""
    if not found.crowd:
        return None
    return np.array([segment in found.crowd for segment in ids.tolist()], dtype=bool)


def table_from_rows(
    rows: Iterable[tuple[int, int, int]],
    true_sizes: dict[int, int] | None,
    pred_sizes: dict[int, int] | None,
    n_elements: int | None,
    true_classes: dict[int, Hashable] | None,
    pred_classes: dict[int, Hashable] | None,
) -> OverlapTable:
    """A table of disjoint segments written down directly; inconsistent numbers are an error."""
    listed = sorted((int(t), int(h), int(s)) for t, h, s in rows)
    if len({(t, h) for t, h, _ in listed}) != len(listed):
        raise InputError("rows name a pair of segments twice; expected each pair once")
    if any(s < 1 for _, _, s in listed):
        raise InputError("rows hold a shared count below 1; leave out pairs that share nothing")
    true_shared, pred_shared = _totals(listed, 0), _totals(listed, 1)
    true, true_index = _side_from_sizes(true_sizes, true_shared, "true")
    pred, pred_index = _side_from_sizes(pred_sizes, pred_shared, "pred")
    inside = int(true.sizes.sum()) + int(pred.sizes.sum()) - sum(s for _, _, s in listed)
    total = inside if n_elements is None else int(n_elements)
    if total < inside:
        raise InputError(f"n_elements is {total}, but the segments cover {inside} elements")
    table = OverlapTable(
        true=true,
        pred=pred,
        row_true=np.array([true_index[t] for t, _, _ in listed], dtype=np.intp),
        row_pred=np.array([pred_index[h] for _, h, _ in listed], dtype=np.intp),
        shared=np.array([s for _, _, s in listed], dtype=np.int64),
        nowhere=Nowhere(outside_outside=total - inside),
        n_elements=total,
    )
    return with_classes(table, true_classes, pred_classes)


def _totals(rows: list[tuple[int, int, int]], side: int) -> dict[int, int]:
    totals: dict[int, int] = {}
    for row in rows:
        totals[row[side]] = totals.get(row[side], 0) + row[2]
    return totals


def _side_from_sizes(sizes: dict[int, int] | None, shared: dict[int, int], name: str) -> tuple[Side, dict[int, int]]:
    known = dict(sizes) if sizes is not None else shared
    for segment, count in shared.items():
        if known.get(segment, 0) < count:
            raise InputError(f"{name}: segment {segment} has size {known.get(segment, 0)} but shares {count} elements")
    ids = sorted(known)
    column = np.array([known[segment] for segment in ids], dtype=np.int64)
    covered: IntArray = np.array([shared.get(segment, 0) for segment in ids], dtype=np.int64)
    wide: Any = np.uint64 if ids and ids[-1] > np.iinfo(np.int64).max else np.int64
    side = Side(
        ids=np.array(ids, dtype=wide),
        sizes=column,
        outside=column - covered,
        void=np.zeros(len(ids), dtype=np.int64),
    )
    return side, {segment: at for at, segment in enumerate(ids)}
