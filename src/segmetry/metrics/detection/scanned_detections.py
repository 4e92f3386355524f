"""The columns of all images at once, from files that native code reads: what :func:`detections` collects of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import BoolArray, IndexArray, IntArray
from segmetry.kernels import HAS_AREA, HAS_BOX, HAS_MASK, HAS_POLYGONS, CocoColumns, detection_overlaps
from segmetry.metrics.detection.detections import LEAST_CONFUSED
from segmetry.metrics.statistics import LABEL, Statistics


class ScannedSide(NamedTuple):
    """The rows of all items of one side: those of item ``i`` are ``starts[i] : starts[i + 1]``, as in the file."""

    columns: CocoColumns
    starts: IntArray

    @classmethod
    def of(cls, columns: CocoColumns, starts: IntArray, items: IndexArray) -> ScannedSide:
        """Return some of the items, in this order; an item -1 has no rows."""
        ends = np.append(starts, [0, 0])  # so that -1 is empty
        first, sizes = ends[items], (ends[items + 1] - ends[items]) * (items >= 0)
        own = np.concatenate(([0], np.cumsum(sizes)))
        return cls(columns.take(np.repeat(first - own[:-1], sizes) + np.arange(own[-1])), own)

    @property
    def item(self) -> IndexArray:
        """The item of every row."""
        return np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))


def scanned_detections(
    true: ScannedSide,
    pred: ScannedSide,
    shapes: IntArray,
    class_lists: Sequence[tuple[frozenset[int], frozenset[int]]] | None,
    *,
    threads: int,
    iou_type: str = "segm",
    crowd_overlap: str = "share",
) -> Statistics | None:
    """Return the columns of all items; None where only the careful reader can say what they are, or what is wrong."""
    of_boxes = iou_type == "bbox"
    if iou_type not in ("segm", "bbox") or (of_boxes and not (_have(true, HAS_BOX) and _have(pred, HAS_BOX))):
        return None
    if not of_boxes and not (_have(true, HAS_MASK) and _have(pred, HAS_MASK)):
        return None
    own = shapes[pred.item]
    if _have(pred, HAS_MASK) and bool((np.stack((pred.columns.height, pred.columns.width), 1) != own).any()):
        return None
    if class_lists is not None:
        true = true._replace(columns=true.columns._replace(crowd=np.zeros_like(true.columns.crowd)))
    order = np.lexsort((-pred.columns.score, pred.item))
    sorted_pred, truth = pred.columns.take(order), true.columns
    crowd = truth.crowd != 0
    found = detection_overlaps(
        truth,
        sorted_pred,
        (true.starts, pred.starts),
        numbers=order,
        shares=crowd & (crowd_overlap == "share"),
        shape=shapes.T,
        least=LEAST_CONFUSED,
        of_boxes=of_boxes,
        threads=threads,
    )
    if found is None:
        return None
    boxes = sorted_pred.boxes
    stated, has_mask = truth.fields & HAS_AREA != 0, truth.fields & HAS_MASK != 0
    if bool((truth.area != found.true_sizes)[stated & has_mask & (truth.fields & HAS_POLYGONS == 0)].any()):
        return None  # which is worth a warning
    if not (stated | has_mask).all():
        return None  # the elements of the box, when it is drawn, are its area
    codes = _class_codes(true, pred, order)
    judged, excused = _federated_flags(codes, true, class_lists)
    pred_cell = codes.first[pred.item] + codes.pred
    columns: dict[str, Any] = {
        LABEL: codes.of_cells,
        "pred_class": codes.pred,
        "score": sorted_pred.score,
        "area": boxes[:, 2] * boxes[:, 3] if of_boxes else found.pred_sizes.astype(np.float64),
        "judged": judged[pred_cell],
        "excused": excused[pred_cell],
        "true_class": codes.true,
        "true_area": np.where(stated, truth.area, found.true_sizes),
        "crowd": crowd,
        "pair_pred": found.same.pred,
        "pair_true": found.same.true,
        "overlap": found.same.overlap,
        "other_pred": found.other.pred,
        "other_true": found.other.true,
        "other_overlap": found.other.overlap,
    }
    of_pred = dict.fromkeys(("pred_class", "score", "area", "judged", "excused"), pred.starts)
    of_true = dict.fromkeys(("true_class", "true_area", "crowd"), true.starts)
    same = dict.fromkeys(("pair_pred", "pair_true", "overlap"), found.same.starts)
    other = dict.fromkeys(("other_pred", "other_true", "other_overlap"), found.other.starts)
    starts = {LABEL: codes.first, **of_pred, **of_true, **same, **other}
    return Statistics(columns, starts, {LABEL: tuple(codes.names.tolist())}, len(shapes))


def _have(side: ScannedSide, fields: int) -> bool:
    return side.columns.all_have(fields)


class _ClassCodes(NamedTuple):
    """The classes of items, those of item ``i`` are ``first[i] : first[i + 1]``; of each row its class among them."""

    names: IntArray
    of_cells: IntArray
    first: IntArray
    true: IntArray
    pred: IntArray


def _class_codes(true: ScannedSide, pred: ScannedSide, order: IndexArray) -> _ClassCodes:
    names, codes = np.unique(np.concatenate((true.columns.category, pred.columns.category[order])), return_inverse=True)
    item = np.concatenate((true.item, pred.item))
    cells, at = np.unique(item * max(names.size, 1) + codes, return_inverse=True)
    first = np.searchsorted(cells, np.arange(true.starts.size) * max(names.size, 1))
    own = at - first[item]
    return _ClassCodes(names, cells % max(names.size, 1), first, own[: true.item.size], own[true.item.size :])


def _federated_flags(
    codes: _ClassCodes, true: ScannedSide, class_lists: Sequence[tuple[frozenset[int], frozenset[int]]] | None
) -> tuple[BoolArray, BoolArray]:
    """Return of each cell whether its class was looked for, and whether it is annotated incompletely."""
    judged, excused = np.ones(codes.of_cells.size, dtype=bool), np.zeros(codes.of_cells.size, dtype=bool)
    if class_lists is None:
        return judged, excused
    cell_names = codes.names[codes.of_cells].tolist()
    for (absent, incomplete), start, stop in zip(class_lists, codes.first[:-1], codes.first[1:], strict=True):
        own = cell_names[start:stop]
        judged[start:stop] = [name in absent for name in own]
        excused[start:stop] = [name in incomplete for name in own]
    judged[codes.first[true.item] + codes.true] = True
    return judged, excused
