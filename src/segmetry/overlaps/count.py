"""Count the overlaps of each kind of segmentation."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray, sum_by
from segmetry.errors import DeviceMismatchError, KindError
from segmetry.kernels import run_length_masks
from segmetry.kernels.label_run_lengths import count_run_length_pairs
from segmetry.kernels.lines.line_overlaps import line_overlaps
from segmetry.kernels.pairs import count_pairs
from segmetry.overlaps.blocks import plan_of
from segmetry.overlaps.build import crowd_flags, table_from_pairs, with_classes
from segmetry.overlaps.count_blocks import count_by_blocks
from segmetry.overlaps.count_intervals import count_intervals
from segmetry.overlaps.polygon_overlaps import count_areas
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.pair import SegmentationPair
from segmetry.segmentation.polygons import Polygons
from segmetry.segmentation.sets import Sets
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals


def count_overlaps(pair: SegmentationPair, *, threads: int = 1) -> OverlapTable:
    """Return the overlap table of a checked pair."""
    true, pred = pair.true, pair.pred
    if isinstance(true, LabelArray):
        return _label_arrays(true, cast(LabelArray, pred), threads)
    if isinstance(true, Spans):
        return _spans(true, cast(Spans, pred))
    if isinstance(true, TimeIntervals):
        return count_intervals(true, cast(TimeIntervals, pred))
    if isinstance(true, Masks):
        return _masks(true, cast(Masks, pred))
    if isinstance(true, Polygons):
        return count_areas(true, cast(Polygons, pred))
    if isinstance(true, Sets):
        return _sets(true, cast(Sets, pred))
    raise KindError(f"cannot count the overlaps of segmentations of kind {true.kind!r}")


def _label_arrays(true: LabelArray, pred: LabelArray, threads: int) -> OverlapTable:
    """Count stored arrays block by block, run-length labels by stretches, tensors on their device, other arrays element
    by element.
    """
    if true.on_device is not None or pred.on_device is not None:
        from segmetry.kernels.gpu.device_pairs import count_device_pairs

        first, second = on_one_device(true, pred)
        return table_from_pairs(true, pred, count_device_pairs(first, second)[0])
    plan = None if true.stored is None and pred.stored is None else plan_of(true, pred)
    if plan is not None:
        return count_by_blocks(true, pred, plan, threads=threads)
    if true.run_length_labels is not None and pred.run_length_labels is not None:
        counts = count_run_length_pairs(true.run_length_labels.run_lengths, pred.run_length_labels.run_lengths)
        return table_from_pairs(true, pred, counts)
    return table_from_pairs(true, pred, count_pairs(true.labels, pred.labels, threads=threads))


def on_one_device(true: LabelArray, pred: LabelArray) -> tuple[Any, Any]:
    """Return the tensors of two label arrays on one device; labels are never moved to bring them together."""
    sides = (true.on_device, pred.on_device)
    first, second = ("this machine" if labels is None else labels.device for labels in sides)
    if sides[0] is None or sides[1] is None or first != second:
        raise DeviceMismatchError(
            f"true is on {first} and pred on {second}; expected both on one device: move one of them yourself, "
            "true.to(pred.device) or labels.cpu(), as copying may cost more than counting"
        )
    return sides[0].tensor, sides[1].tensor


def _spans(true: Spans, pred: Spans) -> OverlapTable:
    """Walk along both sides of the line."""
    pairs = line_overlaps((true.starts, true.stops), (pred.starts, pred.stops))
    covered = int(pairs.true_outside.sum()) + int(pred.lengths.sum())

    def side(spans: Spans, outside: IntArray) -> Side:
        ids = np.arange(1, outside.size + 1, dtype=np.int64)
        return Side(ids, spans.lengths, outside, np.zeros(outside.size, dtype=np.int64))

    table = OverlapTable(
        true=side(true, pairs.true_outside),
        pred=side(pred, pairs.pred_outside),
        row_true=pairs.row_true,
        row_pred=pairs.row_pred,
        shared=pairs.shared,
        background=BackgroundCounts(outside_outside=true.n - covered),
        n_elements=true.n,
    )
    table.__dict__["has_void"] = False  # a line has none
    return with_classes(table, true.classes, pred.classes)


def _masks(true: Masks, pred: Masks) -> OverlapTable:
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


def _sets(true: Sets, pred: Sets) -> OverlapTable:
    preds_of: dict[Hashable, list[int]] = {}
    pred_ids, true_ids = sorted(pred.segments), sorted(true.segments)
    for position, segment in enumerate(pred_ids):
        for element in pred.segments[segment]:
            preds_of.setdefault(element, []).append(position)
    counts: dict[tuple[int, int], int] = {}
    for position, segment in enumerate(true_ids):
        for element in true.segments[segment]:
            for pred_position in preds_of.get(element, ()):
                counts[position, pred_position] = counts.get((position, pred_position), 0) + 1
    universe = true.universe or pred.universe or (true.elements | pred.elements)
    rows = sorted(counts)

    def side(sets: Sets, ids: list[int], opposite: Sets) -> Side:
        return Side(
            ids=np.array(ids, dtype=np.int64),
            sizes=np.array([len(sets.segments[segment]) for segment in ids], dtype=np.int64),
            outside=np.array([len(sets.segments[segment] - opposite.elements) for segment in ids], dtype=np.int64),
            void=np.zeros(len(ids), dtype=np.int64),
            disjoint=sets.is_disjoint,
        )

    table = OverlapTable(
        true=side(true, true_ids, pred),
        pred=side(pred, pred_ids, true),
        row_true=np.array([row[0] for row in rows], dtype=np.intp),
        row_pred=np.array([row[1] for row in rows], dtype=np.intp),
        shared=np.array([counts[row] for row in rows], dtype=np.int64),
        background=BackgroundCounts(outside_outside=len(universe - true.elements - pred.elements)),
        n_elements=len(universe),
    )
    return with_classes(table, true.classes, pred.classes)
