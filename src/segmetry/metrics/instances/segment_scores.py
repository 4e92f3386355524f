r"""Scores of segments that are matched at IoU thresholds, as StarDist, Cellpose and the Data Science Bowl print them.

TP/(TP + FP + FN) is called average precision in this field, although it has neither a ranking nor a mean over recalls
in it; here it is ``segment_accuracy``, and ``average_precision`` is the score of detection.
"""

from __future__ import annotations

from functools import partial

from segmetry._base.exact import Threshold
from segmetry.metrics.count_quotient import NO_SEGMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.instances.threshold_counts import (
    AT_THRESHOLDS,
    HALF_TO_ONE,
    Thresholds,
    as_thresholds,
    mean_over_thresholds,
    place_of,
)
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation.spans import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_HALVES = [[1, 1, 2, 2]], [[1, 2, 3, 3]]
_CITED = ("schmidt2018cell", "stringer2021cellpose", "caicedo2019nucleus")
_NOTES = (
    "The value is the mean over the thresholds; details['thresholds'] has each of them. Segments are matched anew at "
    "each threshold: as many pairs as possible, then the largest sum of IoUs, so thresholds below 1/2 have a value. "
    "IoU equal to the threshold is a match, strict=True requires more (Kaggle). compare='float32' rounds IoUs and "
    "thresholds to single precision first, as stardist does, which matters for segments of millions of elements. Over "
    "a data set the counts of all items are added; by item, it is the mean over items. Where segments carry classes, "
    "segments of the same class are matched, and the value is the mean over the classes. "
)


_threshold_score = partial(metric, citation=_CITED, statistics=AT_THRESHOLDS)


@_threshold_score(
    symbol=r"\mathrm{TP}/(\mathrm{TP}+\mathrm{FP}+\mathrm{FN})",
    order=10,
    aliases={"cell_ap": {}, "threat_score": {}, "accuracy@50": {"thresholds": "0.5"}},
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{|TP_\gamma|}{|TP_\gamma|+|FP_\gamma|+|FN_\gamma|}",
    summary="Matched segments over all segments of both sides, a pair counted once: the 'AP' of cell segmentation.",
    symmetric=True,
    notes=_NOTES + "None on either side: undefined; empty=0 is the value of stardist, empty=1 that of sortedAP. at=0.5 "
    "makes the value that at one of the thresholds instead of their mean.",
    examples=(
        Example(*_B, 3 / 4, {"thresholds": 0.5}),
        Example(*_B, 2 / 5, {"thresholds": 0.5, "strict": True}),
        Example(*_B, 1 / 6, {"thresholds": 0.8, "strict": True}),
        Example(*_HALVES, 2 / 3, {"thresholds": 0.5}),
        Example(*_B, (3 / 4 + 6 * 2 / 5 + 3 * 1 / 6) / 10),
        Example(*_B, 2 / 5, {"at": "0.6"}),
    ),
)
def segment_accuracy(
    sums: Sums, *, thresholds: Thresholds = HALF_TO_ONE, empty: float | None = None, at: Threshold | None = None
) -> Quotient:
    place = None if at is None else place_of(at, as_thresholds(thresholds))
    either = sums["true"] + sums["pred"] - sums["pairs"]
    return mean_over_thresholds(sums, sums["pairs"], either, NO_SEGMENTS, empty, place)


@_threshold_score(
    symbol=r"F_1(\gamma)",
    aliases=("detection_f1",),
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{2|TP_\gamma|}{2|TP_\gamma|+|FP_\gamma|+|FN_\gamma|}",
    summary="F1 of segments that are matched at IoU thresholds, and its mean over them.",
    symmetric=True,
    notes=_NOTES + "None on either side: undefined, or the value of empty.",
    examples=(Example(*_B, 6 / 7, {"thresholds": 0.5}), Example(*_B, (6 / 7 + 2 / 7) / 2, {"thresholds": (0.5, 0.9)})),
)
def segment_f1(sums: Sums, *, empty: float | None = None) -> Quotient:
    return mean_over_thresholds(sums, 2 * sums["pairs"], sums["true"] + sums["pred"], NO_SEGMENTS, empty)


