"""Overlap tables of a batch: the first axis of both arrays counts the items."""

from __future__ import annotations

from typing import Any

from segmetry.errors import KindError, OptionError
from segmetry.kernels import PairCounts, count_pairs
from segmetry.overlaps.build import table_from_pairs
from segmetry.overlaps.count import on_one_device
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation import LabelArray, SegmentationPair


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
    counted = _counted(first, second, threads)
    one_true, one_pred = item_of(first, 0), item_of(second, 0)
    return [table_from_pairs(one_true, one_pred, counts) for counts in counted]


def _counted(true: LabelArray, pred: LabelArray, threads: int) -> list[PairCounts]:
    if true.on_device is not None or pred.on_device is not None:
        from segmetry.kernels import count_device_pairs

        return count_device_pairs(*on_one_device(true, pred), items=true.domain[0])
    items = zip(true.labels, pred.labels, strict=True)
    return [count_pairs(first, second, threads=threads) for first, second in items]


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
