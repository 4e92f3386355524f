r"""Panoptic quality of nuclei: binary PQ and multi-class PQ per image [gamper2020pannuke, graham2021conic].

bPQ ignores the classes. mPQ is the mean over the classes of an image, and PanNuke leaves out the classes of which the
truth of the image has no nucleus, whatever was predicted. The mean of both over images is the published value. mPQ+
[graham2021conic] is another number: counts are added up over all images for each class first, which is ``pq`` by class.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry.alignments.alignment import marks
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.alignments.weights import weigh
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.count_quotient import NO_SEGMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.instances.threshold_counts import ALONE
from segmetry.metrics.instances.threshold_matching import match_most
from segmetry.metrics.score import Score
from segmetry.segmentation.labels import LabelArray

NO_TRUTH = "no true segments"
_TYPES = {1: "neoplastic", 2: "dead", 3: "dead"}
_IMAGE = (
    LabelArray([[1, 1, 1, 0, 2, 2, 0]], classes=_TYPES),
    LabelArray([[1, 1, 0, 0, 3, 3, 3]], classes={1: "neoplastic", 3: "inflammatory"}),
)


@metric(
    symbol=r"\mathrm{bPQ}",
    family="instances",
    order=150,
    aliases=("binary_pq",),
    needs="overlaps",
    formula=r"\frac{\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Binary panoptic quality: PQ of all segments, whatever their classes.",
    citation=("gamper2020pannuke", "graham2021conic"),
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("by_item", "all_segments"),
    value_if_equal=1,
    notes="Pairs of IoU above 1/2. skip_without_truth=True leaves items without a true segment undefined even where "
    "something is predicted, as PanNuke does. None on either side: undefined; empty=0 is the value of CoNIC. Where "
    "segments overlap each other, pairs are one-to-one: as many as possible, then the largest sum of IoUs.",
    examples=(Example(*_IMAGE, (2 / 3 + 2 / 3) / 2), Example([[0]], [[1]], None, {"skip_without_truth": True})),
)
def bpq(overlaps: CountedOverlaps, *, skip_without_truth: bool = False, empty: float | None = None) -> Score:
    (sum_of_ious, n_true, n_pred) = _counts(overlaps.regardless_of_class())[0]
    if skip_without_truth and not n_true:
        return Score.of("bpq", 0, 0, NO_TRUTH)
    return Score.of("bpq", 2 * sum_of_ious, n_true + n_pred, NO_SEGMENTS).filled(empty)


def class_ious(overlaps: CountedOverlaps) -> dict[str, Column]:
    """Collect Σ IoU over the pairs of IoU above 1/2, |T| and |H| of each class of one image."""
    by_class = overlaps.classes == "match" and overlaps.table.class_names
    names = list(by_class or (ALONE,))
    iou, true, pred = zip(*_counts(overlaps), strict=True)
    return {"class": names, "iou": np.array(iou, dtype=np.float64), "true": np.array(true), "pred": np.array(pred)}


def _mpq(collected: Collected) -> Combined:
    """PQ of the classes that have a true segment, and their mean."""
    sums = [np.zeros(len(collected.labels["class"])) for _ in range(3)]
    for column, total in zip(("iou", "true", "pred"), sums, strict=True):
        np.add.at(total, collected.columns["class"], collected.columns[column] * collected.times_of(column))
    classes = {
        name: Score.of("mpq", 2 * iou, true + pred)
        for name, iou, true, pred in zip(collected.labels["class"], *(total.tolist() for total in sums), strict=True)
        if true
    }
    value = Score.of("mpq", math.fsum(score.value for score in classes.values()), len(classes), NO_TRUTH)
    return Combined(value, {} if ALONE in classes else classes)


_OVER_IMAGES = Accumulator(class_ious, _mpq, mean_over_classes=True)


@metric(
    symbol=r"\mathrm{mPQ}",
    family="instances",
    order=160,
    aliases=("multiclass_pq",),
    needs="overlaps",
    formula=r"\frac{1}{|C|}\sum_{c\in C}\mathrm{PQ}_c",
    summary="Multi-class panoptic quality of an image: the mean of PQ over the classes that its truth contains.",
    citation=("gamper2020pannuke",),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes="Segments of the same class match at IoU above 1/2. A class without a true segment in the item is left out, "
    "so predictions of it cost nothing there; pq counts them. Over a data set, by class, counts are added first; the "
    "published value is the mean over images (by item). Segments without classes are of one class. "
    "Undefined without true segments.",
    examples=(Example(*_IMAGE, (2 / 3 + 0) / 2), Example([[1, 1]], [[1, 1]], 1)),
    accumulator=_OVER_IMAGES,
)
def mpq(overlaps: CountedOverlaps) -> Score:
    return _OVER_IMAGES.score(overlaps)


def _counts(overlaps: CountedOverlaps) -> list[tuple[float, int, int]]:
    """Return Σ IoU over the pairs of IoU above 1/2, |T| and |H|: by class, or of all segments."""
    table, pairs = overlaps.table, overlaps.pairs
    by_class = overlaps.classes == "match" and bool(table.class_names)
    n_classes = len(table.class_names or ()) if by_class else 1
    true, pred = (
        side.class_codes if by_class else np.zeros(len(side), dtype=np.int64) for side in (table.true, table.pred)
    )
    weights = weigh("iou", pairs.shared, pairs.missed, pairs.spurious)
    hits = pairs.shared > pairs.missed + pairs.spurious
    matched = match_most(pairs, hits, weights, true.size, pred.size)
    chosen, ious = pairs.take(matched), weights[matched]
    counted = overlaps.counted(marks(chosen.at_true, true.size), marks(chosen.at_pred, pred.size))
    return [
        (
            math.fsum(ious[true[chosen.at_true] == code].tolist()),
            int(np.count_nonzero(counted[0] & (true == code))),
            int(np.count_nonzero(counted[1] & (pred == code))),
        )
        for code in range(n_classes)
    ]
