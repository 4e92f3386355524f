"""One row per pair and per segment without a partner: outcome, counts, IoU and kind of error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from segmetry._base import FloatArray, IndexArray, Threshold
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.breakdown import BySize
from segmetry.alignments.pair_errors import SMALL, error_kinds
from segmetry.alignments.policy import counted_sizes
from segmetry.alignments.weights import argsort_descending, quotient, weigh
from segmetry.kernels import group_order
from segmetry.overlaps import OverlapTable, Side


def segment_rows(
    alignment: Alignment,
    item: str | None = None,
    *,
    sizes: BySize | None = None,
    dominance: Threshold = 2,
    small: int = SMALL,
) -> list[dict[str, Any]]:
    """Return pairs, then true and then pred segments without a partner, as rows in the order of ids.

    Parameters
    ----------
    alignment : Alignment
        The alignment.
    item : str, optional
        The name of the item, for a column of its own.
    sizes : BySize, optional
        The bins of the breakdown by size; by default those of COCO.
    dominance : number, default 2
        How many times the missed elements must be the spurious ones, or the reverse, to dominate.
    small : int, default 1024
        The number of elements below which a segment is small.

    Returns
    -------
    list of dict
        One row per pair and per segment without a partner.

    Notes
    -----
    ``outcome`` is matched, missed, spurious, or ignored (the policy counts the segment neither way). ``shared``,
    ``missed`` and ``spurious`` are elements as the policy counts them. ``nearest_id`` is the segment of the other side
    with the best IoU among those that overlap it, whether it may be matched or not (ties: the smaller id),
    ``nearest_iou`` that IoU.

    Examples
    --------
    >>> import segmetry as sm
    >>> rows = segment_rows(sm.align(sm.overlap([[1, 1, 1, 2, 2]], [[1, 1, 5, 5, 5]], ), "theta_plus"), "page 1")
    >>> [(row["outcome"], row["true_id"], row["pred_id"], row["kind"]) for row in rows]
    [('matched', 1, 1, 'partial'), ('matched', 2, 5, 'spill')]
    >>> rows[0]["iou"], rows[0]["shared"], rows[0]["missed"], rows[0]["spurious"]
    (0.6666666666666666, 2, 1, 0)
    """
    labels = (BySize() if sizes is None else sizes).labels(alignment.table)
    blocks = [_pair_columns(alignment, labels[0], dominance, small)]
    for is_true, own in ((True, labels[0]), (False, labels[1])):
        blocks.append(_unmatched_columns(alignment, own, small, is_true=is_true))
    rows = [dict(zip(columns, row, strict=True)) for columns in blocks for row in zip(*columns.values(), strict=True)]
    return rows if item is None else [{"item": item, **row} for row in rows]


Columns = dict[str, list[Any]]
"""The rows of some segments, by name of the column."""


def _pair_columns(alignment: Alignment, labels: Sequence[Any], dominance: Threshold, small: int) -> Columns:
    table, kinds = alignment.table, error_kinds(alignment, dominance=dominance, small=small)
    at_true, at_pred = alignment.at_true, alignment.at_pred
    absent = [None] * at_true.size
    return {
        "outcome": ["matched"] * at_true.size,
        "true_id": table.true.ids[at_true].tolist(),
        "pred_id": table.pred.ids[at_pred].tolist(),
        "true_class": _classes(table, table.true, at_true),
        "pred_class": _classes(table, table.pred, at_pred),
        "true_size": table.true.sizes[at_true].tolist(),
        "pred_size": table.pred.sizes[at_pred].tolist(),
        "shared": alignment.shared.tolist(),
        "missed": alignment.missed.tolist(),
        "spurious": alignment.spurious.tolist(),
        "iou": alignment.iou.tolist(),
        "kind": kinds.names(),
        "small": kinds.small.tolist(),
        "nearest_id": absent,
        "nearest_iou": absent,
        "size_bin": [labels[at] for at in at_true.tolist()],
    }


def _unmatched_columns(alignment: Alignment, labels: Sequence[Any], small: int, *, is_true: bool) -> Columns:
    table = alignment.table
    side, opposite = (table.true, table.pred) if is_true else (table.pred, table.true)
    matched = alignment.matched_true if is_true else alignment.matched_pred
    ignored = alignment.ignored_true if is_true else alignment.ignored_pred
    at = np.flatnonzero(~matched)
    absent, nothing = [None] * at.size, [0] * at.size
    ids, classes, sizes = side.ids[at].tolist(), _classes(table, side, at), side.sizes[at].tolist()
    counted = counted_sizes(table, alignment.policy)[0 if is_true else 1][at].tolist()
    outcome = "missed" if is_true else "spurious"
    partners = zip(*(column[at].tolist() for column in _nearest(table, is_true=is_true)), strict=True)
    known = [(None, None) if partner < 0 else (int(opposite.ids[partner]), iou) for partner, iou in partners]
    return {
        "outcome": ["ignored" if is_ignored else outcome for is_ignored in ignored[at].tolist()],
        "true_id": ids if is_true else absent,
        "pred_id": absent if is_true else ids,
        "true_class": classes if is_true else absent,
        "pred_class": absent if is_true else classes,
        "true_size": sizes if is_true else absent,
        "pred_size": absent if is_true else sizes,
        "shared": nothing,
        "missed": counted if is_true else nothing,
        "spurious": nothing if is_true else counted,
        "iou": absent,
        "kind": absent,
        "small": (side.sizes[at] < small).tolist(),
        "nearest_id": [partner for partner, _ in known],
        "nearest_iou": [iou for _, iou in known],
        "size_bin": [labels[place] for place in at.tolist()],
    }


def _nearest(table: OverlapTable, *, is_true: bool) -> tuple[IndexArray, FloatArray]:
    """Return position and IoU of the best partner of every segment (ties: the first listed), -1 without an overlap."""
    own, partner = (table.row_true, table.row_pred) if is_true else (table.row_pred, table.row_true)
    size = len(table.true if is_true else table.pred)
    by_partner = np.argsort(partner, kind="stable")
    counts = [column[by_partner] for column in (table.shared, table.missed, table.spurious)]
    order = by_partner[argsort_descending(*quotient("iou", *counts))]
    of_own, starts = group_order(own[order], size)
    has_partner = np.diff(starts) > 0
    best = order[of_own[starts[:-1][has_partner]]]
    position, iou = np.full(size, -1, dtype=np.intp), np.full(size, np.nan)
    position[has_partner] = partner[best]
    iou[has_partner] = weigh("iou", table.shared[best], table.missed[best], table.spurious[best])
    return position, iou


def _classes(table: OverlapTable, side: Side, at: IndexArray) -> list[Any]:
    if table.class_names is None or side.classes is None:
        return [None] * at.size
    return [table.class_names[code] for code in side.classes[at].tolist()]
