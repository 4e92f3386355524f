"""Detections: what average precision and recall need of one image, and of all images of a data set.

Of each image the predicted masks are kept by descending score (equal scores in input order), with class, score and
area; the true masks with class, area and whether they are a crowd; and how much they overlap. No mask is kept: any
threshold, size and number of detections is evaluated from these columns alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import BoolArray, FloatArray, IntArray
from segmetry.alignments.candidates import MatchRule
from segmetry.errors import OptionError
from segmetry.metrics.detection.detection_options import IouType, as_local_rule
from segmetry.metrics.detection.detection_overlaps import boxes_of, chosen_rows, overlap_rows
from segmetry.metrics.statistics import LABEL, Column, Statistics
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.segmentation.masks import Masks

LEAST_CONFUSED = 0.1
"""The least overlap of masks of different classes that is kept: below it they have nothing to do with each other."""
ANY = "all"
"""The class of all segments where they have no classes."""


def detections(
    true: Masks, pred: Masks, *, iou_type: IouType = "segm", rule: MatchRule | str | None = None
) -> dict[str, Column]:
    """Collect the columns of one image.

    ``judged``: the class of a prediction was looked for in the image; ``excused``: not all objects of it are annotated.
    """
    if pred.scores is None:
        raise OptionError("average precision needs a score for every predicted mask; pass scores= to Masks")
    names, (true_codes, pred_codes) = _classes(true, pred)
    crowds = frozenset(true.crowd)
    crowd = np.array([number in crowds for number in true.ids.tolist()], dtype=bool)
    every = overlap_rows(true, pred, crowd, iou_type, None if rule is None else as_local_rule(rule))
    same = true_codes[every.true] == pred_codes[every.pred]
    rows = chosen_rows(every, same)
    others = chosen_rows(every, ~same & ~crowd[every.true] & (every.overlap >= LEAST_CONFUSED))
    order = np.argsort(-pred.scores, kind="stable")
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    at_pred = place[rows.pred]
    by_pred = np.lexsort((rows.true, at_pred))
    judged, excused = _federated(true, names, true_codes)
    return {
        LABEL: list(names),
        "pred_class": pred_codes[order],
        "score": pred.scores[order],
        "area": _areas(pred, iou_type)[order],
        "judged": judged[pred_codes[order]],
        "excused": excused[pred_codes[order]],
        "true_class": true_codes,
        "true_area": _true_areas(true, iou_type),
        "crowd": crowd,
        "pair_pred": at_pred[by_pred],
        "pair_true": rows.true[by_pred],
        "overlap": rows.overlap[by_pred],
        "other_pred": place[others.pred],
        "other_true": others.true,
        "other_overlap": others.overlap,
    }


def _classes(true: Masks, pred: Masks) -> tuple[tuple[Hashable, ...], list[IntArray]]:
    """Return the classes that occur, and the position of each mask's class among them."""
    by_side = [_names(side) for side in (true, pred)]
    names = sorted_names(set().union(*by_side))
    code = {name: at for at, name in enumerate(names)}
    return names, [np.fromiter(map(code.__getitem__, side), np.int64, len(side)) for side in by_side]


def _names(masks: Masks) -> Sequence[Hashable]:
    if masks.classes is None:
        return [ANY] * masks.ids.size
    return list(map(masks.classes.__getitem__, masks.ids.tolist()))


def _areas(masks: Masks, iou_type: str) -> FloatArray:
    """Return the areas by which unmatched predictions are judged: of what is compared, masks or boxes."""
    if iou_type != "bbox":
        return masks.sizes.astype(np.float64)
    boxes = boxes_of(masks)
    return boxes[:, 2] * boxes[:, 3]


def _true_areas(true: Masks, iou_type: str) -> FloatArray:
    stated = None if true.detection is None else true.detection.areas
    return _areas(true, iou_type) if stated is None else stated


def _federated(true: Masks, names: tuple[Hashable, ...], true_codes: IntArray) -> tuple[BoolArray, BoolArray]:
    """Return for each class whether it was looked for in the image, and whether it is annotated incompletely."""
    judged, excused = np.ones(len(names), dtype=bool), np.zeros(len(names), dtype=bool)
    facts = true.detection
    if facts is not None and facts.absent is not None:
        judged[:] = [name in facts.absent for name in names]
        judged[true_codes] = True
    if facts is not None and facts.incomplete:
        excused[:] = [name in facts.incomplete for name in names]
    return judged, excused


@dataclass(frozen=True, eq=False)
class DetectionSet:
    """The columns of a data set with one numbering of classes, predictions and true masks.

    Predictions are in the order of images, and within an image by descending score. ``starts`` are the rows of
    overlaps of each prediction. ``rank_in_class`` and ``rank_in_image`` count a prediction's predecessors.
    """

    names: tuple[Hashable, ...]
    item: NDArray[np.intp]
    pred_class: IntArray
    score: FloatArray
    area: FloatArray
    judged: BoolArray
    excused: BoolArray
    rank_in_class: IntArray
    rank_in_image: IntArray
    true_item: NDArray[np.intp]
    true_class: IntArray
    true_area: FloatArray
    crowd: BoolArray
    starts: IntArray
    truths: IntArray
    overlaps: FloatArray

    @classmethod
    def of(cls, statistics: Statistics) -> DetectionSet:
        """Return the data set of these columns, computed once."""
        if "detections" not in statistics.memo:
            statistics.memo["detections"] = cls._of(statistics)
        data: DetectionSet = statistics.memo["detections"]
        return data

    @classmethod
    def _of(cls, statistics: Statistics) -> DetectionSet:
        columns, starts = statistics.columns, statistics.starts
        names = statistics.labels.get(LABEL, ())
        item, true_item, pair_item = (statistics.item_of(name) for name in ("score", "true_area", "overlap"))
        pred_class, true_class = (
            columns[LABEL][starts[LABEL][items] + columns[name]]
            for items, name in ((item, "pred_class"), (true_item, "true_class"))
        )
        pair_pred = columns["pair_pred"] + starts["score"][pair_item]
        return cls(
            names=names,
            item=item,
            pred_class=pred_class,
            score=columns["score"],
            area=columns["area"],
            judged=columns["judged"],
            excused=columns["excused"],
            rank_in_class=_ranks(item * max(len(names), 1) + pred_class),
            rank_in_image=np.arange(item.size) - starts["score"][item],
            true_item=true_item,
            true_class=true_class,
            true_area=columns["true_area"],
            crowd=columns["crowd"],
            starts=np.searchsorted(pair_pred, np.arange(item.size + 1)),
            truths=columns["pair_true"] + starts["true_area"][pair_item],
            overlaps=columns["overlap"],
        )


def _ranks(groups: IntArray) -> IntArray:
    """Return for each row how many rows before it are of the same group.

    >>> _ranks(np.array([5, 5, 1, 5, 1])).tolist()
    [0, 1, 0, 2, 1]
    """
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    new = np.ones(order.size, dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    first = np.maximum.accumulate(np.where(new, np.arange(order.size), 0))
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size) - first
    return ranks
