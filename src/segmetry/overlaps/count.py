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
    """Cut the line at every start and stop of either side: each piece is in at most one span per side."""
    edges = np.unique(np.concatenate((true.starts, true.stops, pred.starts, pred.stops, [0, true.n])))
    left, lengths = edges[:-1], np.diff(edges)
    at_true, at_pred = _span_at(true, left), _span_at(pred, left)
    both = (at_true >= 0) & (at_pred >= 0)

    def side(spans: Spans, at: IntArray, at_opposite: IntArray) -> Side:
        outside = (at >= 0) & (at_opposite < 0)
        count = spans.starts.size
        return Side(
            ids=np.arange(1, count + 1, dtype=np.int64),
            sizes=spans.lengths,
            outside=sum_by(at[outside], lengths[outside], count),
            void=np.zeros(count, dtype=np.int64),
        )

    table = OverlapTable(
        true=side(true, at_true, at_pred),
        pred=side(pred, at_pred, at_true),
        row_true=at_true[both],
        row_pred=at_pred[both],
        shared=lengths[both],
        background=BackgroundCounts(outside_outside=int(lengths[(at_true < 0) & (at_pred < 0)].sum())),
        n_elements=true.n,
    )
    return with_classes(table, true.classes, pred.classes)


def _span_at(spans: Spans, positions: IntArray) -> NDArray[np.intp]:
    """Return the index of the span that contains each position, -1 for a gap."""
    at = np.searchsorted(spans.starts, positions, side="right") - 1
    if not spans.starts.size:
        return at
    return np.where((at >= 0) & (positions < spans.stops[at]), at, -1)


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
