"""One row per pair and per segment without a partner: outcome, counts, IoU and kind of error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import Threshold
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.breakdown import BySize
from segmetry.alignments.error_kinds import SMALL, error_kinds
from segmetry.alignments.policy import counted_sizes
from segmetry.alignments.weights import argsort_descending, quotient, weigh
from segmetry.overlaps.table import OverlapTable, Side


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
    bins = BySize() if sizes is None else sizes
    rows = _pair_rows(alignment, dominance, small)
    rows += _unmatched_rows(alignment, "true", alignment.matched_true, alignment.ignored_true, "missed", small)
    rows += _unmatched_rows(alignment, "pred", alignment.matched_pred, alignment.ignored_pred, "spurious", small)
    true_bins, pred_bins = (
        dict(zip(side.ids.tolist(), labels, strict=True)) for side, labels in _binned(alignment, bins)
    )
    for row in rows:
        row["size_bin"] = true_bins[row["true_id"]] if row["true_id"] is not None else pred_bins[row["pred_id"]]
    return rows if item is None else [{"item": item, **row} for row in rows]


def _binned(alignment: Alignment, bins: BySize) -> list[tuple[Side, list[Any]]]:
    true, pred = bins.labels(alignment.table)
    return [(alignment.table.true, true), (alignment.table.pred, pred)]


def _pair_rows(alignment: Alignment, dominance: Threshold, small: int) -> list[dict[str, Any]]:
    table, kinds = alignment.table, error_kinds(alignment, dominance=dominance, small=small)
    names, iou = kinds.names(), alignment.iou.tolist()
    at_true, at_pred = alignment.at_true.tolist(), alignment.at_pred.tolist()
    return [
        {
            "outcome": "matched",
            "true_id": pair.true_id,
            "pred_id": pair.pred_id,
            "true_class": _class(table, table.true, at_true[k]),
            "pred_class": _class(table, table.pred, at_pred[k]),
            "true_size": int(table.true.sizes[at_true[k]]),
            "pred_size": int(table.pred.sizes[at_pred[k]]),
            "shared": pair.shared,
            "missed": pair.missed,
            "spurious": pair.spurious,
            "iou": iou[k],
            "kind": names[k],
            "small": bool(kinds.small[k]),
            "nearest_id": None,
            "nearest_iou": None,
        }
        for k, pair in enumerate(alignment.pairs())
    ]


def _unmatched_rows(
    alignment: Alignment,
    side_name: str,
    matched: NDArray[np.bool_],
    ignored: NDArray[np.bool_],
    outcome: str,
    small: int,
) -> list[dict[str, Any]]:
    table = alignment.table
    is_true = side_name == "true"
    side, opposite = (table.true, table.pred) if is_true else (table.pred, table.true)
    counted = counted_sizes(table, alignment.policy)[0 if is_true else 1]
    nearest = _nearest(table, side_name)
    rows = []
    for at in np.flatnonzero(~matched).tolist():
        nearest_at, nearest_iou = nearest.get(at, (None, None))
        rows.append(
            {
                "outcome": "ignored" if ignored[at] else outcome,
                "true_id": int(side.ids[at]) if is_true else None,
                "pred_id": None if is_true else int(side.ids[at]),
                "true_class": _class(table, side, at) if is_true else None,
                "pred_class": None if is_true else _class(table, side, at),
                "true_size": int(side.sizes[at]) if is_true else None,
                "pred_size": None if is_true else int(side.sizes[at]),
                "shared": 0,
                "missed": int(counted[at]) if is_true else 0,
                "spurious": 0 if is_true else int(counted[at]),
                "iou": None,
                "kind": None,
                "small": bool(side.sizes[at] < small),
                "nearest_id": None if nearest_at is None else int(opposite.ids[nearest_at]),
                "nearest_iou": nearest_iou,
            }
        )
    return rows


def _nearest(table: OverlapTable, side_name: str) -> dict[int, tuple[int, float]]:
    """Return, for every segment of a side with an overlap, the position of the best partner by IoU, and that IoU."""
    own, partner = (table.row_true, table.row_pred) if side_name == "true" else (table.row_pred, table.row_true)
    by_partner = np.argsort(partner, kind="stable")
    counts = [column[by_partner] for column in (table.shared, table.missed, table.spurious)]
    order = by_partner[argsort_descending(*quotient("iou", *counts))]
    iou = weigh("iou", table.shared, table.missed, table.spurious)
    nearest: dict[int, tuple[int, float]] = {}
    for row in order.tolist():
        nearest.setdefault(int(own[row]), (int(partner[row]), float(iou[row])))
    return nearest


def _class(table: OverlapTable, side: Side, at: int) -> Any:
    return None if table.class_names is None or side.classes is None else table.class_names[int(side.classes[at])]
