"""One counter per kind of segmentation; none of them looks at an element more often than it must."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray, sum_by
from segmetry.errors import KindError
from segmetry.kernels import run_length_masks as run_kernels
from segmetry.kernels.label_run_lengths import count_run_length_pairs
from segmetry.kernels.pairs import count_pairs
from segmetry.overlaps.blocks import plan_of
from segmetry.overlaps.build import crowd_flags, table_from_pairs, with_classes
from segmetry.overlaps.count_blocks import count_by_blocks
from segmetry.overlaps.polygon_overlaps import count_areas
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.pair import SegmentationPair
from segmetry.segmentation.polygons import Polygons
from segmetry.segmentation.sets import Sets
from segmetry.segmentation.spans import Spans


def count_overlaps(pair: SegmentationPair, *, threads: int = 1) -> OverlapTable:
    """The overlap table of a checked pair."""
    true, pred = pair.true, pair.pred
    if isinstance(true, LabelArray):
        return _label_arrays(true, cast(LabelArray, pred), threads)
    if isinstance(true, Spans):
        return _spans(true, cast(Spans, pred))
    if isinstance(true, Masks):
        return _masks(true, cast(Masks, pred))
    if isinstance(true, Polygons):
        return count_areas(true, cast(Polygons, pred))
    if isinstance(true, Sets):
        return _sets(true, cast(Sets, pred))
    raise KindError(f"segmentations of kind {true.kind!r} cannot be counted")


def _label_arrays(true: LabelArray, pred: LabelArray, threads: int) -> OverlapTable:
    """Count stored arrays block by block, run-length labels by their stretches, anything else element by element."""
    plan = None if true.stored is None and pred.stored is None else plan_of(true, pred)
    if plan is not None:
        return count_by_blocks(true, pred, plan, threads=threads)
    if true.in_runs is not None and pred.in_runs is not None:
        return table_from_pairs(true, pred, count_run_length_pairs(true.in_runs.runs, pred.in_runs.runs))
    return table_from_pairs(true, pred, count_pairs(true.labels, pred.labels, threads=threads))


def _spans(true: Spans, pred: Spans) -> OverlapTable:
    """Cut the line at every start and stop of either side: each piece lies in at most one span a side."""
    edges = np.unique(np.concatenate((true.starts, true.stops, pred.starts, pred.stops, [0, true.n])))
    left, lengths = edges[:-1], np.diff(edges)
    at_true, at_pred = _span_at(true, left), _span_at(pred, left)
    both = (at_true >= 0) & (at_pred >= 0)

    def side(found: Spans, at: IntArray, other: IntArray) -> Side:
        alone = (at >= 0) & (other < 0)
        count = found.starts.size
        return Side(
            ids=np.arange(1, count + 1, dtype=np.int64),
            sizes=found.lengths,
            outside=sum_by(at[alone], lengths[alone], count),
            void=np.zeros(count, dtype=np.int64),
        )

    table = OverlapTable(
        true=side(true, at_true, at_pred),
        pred=side(pred, at_pred, at_true),
        row_true=at_true[both],
        row_pred=at_pred[both],
        shared=lengths[both],
        nowhere=BackgroundCounts(outside_outside=int(lengths[(at_true < 0) & (at_pred < 0)].sum())),
        n_elements=true.n,
    )
    return with_classes(table, true.classes, pred.classes)


def _span_at(found: Spans, positions: IntArray) -> NDArray[np.intp]:
    """The index of the span that holds each position, -1 for a gap."""
    at = np.searchsorted(found.starts, positions, side="right") - 1
    if not found.starts.size:
        return at
    return np.where((at >= 0) & (positions < found.stops[at]), at, -1)


def _masks(true: Masks, pred: Masks) -> OverlapTable:
    """Sweep the runs of both sides; what a mask shares with the union of the other side is not outside."""
    row_true, row_pred, shared = run_kernels.intersect_run_lengths(true.runs, pred.runs, line=true.shape[0])
    true_union, pred_union = run_kernels.union_run_lengths(true.runs), run_kernels.union_run_lengths(pred.runs)
    true_order, pred_order = np.argsort(true.ids, kind="stable"), np.argsort(pred.ids, kind="stable")

    def side(found: Masks, order: NDArray[np.intp], other_union: run_kernels.RunLengthMasks) -> Side:
        rows, _, inside = run_kernels.intersect_run_lengths(found.runs, other_union)
        covered = sum_by(rows, inside, found.ids.size)
        ids = found.ids[order]
        return Side(
            ids=ids,
            sizes=found.sizes[order],
            outside=(found.sizes - covered)[order],
            void=np.zeros(ids.size, dtype=np.int64),
            crowd=crowd_flags(found, ids),
            disjoint=found.is_disjoint,
        )

    true_rank, pred_rank = np.argsort(true_order), np.argsort(pred_order)
    at_true, at_pred = true_rank[row_true], pred_rank[row_pred]
    order = np.lexsort((at_pred, at_true))
    covered_both = int(run_kernels.intersect_run_lengths(true_union, pred_union)[2].sum())
    covered_any = int(run_kernels.sizes(true_union).sum()) + int(run_kernels.sizes(pred_union).sum()) - covered_both
    table = OverlapTable(
        true=side(true, true_order, pred_union),
        pred=side(pred, pred_order, true_union),
        row_true=at_true[order],
        row_pred=at_pred[order],
        shared=shared[order],
        nowhere=BackgroundCounts(outside_outside=true.n_elements - covered_any),
        n_elements=true.n_elements,
    )
    return with_classes(table, true.classes, pred.classes)


def _sets(true: Sets, pred: Sets) -> OverlapTable:
    homes: dict[Hashable, list[int]] = {}
    pred_ids, true_ids = sorted(pred.segments), sorted(true.segments)
    for position, segment in enumerate(pred_ids):
        for element in pred.segments[segment]:
            homes.setdefault(element, []).append(position)
    counts: dict[tuple[int, int], int] = {}
    for position, segment in enumerate(true_ids):
        for element in true.segments[segment]:
            for home in homes.get(element, ()):
                counts[position, home] = counts.get((position, home), 0) + 1
    universe = true.universe or pred.universe or (true.elements | pred.elements)
    rows = sorted(counts)

    def side(found: Sets, ids: list[int], other: Sets) -> Side:
        return Side(
            ids=np.array(ids, dtype=np.int64),
            sizes=np.array([len(found.segments[segment]) for segment in ids], dtype=np.int64),
            outside=np.array([len(found.segments[segment] - other.elements) for segment in ids], dtype=np.int64),
            void=np.zeros(len(ids), dtype=np.int64),
            disjoint=found.is_disjoint,
        )

    table = OverlapTable(
        true=side(true, true_ids, pred),
        pred=side(pred, pred_ids, true),
        row_true=np.array([row[0] for row in rows], dtype=np.intp),
        row_pred=np.array([row[1] for row in rows], dtype=np.intp),
        shared=np.array([counts[row] for row in rows], dtype=np.int64),
        nowhere=BackgroundCounts(outside_outside=len(universe - true.elements - pred.elements)),
        n_elements=len(universe),
    )
    return with_classes(table, true.classes, pred.classes)
