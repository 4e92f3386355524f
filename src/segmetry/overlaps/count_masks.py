"""Count the overlaps of masks, which may overlap each other on one side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import sum_by
from segmetry.kernels import run_length_masks
from segmetry.overlaps.build import crowd_flags, with_classes
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation.masks import Masks


def count_masks(true: Masks, pred: Masks) -> OverlapTable:
    """Intersect the run lengths of both sides; elements outside are those not in the union of the other side."""
    row_true, row_pred, shared = run_length_masks.intersect_run_lengths(
        true.run_lengths, pred.run_lengths, line=true.shape[0]
    )
    true_union = run_length_masks.union_run_lengths(true.run_lengths)
    pred_union = run_length_masks.union_run_lengths(pred.run_lengths)
    true_order, pred_order = np.argsort(true.ids, kind="stable"), np.argsort(pred.ids, kind="stable")

    def side(masks: Masks, order: NDArray[np.intp], opposite_union: run_length_masks.RunLengthMasks) -> Side:
        rows, _, inside = run_length_masks.intersect_run_lengths(masks.run_lengths, opposite_union)
        covered = sum_by(rows, inside, masks.ids.size)
        ids = masks.ids[order]
        return Side(
            ids=ids,
            sizes=masks.sizes[order],
            outside=(masks.sizes - covered)[order],
            void=np.zeros(ids.size, dtype=np.int64),
            **crowd_flags(masks, ids),
            disjoint=masks.is_disjoint,
        )

    true_rank, pred_rank = np.argsort(true_order), np.argsort(pred_order)
    at_true, at_pred = true_rank[row_true], pred_rank[row_pred]
    order = np.lexsort((at_pred, at_true))
    covered_both = int(run_length_masks.intersect_run_lengths(true_union, pred_union)[2].sum())
    covered_each = (int(run_length_masks.sizes(union).sum()) for union in (true_union, pred_union))
    covered_any = sum(covered_each) - covered_both
    table = OverlapTable(
        true=side(true, true_order, pred_union),
        pred=side(pred, pred_order, true_union),
        row_true=at_true[order],
        row_pred=at_pred[order],
        shared=shared[order],
        background=BackgroundCounts(outside_outside=true.n_elements - covered_any),
        n_elements=true.n_elements,
    )
    return with_classes(table, true.classes, pred.classes)