@_threshold_score(
    symbol=r"P(\gamma)",
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{|TP_\gamma|}{|TP_\gamma|+|FP_\gamma|}",
    summary="Precision of segments that are matched at IoU thresholds, and its mean over them.",
    swaps_with="segment_recall",
    notes=_NOTES + "Undefined without predicted segments, or the value of empty.",
    examples=(Example(*_B, 3 / 4, {"thresholds": 0.5}), Example([[1]], [[0]], 0, {"thresholds": 0.5, "empty": 0})),
)
def segment_precision(sums: Sums, *, empty: float | None = None) -> Quotient:
    return mean_over_thresholds(sums, sums["pairs"], sums["pred"], "no pred segments", empty)


@_threshold_score(
    symbol=r"R(\gamma)",
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{|TP_\gamma|}{|TP_\gamma|+|FN_\gamma|}",
    summary="Recall of segments that are matched at IoU thresholds, and its mean over them.",
    swaps_with="segment_precision",
    notes=_NOTES + "Undefined without true segments, or the value of empty.",
    examples=(Example(*_B, 3 / 3, {"thresholds": 0.5}), Example([[0]], [[1]], 0, {"thresholds": 0.5, "empty": 0})),
)
def segment_recall(sums: Sums, *, empty: float | None = None) -> Quotient:
    return mean_over_thresholds(sums, sums["pairs"], sums["true"], "no true segments", empty)


@_threshold_score(
    symbol=r"\mathrm{PQ}(\gamma)",
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}"
    r"\frac{2\sum_{(t,h)\in TP_\gamma}\mathrm{IoU}(t,h)}{2|TP_\gamma|+|FP_\gamma|+|FN_\gamma|}",
    summary="Panoptic quality of segments that are matched at IoU thresholds, and its mean over them.",
    symmetric=True,
    notes=_NOTES + "None on either side: undefined, or the value of empty. pq is the published number: IoU above 1/2.",
    examples=(Example(*_B, 2 * 2.3 / 7, {"thresholds": 0.5}), Example(*_HALVES, 2 * 1.5 / 5, {"thresholds": 0.5})),
)
def segment_pq(sums: Sums, *, empty: float | None = None) -> Quotient:
    return mean_over_thresholds(sums, 2 * sums["iou"], sums["true"] + sums["pred"], NO_SEGMENTS, empty)


@_threshold_score(
    symbol=r"\overline{\mathrm{IoU}}_{TP}",
    aliases=("mean_matched_score",),
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{1}{|TP_\gamma|}\sum_{(t,h)\in TP_\gamma}\mathrm{IoU}(t,h)",
    summary="The mean IoU of the pairs that are matched at IoU thresholds, and its mean over them.",
    symmetric=True,
    notes=_NOTES + "A threshold without a matched pair is left out, or has the value of empty.",
    examples=(Example(*_B, 2.3 / 3, {"thresholds": 0.5}), Example(*_B, (2.3 / 3 + 1) / 2, {"thresholds": (0.5, 0.9)})),
)
def mean_matched_iou(sums: Sums, *, empty: float | None = None) -> Quotient:
    return mean_over_thresholds(sums, sums["iou"], sums["pairs"], "no matched pair", empty)


@_threshold_score(
    symbol=r"\overline{\mathrm{IoU}}_{T}",
    aliases=("mean_true_score",),
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{1}{|T|}\sum_{(t,h)\in TP_\gamma}\mathrm{IoU}(t,h)",
    summary="The sum of the IoUs of the matched pairs over the number of true segments, at IoU thresholds; the mean.",
    notes=_NOTES + "Undefined without true segments, or the value of empty.",
    examples=(Example(*_B, 2.3 / 3, {"thresholds": 0.5}), Example(*_B, 1.8 / 3, {"thresholds": 0.75})),
)
def mean_true_iou(sums: Sums, *, empty: float | None = None) -> Quotient:
    return mean_over_thresholds(sums, sums["iou"], sums["true"], "no true segments", empty)
