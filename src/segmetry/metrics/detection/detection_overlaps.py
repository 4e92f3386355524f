"""How much each predicted and each true mask overlap, as average precision counts it.

Masks: IoU = shared / union elements. A crowd stands for several objects, so its own missed elements do not count:
shared / predicted. Boxes: the same with areas of boxes [lin2014microsoft]. Boundaries: the smaller of the IoU of the
masks and that of the bands along their contours; crowds by their masks [cheng2021boundary].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segmetry._base.exact import BoolArray, FloatArray, IntArray
from segmetry.alignments.rules.local import LocalRule
from segmetry.errors import OptionError
from segmetry.geometry.band_overlaps import band_width, banded_masks
from segmetry.kernels.run_length_masks import boxes_of_run_lengths, intersect_run_lengths
from segmetry.segmentation.masks import Masks

IOU_TYPES = ("segm", "bbox", "boundary")


class OverlapRows(NamedTuple):
    """Positions of predicted and true masks that overlap, and how much."""

    pred: IntArray
    true: IntArray
    overlap: FloatArray


def overlap_rows(
    true: Masks,
    pred: Masks,
    crowd: BoolArray,
    iou_type: str,
    rule: LocalRule | None,
) -> OverlapRows:
    """Return the overlapping pairs, of whatever classes."""
    if iou_type not in IOU_TYPES:
        raise OptionError(f"iou_type is {iou_type!r}; expected one of {', '.join(IOU_TYPES)}")
    if rule is not None and iou_type != "segm":
        raise OptionError(f"rule counts the elements of masks, but iou_type is {iou_type!r}; expected one of them")
    if iou_type == "bbox":
        return _box_rows(true, pred, crowd)
    for side, masks in (("true", true), ("pred", pred)):
        if masks.detection is not None and masks.detection.boxes_only:
            raise OptionError(
                f"{side} has boxes but no masks; compare boxes with iou_type='bbox' (--option iou_type=bbox)"
            )
    rows = _mask_rows(true, pred, crowd, rule)
    return rows if iou_type == "segm" else _with_boundaries(rows, true, pred, crowd)


def _mask_rows(true: Masks, pred: Masks, crowd: BoolArray, rule: LocalRule | None) -> OverlapRows:
    at_true, at_pred, shared = intersect_run_lengths(true.run_lengths, pred.run_lengths, line=true.shape[0])
    spurious = pred.sizes[at_pred] - shared
    missed = np.where(crowd[at_true], 0, true.sizes[at_true] - shared)
    rows = OverlapRows(at_pred, at_true, shared / (shared + missed + spurious))
    return rows if rule is None else chosen_rows(rows, rule.accepts(shared, missed, spurious))


def _with_boundaries(rows: OverlapRows, true: Masks, pred: Masks, crowd: BoolArray) -> OverlapRows:
    width = band_width(None, "chessboard", true.shape, true.spacing)
    first, second = (banded_masks(masks, width, "chessboard") for masks in (true, pred))
    n_pred = pred.ids.size
    at_true, at_pred, shared = intersect_run_lengths(first.run_lengths, second.run_lengths, line=true.shape[0])
    key, wanted = at_true * n_pred + at_pred, rows.true * n_pred + rows.pred  # ascending: sorted by (true, pred)
    place = np.minimum(np.searchsorted(key, wanted), max(key.size - 1, 0))
    both = np.where(key[place] == wanted, shared[place], 0) if key.size else np.zeros(wanted.size, dtype=np.int64)
    union = first.sizes[rows.true] + second.sizes[rows.pred] - both
    bands = np.where(both > 0, both / np.maximum(union, 1), 0.0)
    return rows._replace(overlap=np.where(crowd[rows.true], rows.overlap, np.minimum(rows.overlap, bands)))


def _box_rows(true: Masks, pred: Masks, crowd: BoolArray) -> OverlapRows:
    """The operations of the reference in its order, so that the floats are the same."""
    at_pred, at_true = (places.ravel() for places in np.indices((pred.ids.size, true.ids.size)))
    p, t = boxes_of(pred)[at_pred], boxes_of(true)[at_true]
    width = np.minimum(p[:, 2] + p[:, 0], t[:, 2] + t[:, 0]) - np.maximum(p[:, 0], t[:, 0])
    height = np.minimum(p[:, 3] + p[:, 1], t[:, 3] + t[:, 1]) - np.maximum(p[:, 1], t[:, 1])
    rows = OverlapRows(at_pred, at_true, np.zeros(at_pred.size))
    meets = (width > 0) & (height > 0)
    shared, pred_area, true_area = width * height, p[:, 2] * p[:, 3], t[:, 2] * t[:, 3]
    union = np.where(crowd[at_true], pred_area, pred_area + true_area - shared)
    np.divide(shared, union, out=rows.overlap, where=meets)
    return chosen_rows(rows, meets)


def boxes_of(masks: Masks) -> FloatArray:
    """Return x, y, width and height of every mask: as stated, else those of its elements.

    >>> masks = Masks.from_dense(np.array([[[False, True, True], [False, True, False]]]))
    >>> boxes_of(masks).tolist()
    [[1.0, 0.0, 2.0, 2.0]]
    """
    stated = None if masks.detection is None else masks.detection.boxes
    return boxes_of_run_lengths(masks.run_lengths, masks.shape[0]) if stated is None else stated


def chosen_rows(rows: OverlapRows, chosen: BoolArray) -> OverlapRows:
    """Return some of the rows."""
    return OverlapRows(rows.pred[chosen], rows.true[chosen], rows.overlap[chosen])
