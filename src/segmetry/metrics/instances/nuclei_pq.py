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
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.count_quotient import NO_SEGMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.instances.threshold_counts import ALONE
from segmetry.metrics.instances.threshold_matching import match_most
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.segmentation.labels import LabelArray

NO_TRUTH = "no true segments"
_TYPES = {1: "neoplastic", 2: "dead", 3: "dead"}
_IMAGE = (
    LabelArray([[1, 1, 1, 0, 2, 2, 0]], classes=_TYPES),
    LabelArray([[1, 1, 0, 0, 3, 3, 3]], classes={1: "neoplastic", 3: "inflammatory"}),
)


@metric(
    symbol=r"\mathrm{bPQ}",
    order=150,
    aliases=("binary_pq",),
    formula=r"\frac{\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Binary panoptic quality: PQ of all segments, whatever their classes.",
    citation=("gamper2020pannuke", "graham2021conic"),
    symmetric=True,
    pooled=True,
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


@metric(
    symbol=r"\mathrm{mPQ}",
    aliases=("multiclass_pq",),
    formula=r"\frac{1}{|C|}\sum_{c\in C}\mathrm{PQ}_c",
    summary="Multi-class panoptic quality of an image: the mean of PQ over the classes that its truth contains.",
    citation=("gamper2020pannuke",),
    notes="Segments of the same class match at IoU above 1/2. A class without a true segment in the item is left out, "
    "so predictions of it cost nothing there; pq counts them. Over a data set, by class, counts are added first; the "
    "published value is the mean over images (by item). Segments without classes are of one class. "
    "Undefined without true segments.",
    examples=(Example(*_IMAGE, (2 / 3 + 0) / 2), Example([[1, 1]], [[1, 1]], 1)),
    statistics=Aggregation(class_ious, no_class=NO_TRUTH),
)
def mpq(sums: Sums) -> Quotient:
    has_truth = sums["true"] > 0
    bottom = np.where(has_truth, sums["true"] + sums["pred"], 0)
    return Quotient(2 * sums["iou"], bottom, NO_TRUTH, occurs=has_truth)


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
