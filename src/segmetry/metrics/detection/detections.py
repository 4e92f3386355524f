"""Detections: what average precision and recall need of one image, and of all images of a data set.

Masks: IoU = shared / union elements. A crowd stands for several objects, so its own missed elements do not count:
shared / predicted, unless ``crowd_overlap="iou"``. Boxes: the same with areas of boxes [lin2014microsoft]. Boundaries:
the smaller of the IoU of the masks and that of the bands along their contours; crowds by their masks
[cheng2021boundary].

Of each image the predicted masks are kept by descending score (equal scores in input order), with class, score and
area; the true masks with class, area and whether they are a crowd; and how much they overlap. No mask is kept: any
threshold, size and number of detections is evaluated from these columns alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, Column, FloatArray, IntArray, Threshold, check_choice, fraction_in, is_new
from segmetry.alignments import LocalRule, MatchRule, as_rule, iou
from segmetry.errors import OptionError
from segmetry.geometry import band_width, banded_masks
from segmetry.kernels import boxes_of_run_lengths, intersect_run_lengths
from segmetry.metrics.statistics import LABEL, Statistics
from segmetry.overlaps import sorted_names
from segmetry.segmentation import Masks

IouThresholds = Threshold | Sequence[Threshold] | None
RecallPoints = Literal["coco", "exact", "trapezoid"]
PartnerChoice = Literal["score", "best"]
Limit = Literal["class", "image"]
IouType = Literal["segm", "bbox", "boundary"]
CrowdOverlap = Literal["share", "iou"]
SizeRange = str | Sequence[float] | None

SIZES = {"small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, np.inf)}
"""The areas of COCO's sizes, both ends included: a mask of 1024 pixels is small and medium."""
COCO_THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
"""The reference's ten thresholds, as floats; one of them is just below 0.9."""
_COCO_NAMES = tuple(iou(at_least=fraction_in(f"0.{least}", "thresholds", 0, 1)).name for least in range(50, 100, 5))
ANY_OVERLAP = float(np.nextafter(0, 1))
"""The threshold that every overlap reaches: a rule has already admitted the pairs."""


class Criterion(NamedTuple):
    """What admits a pair: an overlap of at least ``least``, under its name."""

    name: str
    least: float


class AreaRange(NamedTuple):
    """The areas of a size, both ends included."""

    low: float
    high: float

    def excludes(self, areas: FloatArray) -> Any:
        """Return which areas are not of this size."""
        return (areas < self.low) | (areas > self.high)


EVERY_SIZE = AreaRange(-np.inf, np.inf)


