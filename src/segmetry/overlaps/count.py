"""Count the overlaps of two segmentations of any kind, or of every item of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from segmetry._base import IntArray
from segmetry.errors import DeviceMismatchError, KindError, OptionError
from segmetry.kernels import count_pairs, count_run_length_pairs, line_overlaps
from segmetry.overlaps.blocks import count_by_blocks, plan_of
from segmetry.overlaps.build import table_from_pairs, with_classes
from segmetry.overlaps.line_tables import FARTHEST, count_lines
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation import LabelArray, Segmentation, SegmentationPair, SpanLines, Spans


def overlap(true: Any, pred: Any, *, threads: int = 1, resolve: str | None = None) -> OverlapTable:
    """Count how many elements each true and each predicted segment share.

    Large zarr, h5py and dask arrays and memory maps are counted block by block, in little memory.

    Parameters
    ----------
    true : segmentation, array or path
        The true segments: an array of integers (0 is outside), a LabelArray, Spans, Masks, Polygons or Sets, or the
        path of a file with one item.
    pred : segmentation, array or path
        The predicted segments, of the same kind and the same domain.
    threads : int, default 1
        The number of threads that count a large label array.
    resolve : {'by_score'}, optional
        ``'by_score'`` first makes overlapping predicted masks disjoint, in descending order of score.

    Returns
    -------
    OverlapTable
        The exact counts, from which every alignment and most metrics follow.

    Examples
    --------
    >>> list(overlap([[1, 1, 2]], [[7, 7, 7]]).rows())
    [(1, 7, 2), (2, 7, 1)]
    """
    if threads < 1:
        raise OptionError(f"threads is {threads}; expected at least 1")
    given = true, pred
    if type(true) is not np.ndarray or type(pred) is not np.ndarray:
        from segmetry.readers import read_sides

        true, pred = read_sides(true, pred)
    table = count_overlaps(SegmentationPair.of(true, pred, resolve=resolve), threads=threads)
    return table.know_segmentations(*given, resolve)


def overlap_batch(true: Any, pred: Any, *, threads: int = 1) -> list[OverlapTable]:
    """Count the overlaps of every item of a batch.

    Parameters
    ----------
    true, pred
        Label arrays (items, …) of one shape, or :class:`LabelArray` of such, whose background, void and classes then
        hold for every item. Tensors on a GPU are counted there, all items together.
    threads
        How many threads count one item on this machine.

    Returns
    -------
    list of OverlapTable
        One table per item, equal to ``overlap(true[i], pred[i])``.

    Examples
    --------
    >>> [list(table.rows()) for table in overlap_batch([[1, 1], [1, 2]], [[7, 7], [7, 0]])]
    [[(1, 7, 2)], [(1, 7, 1)]]
    """
    if threads < 1:
        raise OptionError(f"threads is {threads}; expected at least 1")
    pair = SegmentationPair.of(true, pred)
    first, second = pair.true, pair.pred
    if not isinstance(first, LabelArray) or not isinstance(second, LabelArray) or first.axes < 2:
        raise KindError(f"true is {first.kind} of shape {first.domain}; expected label arrays (items, …)")
    if first.on_device is not None or second.on_device is not None:
        from segmetry.kernels import count_device_pairs

        counted = count_device_pairs(*on_one_device(first, second), items=first.domain[0])
    else:
        items = zip(first.labels, second.labels, strict=True)
        counted = [count_pairs(of_true, of_pred, threads=threads) for of_true, of_pred in items]
    one_true, one_pred = item_of(first, 0), item_of(second, 0)
    return [table_from_pairs(one_true, one_pred, counts) for counts in counted]


def item_of(batch: LabelArray, item: int) -> LabelArray:
    """Return one item with the facts of the batch."""
    spacing = batch.spacing[1:] if batch.spacing.stated else None
    labels = batch.labels[item] if batch.on_device is None else batch.on_device.tensor[item]
    return LabelArray(
        labels,
        outside=batch.outside,
        void=batch.void,
        classes=batch.classes,
        crowd=batch.crowd,
        spacing=spacing,
        allow_negative=batch.allow_negative,
    )


def count_overlaps(pair: SegmentationPair, *, threads: int = 1) -> OverlapTable:
    """Return the overlap table of a checked pair."""
    true, pred = pair.true, pair.pred
    if isinstance(true, LabelArray):
        return _count_label_arrays(true, cast(LabelArray, pred), threads)
    if isinstance(true, Spans):
        return _count_spans(true, cast(Spans, pred))
    return _count_other_kinds(true, pred)


def count_together(pairs: Sequence[SegmentationPair]) -> list[OverlapTable]:
    """Return the overlap table of every checked pair; pairs of spans are counted together, others one by one."""
    lines = [(pair.true, pair.pred) for pair in pairs if type(pair.true) is Spans and type(pair.pred) is Spans]
    if not lines or len(lines) < len(pairs) or sum(true.n for true, _ in lines) >= FARTHEST:
        return [count_overlaps(pair) for pair in pairs]
    has_classes = all(side.classes is not None for line in lines for side in line)
    counted = count_lines(*(SpanLines.of(sides) for sides in zip(*lines, strict=True)), has_classes=has_classes)
    if has_classes:
        return counted.tables()
    return [
        with_classes(table, first.classes, second.classes)
        for table, (first, second) in zip(counted.tables(), lines, strict=True)
    ]


def _count_label_arrays(true: LabelArray, pred: LabelArray, threads: int) -> OverlapTable:
    """Count stored arrays by block, run-length labels by run, tensors on their device, other arrays by element."""
    if true.on_device is not None or pred.on_device is not None:
        from segmetry.kernels import count_device_pairs

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


def _count_spans(true: Spans, pred: Spans) -> OverlapTable:
    """Walk along both sides of one line, which takes a third of the time of :func:`count_lines`."""
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


def _count_other_kinds(true: Segmentation, pred: Segmentation) -> OverlapTable:
    """Count what is seldom counted; nothing of it is imported before."""
    from segmetry.overlaps.count_overlapping import count_intervals, count_masks, count_sets
    from segmetry.segmentation import Masks, Polygons, Sets, TimeIntervals

    if isinstance(true, TimeIntervals):
        return count_intervals(true, cast(TimeIntervals, pred))
    if isinstance(true, Masks):
        return count_masks(true, cast(Masks, pred))
    if isinstance(true, Sets):
        return count_sets(true, cast(Sets, pred))
    if isinstance(true, Polygons):
        from segmetry.overlaps.count_overlapping import count_areas

        return count_areas(true, cast(Polygons, pred))
    raise KindError(f"cannot count the overlaps of segmentations of kind {true.kind!r}")
