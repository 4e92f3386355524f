"""Overlap tables of a batch: the first axis of both arrays counts the items."""

from __future__ import annotations

from typing import Any

from segmetry.errors import KindError, OptionError
from segmetry.kernels import count_pairs
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