@dataclass(frozen=True)
class Evaluation:
    """What one value is computed under: the criteria, the size, and which predictions are considered.

    ``recall_points`` are the recalls at which precision is evaluated, ``partners`` how predictions find their true
    masks. ``limit``: the first ``max_detections`` of each class in an image, or of the whole image. ``federated``:
    predictions of classes that were not looked for in their image are dropped, and misses of incomplete classes are
    ignored.
    """

    criteria: tuple[Criterion, ...]
    size: AreaRange = EVERY_SIZE
    max_detections: int = 100
    limit: Limit = "class"
    federated: bool = False
    recall_points: RecallPoints = "coco"
    partners: PartnerChoice = "score"

    @property
    def recalls(self) -> FloatArray:
        """The 101 recalls at which precision is evaluated."""
        return recalls(self.recall_points)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The least overlap of every criterion."""
        return tuple(criterion.least for criterion in self.criteria)

    @classmethod
    def of(
        cls,
        *,
        thresholds: IouThresholds = None,
        rule: MatchRule | str | None = None,
        size: SizeRange = None,
        max_detections: int = 100,
        limit: Limit = "class",
        federated: bool = False,
        recall_points: RecallPoints = "coco",
        partners: PartnerChoice = "score",
    ) -> Evaluation:
        """Return checked options."""
        if type(max_detections) is not int or max_detections < 1:
            raise OptionError(f"max_detections is {max_detections!r}; expected an integer of at least 1")
        check_choice("limit", limit, Limit)
        check_choice("partners", partners, PartnerChoice)
        recalls(recall_points)
        criteria = as_criteria(rule, thresholds)
        return cls(criteria, as_range(size), max_detections, limit, bool(federated), recall_points, partners)


def as_criteria(rule: MatchRule | str | None, thresholds: IouThresholds) -> tuple[Criterion, ...]:
    """Return the criteria that admit a pair: IoU at least each threshold (COCO's ten by default), or a rule."""
    if rule is not None:
        if thresholds is not None:
            raise OptionError("rule and thresholds are both set; expected only one of them")
        return (Criterion(as_local_rule(rule).name, ANY_OVERLAP),)
    if thresholds is None:
        return tuple(map(Criterion, _COCO_NAMES, COCO_THRESHOLDS))
    single = isinstance(thresholds, str) or not isinstance(thresholds, Iterable)
    listed: list[Any] = [thresholds] if single else list(thresholds)  # type: ignore[arg-type]
    if not listed:
        raise OptionError("thresholds are empty; expected at least one IoU")
    exact = [fraction_in(least, "thresholds", 0, 1, open_low=True) for least in listed]
    return tuple(Criterion(iou(at_least=least).name, float(least)) for least in exact)


def as_local_rule(rule: MatchRule | str) -> LocalRule:
    """Return a rule that decides on a pair alone."""
    chosen = as_rule(rule)
    if not isinstance(chosen, LocalRule):
        raise OptionError(f"rule is {chosen.name}; expected a rule that decides on a pair alone, such as theta_and")
    return chosen


def as_range(size: SizeRange) -> AreaRange:
    """Return the areas of a size: a name of COCO's, or the least and the largest area."""
    if size is None or size == "all":
        return EVERY_SIZE
    try:
        low, high = SIZES[size] if isinstance(size, str) else (float(bound) for bound in size)
    except (KeyError, TypeError, ValueError):
        raise OptionError(f"size is {size!r}; expected all, {', '.join(SIZES)}, or [least, largest] area") from None
    if not low <= high:
        raise OptionError(f"size is {size!r}; expected the least area first")
    return AreaRange(low, high)


def recalls(points: str) -> FloatArray:
    """Return the 101 recalls at which precision is evaluated."""
    if points in ("coco", "trapezoid"):
        return np.linspace(0.0, 1.0, 101)
    if points == "exact":
        return np.arange(101) / 100
    raise OptionError(f"recall_points is {points!r}; expected 'coco', 'exact' or 'trapezoid'")


class OverlapRows(NamedTuple):
    """Positions of predicted and true masks that overlap, and how much."""

    pred: IntArray
    true: IntArray
    overlap: FloatArray


def overlap_rows(true: Masks, pred: Masks, crowd: BoolArray, iou_type: str, rule: LocalRule | None) -> OverlapRows:
    """Return the overlapping pairs, of whatever classes."""
    check_choice("iou_type", iou_type, IouType)
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
    """Return x, y, width and height of every mask: as stated, else those of its elements."""
    stated = None if masks.detection is None else masks.detection.boxes
    return boxes_of_run_lengths(masks.run_lengths, masks.shape[0]) if stated is None else stated


def chosen_rows(rows: OverlapRows, chosen: BoolArray) -> OverlapRows:
    """Return some of the rows."""
    return OverlapRows(rows.pred[chosen], rows.true[chosen], rows.overlap[chosen])


LEAST_CONFUSED = 0.1
"""The least overlap of masks of different classes that is kept: below it they have nothing to do with each other."""
ANY = "all"
"""The class of all segments where they have no classes."""


def detections(
    true: Masks,
    pred: Masks,
    *,
    iou_type: IouType = "segm",
    crowd_overlap: CrowdOverlap = "share",
    rule: MatchRule | str | None = None,
) -> dict[str, Column]:
    """Collect the columns of one image.

    ``judged``: the class of a prediction was looked for in the image; ``excused``: not all objects of it are annotated.
    """
    if pred.scores is None:
        raise OptionError("average precision needs a score for every predicted mask; pass scores= to Masks")
    names, (true_codes, pred_codes) = _class_codes(true, pred)
    crowds = frozenset(true.crowd)
    crowd = np.array([number in crowds for number in true.ids.tolist()], dtype=bool)
    check_choice("crowd_overlap", crowd_overlap, CrowdOverlap)
    by_share = crowd & (crowd_overlap == "share")
    every = overlap_rows(true, pred, by_share, iou_type, None if rule is None else as_local_rule(rule))
    same = true_codes[every.true] == pred_codes[every.pred]
    rows = chosen_rows(every, same)
    others = chosen_rows(every, ~same & ~crowd[every.true] & (every.overlap >= LEAST_CONFUSED))
    order = np.argsort(-pred.scores, kind="stable")
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    at_pred = place[rows.pred]
    by_pred = np.lexsort((rows.true, at_pred))
    judged, excused = _federated_flags(true, names, true_codes)
    stated = None if true.detection is None else true.detection.areas
    return {
        LABEL: list(names),
        "pred_class": pred_codes[order],
        "score": pred.scores[order],
        "area": _mask_areas(pred, iou_type)[order],
        "judged": judged[pred_codes[order]],
        "excused": excused[pred_codes[order]],
        "true_class": true_codes,
        "true_area": _mask_areas(true, iou_type) if stated is None else stated,
        "crowd": crowd,
        "pair_pred": at_pred[by_pred],
        "pair_true": rows.true[by_pred],
        "overlap": rows.overlap[by_pred],
        "other_pred": place[others.pred],
        "other_true": others.true,
        "other_overlap": others.overlap,
    }


def _class_codes(true: Masks, pred: Masks) -> tuple[tuple[Hashable, ...], list[IntArray]]:
    """Return the classes that occur, and the position of each mask's class among them."""
    by_side = [
        [ANY] * side.ids.size if side.classes is None else list(map(side.classes.__getitem__, side.ids.tolist()))
        for side in (true, pred)
    ]
    names = sorted_names(set().union(*by_side))
    code = {name: at for at, name in enumerate(names)}
    return names, [np.fromiter(map(code.__getitem__, side), np.int64, len(side)) for side in by_side]


def _mask_areas(masks: Masks, iou_type: str) -> FloatArray:
    """Return the areas by which unmatched predictions are judged: of what is compared, masks or boxes."""
    if iou_type != "bbox":
        return masks.sizes.astype(np.float64)
    boxes = boxes_of(masks)
    return boxes[:, 2] * boxes[:, 3]


def _federated_flags(true: Masks, names: tuple[Hashable, ...], true_codes: IntArray) -> tuple[BoolArray, BoolArray]:
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
        return statistics.once("detections", lambda: cls._of(statistics))

    @classmethod
    def _of(cls, statistics: Statistics) -> DetectionSet:
        columns, starts = statistics.columns, statistics.starts
        names = statistics.labels.get(LABEL, ())
        same = {name: columns[name] for name in ("score", "area", "judged", "excused", "true_area", "crowd")}
        for name, own in (("score", "area judged excused"), ("true_area", "crowd"), ("overlap", "pair_pred pair_true")):
            if any((starts[other] != starts[name]).any() for other in own.split()):
                raise ValueError(f"as many rows of {name} as of {own.replace(' ', ', ')} expected")
        item, true_item, pair_item = (statistics.item_of(name) for name in ("score", "true_area", "overlap"))
        pred_class = columns[LABEL][starts[LABEL][item] + columns["pred_class"]]
        true_class = columns[LABEL][starts[LABEL][true_item] + columns["true_class"]]
        pair_pred = columns["pair_pred"] + starts["score"][pair_item]
        return cls(
            names=names,
            item=item,
            pred_class=pred_class,
            rank_in_class=_ranks_in_groups(item * max(len(names), 1) + pred_class),
            rank_in_image=np.arange(item.size) - starts["score"][item],
            true_item=true_item,
            true_class=true_class,
            starts=np.searchsorted(pair_pred, np.arange(item.size + 1)),
            truths=columns["pair_true"] + starts["true_area"][pair_item],
            overlaps=columns["overlap"],
            **same,
        )


def _ranks_in_groups(groups: IntArray) -> IntArray:
    """Return for each row how many rows before it are of the same group."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    new = is_new(ordered)
    first = np.maximum.accumulate(np.where(new, np.arange(order.size), 0))
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size) - first
    return ranks
