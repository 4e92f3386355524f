"""Build overlap tables from counted rows, with the classes and crowd flags of their segments."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray
from segmetry.errors import InputError
from segmetry.kernels import PairCounts, Special, table_columns
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.overlaps.table import BackgroundCounts, Ids, OverlapTable, Side
from segmetry.segmentation import ClassMap, LabelArray, Segmentation, classes_of, superseded_crowds


def table_from_pairs(true: LabelArray, pred: LabelArray, counted: PairCounts) -> OverlapTable:
    """Return the table of two label arrays whose label pairs have been counted."""
    columns = table_columns(counted, Special(true.outside, true.void), Special(pred.outside, pred.void))
    true.check_ids(columns.true.ids, "true")
    pred.check_ids(columns.pred.ids, "pred")
    names, true_codes, pred_codes = class_codes(true.classes, columns.true.ids, pred.classes, columns.pred.ids)
    true_crowd = crowd_flags(true, columns.true.ids) if true.crowd else _NO_CROWD
    pred_crowd = crowd_flags(pred, columns.pred.ids) if pred.crowd else _NO_CROWD
    table = OverlapTable(
        true=Side(*columns.true, classes=true_codes, **true_crowd),
        pred=Side(*columns.pred, classes=pred_codes, **pred_crowd),
        row_true=columns.row_true,
        row_pred=columns.row_pred,
        shared=columns.shared,
        background=BackgroundCounts(*columns.background),
        n_elements=true.n_elements,
        class_names=names,
    )
    if not (true.void or pred.void):
        table.__dict__["has_void"] = False  # known already; the dataclass is frozen
    return table


def class_codes(
    true: ClassMap | None, true_ids: Ids, pred: ClassMap | None, pred_ids: Ids
) -> tuple[tuple[Hashable, ...] | None, IntArray | None, IntArray | None]:
    """Return the class names of two sides and the index of every segment's class; None unless both have classes."""
    if true is None or pred is None:
        return None, None, None
    true_classes = classes_of(true, true_ids.tolist(), "true")
    pred_classes = classes_of(pred, pred_ids.tolist(), "pred")
    names = sorted_names({*true_classes, *pred_classes})
    code = {name: at for at, name in enumerate(names)}
    codes = [np.array([code[name] for name in side], dtype=np.int64) for side in (true_classes, pred_classes)]
    return names, codes[0], codes[1]


def with_classes(table: OverlapTable, true: ClassMap | None, pred: ClassMap | None) -> OverlapTable:
    """Return the table with the class of every segment, if both sides have classes."""
    names, true_codes, pred_codes = class_codes(true, table.true.ids, pred, table.pred.ids)
    if names is None:
        return table
    first, second = replace(table.true, classes=true_codes), replace(table.pred, classes=pred_codes)
    return replace(table, true=first, pred=second, class_names=names)


class CrowdFlags(TypedDict):
    """Which segments are crowd regions, and which of these are superseded; None if there are none."""

    crowd: NDArray[np.bool_] | None
    superseded: NDArray[np.bool_] | None


_NO_CROWD = CrowdFlags(crowd=None, superseded=None)


def crowd_flags(segmentation: Segmentation, ids: Ids) -> CrowdFlags:
    """Return which segments are crowd regions; None if the segmentation declares none."""

    if not segmentation.crowd:
        return _NO_CROWD

    def among(segments: Collection[int]) -> NDArray[np.bool_]:
        return np.array([segment in segments for segment in ids.tolist()], dtype=bool)

    superseded = among(superseded_crowds(segmentation))
    return CrowdFlags(crowd=among(frozenset(segmentation.crowd)), superseded=superseded if superseded.any() else None)


def table_from_rows(
    rows: Iterable[tuple[int, int, int]],
    true_sizes: dict[int, int] | None,
    pred_sizes: dict[int, int] | None,
    n_elements: int | None,
    true_classes: dict[int, Hashable] | None,
    pred_classes: dict[int, Hashable] | None,
) -> OverlapTable:
    """Return a table of disjoint segments from its rows; raise if the numbers are inconsistent."""
    listed = sorted((int(t), int(h), int(s)) for t, h, s in rows)
    if len({(t, h) for t, h, _ in listed}) != len(listed):
        raise InputError("rows contain a pair of segments twice; expected each pair once")
    if any(s < 1 for _, _, s in listed):
        raise InputError("rows contain a shared count below 1; leave out pairs that share no elements")
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
        background=BackgroundCounts(outside_outside=total - inside),
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
    dtype: Any = np.uint64 if ids and ids[-1] > np.iinfo(np.int64).max else np.int64
    side = Side(
        ids=np.array(ids, dtype=dtype),
        sizes=column,
        outside=column - covered,
        void=np.zeros(len(ids), dtype=np.int64),
    )
    return side, {segment: at for at, segment in enumerate(ids)}
