r"""Panoptic quality and its parts [kirillov2019panoptic], under any alignment rule.

The sum of IoUs is the exactly rounded sum of correctly rounded quotients. Two metrics here need no alignment: whether a
prediction is perfect [heidenreich2024large], and the best IoU of each true segment [ponttuset2016supervised].
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from segmetry.alignments import as_policy, candidates_of, weigh
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Quotient
from segmetry.metrics.tally_quotient import NO_SEGMENTS, SegmentCounts, count_quotient
from segmetry.overlaps import OverlapTable
from segmetry.segmentation import Spans

_A = Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5])
_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_CLAIM_4 = Spans.from_masses([3, 1]), Spans.from_masses([1, 3])
_PANOPTIC = ("kirillov2019panoptic",)
_GENERAL = ("kirillov2019panoptic", "marx2022most")


@metric(
    symbol="PQ",
    order=10,
    aliases=("panoptic_quality", "mpq_plus"),
    formula=r"\mathrm{PQ} = \frac{\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Panoptic quality: detection and segmentation of segments in one number, the product of SQ and RQ.",
    citation=_GENERAL,
    symmetric=True,
    notes="Segments on one side only: 0. None on either side: undefined. "
    "A mean of PQ over items or classes is not the product of the means of SQ and RQ.",
    examples=(Example(*_A, 0.85), Example(*_CLAIM_4, 0.0), Example(*_CLAIM_4, 0.25, {"rule": "theta_and"})),
)
def pq(counts: SegmentCounts) -> Quotient:
    # |T| + |H| is TP + ½FP + ½FN doubled: an integer, so that only Σ IoU is rounded.
    return Quotient(2 * counts.iou_sum, counts.n_true + counts.n_pred, NO_SEGMENTS)


@metric(
    symbol="SQ",
    aliases=("segmentation_quality",),
    formula=r"\mathrm{SQ} = \frac{1}{|TP|}\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)",
    summary="Segmentation quality: the mean IoU of the matched pairs.",
    citation=_PANOPTIC,
    symmetric=True,
    notes="Undefined without a matched pair; means skip it and report how many values they used. "
    "The mean is over all matched pairs, not over distinct IoU values.",
    examples=(Example(*_A, 0.85), Example(*_CLAIM_4, 0.5, {"rule": "theta_and"})),
)
def sq(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.iou_sum, counts.n_pairs, "no matched pair")


@metric(
    symbol="RQ",
    aliases=("recognition_quality",),
    formula=r"\mathrm{RQ} = \frac{|TP|}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Recognition quality: the F1 score of detecting segments.",
    citation=_PANOPTIC,
    symmetric=True,
    notes="Segments on one side only: 0. None on either side: undefined.",
    examples=(Example(*_A, 1.0), Example(*_CLAIM_4, 0.5, {"rule": "theta_and"})),
)
def rq(counts: SegmentCounts) -> Quotient:
    return Quotient(2 * counts.n_pairs, counts.n_true + counts.n_pred, NO_SEGMENTS)


@metric(
    formula=r"P = \frac{|TP|}{|TP|+|FP|}",
    summary="The share of predicted segments that have a true partner.",
    citation=_PANOPTIC,
    swaps_with="recall",
    notes="Undefined without predicted segments.",
    examples=(Example(*_B, 0.5),),
)
def precision(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pairs, counts.n_pred, "no pred segments")


@metric(
    formula=r"R = \frac{|TP|}{|TP|+|FN|}",
    summary="The share of true segments that have a predicted partner.",
    citation=_PANOPTIC,
    notes="Undefined without true segments.",
    examples=(Example(*_B, 2 / 3),),
)
def recall(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pairs, counts.n_true, "no true segments")


@metric(
    formula=r"F_1 = \frac{2|TP|}{2|TP|+|FP|+|FN|}",
    summary="The harmonic mean of precision and recall over segments; the same number as RQ.",
    citation=_PANOPTIC,
    symmetric=True,
    notes="Counted from TP, FP and FN, so it is 0, not undefined, when precision or recall is.",
    examples=(Example(*_A, 1.0),),
)
def f1(counts: SegmentCounts) -> Quotient:
    return Quotient(2 * counts.n_pairs, counts.n_true + counts.n_pred, NO_SEGMENTS)


@metric(
    aliases=("wp",),
    formula=r"wP = \frac{\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)}{|TP|+|FP|}",
    summary="Precision in which every matched pair counts with its IoU.",
    citation=_GENERAL,
    swaps_with="weighted_recall",
    notes="Undefined without predicted segments.",
    examples=(Example(*_B, 0.45),),
)
def weighted_precision(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.iou_sum, counts.n_pred, "no pred segments")


@metric(
    aliases=("wr",),
    formula=r"wR = \frac{\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)}{|TP|+|FN|}",
    summary="Recall in which every matched pair counts with its IoU.",
    citation=_GENERAL,
    notes="Undefined without true segments.",
    examples=(Example(*_B, 0.6),),
)
def weighted_recall(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.iou_sum, counts.n_true, "no true segments")


@metric(
    aliases=("wf1",),
    formula=r"wF_1 = \frac{2\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)}{2|TP|+|FP|+|FN|}",
    summary="F1 in which every matched pair counts with its IoU; the same number as PQ.",
    citation=_GENERAL,
    symmetric=True,
    notes="Equal to PQ.",
    examples=(Example(*_B, 18 / 35),),
)
def weighted_f1(counts: SegmentCounts) -> Quotient:
    return Quotient(2 * counts.iou_sum, counts.n_true + counts.n_pred, NO_SEGMENTS)


_segment_count = partial(metric, citation="kirillov2019panoptic", is_count=True)


@_segment_count(
    symbol="|TP|",
    order=100,
    formula=r"|TP|",
    summary="The number of matched pairs of segments.",
    symmetric=True,
    value_if_equal=None,
    notes="With resolve='keep' a segment may occur in several pairs; each pair counts.",
    examples=(Example(*_B, 2),),
)
@count_quotient(one_to_one=False)
def n_matched(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pairs)


@_segment_count(
    symbol="|FN|",
    formula=r"|FN|",
    summary="The number of true segments without a partner.",
    better="lower",
    swaps_with="n_spurious",
    notes="Segments the policy ignores (crowd, void) are not counted.",
    examples=(Example(*_B, 1),),
)
@count_quotient(one_to_one=False)
def n_missed(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_true - counts.n_pairs)


@_segment_count(
    symbol="|FP|",
    formula=r"|FP|",
    summary="The number of predicted segments without a partner.",
    better="lower",
    notes="Segments the policy ignores (mostly void or crowd) are not counted.",
    examples=(Example(*_B, 2),),
)
@count_quotient(one_to_one=False)
def n_spurious(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pred - counts.n_pairs)


_side_count = partial(_segment_count, better="neither", value_if_equal=None, notes="As the policy counts them.")


@_side_count(
    symbol="|T|",
    formula=r"|TP|+|FN|",
    summary="The number of true segments, matched or missed.",
    swaps_with="n_pred",
    examples=(Example(*_B, 3),),
)
@count_quotient(one_to_one=False)
def n_true(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_true)


@_side_count(
    symbol="|P|",
    formula=r"|TP|+|FP|",
    summary="The number of predicted segments, matched or spurious.",
    swaps_with="n_true",
    examples=(Example(*_B, 4),),
)
@count_quotient(one_to_one=False)
def n_pred(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pred)


@_segment_count(
    symbol=r"\sum\mathrm{IoU}",
    formula=r"\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)",
    summary="The sum of the IoUs of all matched pairs: the numerator of PQ and SQ.",
    symmetric=True,
    value_if_equal=None,
    notes="The exactly rounded sum of correctly rounded IoUs: the same bits in every order.",
    examples=(Example(*_B, 1.8),),
)
@count_quotient(one_to_one=False)
def sum_iou(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.iou_sum)


@metric(
    symbol=r"[T=H]",
    family="alignments",
    order=60,
    formula=r"\begin{cases}1 & T = H\\0 & \text{otherwise}\end{cases}",
    summary="1 if every segment is found exactly and nothing else is predicted, else 0.",
    citation="heidenreich2024large",
    symmetric=True,
    pooled=True,
    notes="The mean over items is the share of perfect items, which need no correction by hand (straight-through "
    "processing). Where both sides have classes, they must agree. Ids do not matter. Void elements count as others. "
    "Undefined without a segment on either side.",
    examples=(
        Example(Spans.from_masses([2, 3]), Spans.from_masses([2, 3]), 1),
        Example(Spans.from_masses([2, 3]), Spans.from_masses([2, 2, 1]), 0),
    ),
)
def perfect(table: OverlapTable) -> Score:
    true, pred = table.true, table.pred
    same = (table.shared == true.sizes[table.row_true]) & (table.shared == pred.sizes[table.row_pred])
    if true.classes is not None and pred.classes is not None:
        same &= true.classes[table.row_true] == pred.classes[table.row_pred]
    n_same, n_segments = int(np.count_nonzero(same)), (len(true), len(pred))
    return Score.of("perfect", int((n_same, n_same) == n_segments), int(any(n_segments)), NO_SEGMENTS)


NO_TRUE = "no true segments"


@metric(
    symbol=r"\overline{\mathrm{IoU}}^{*}",
    family="panoptic",
    order=170,
    formula=r"\frac{1}{|T|}\sum_{t\in T}\max_{h\in H}\mathrm{IoU}(t,h)",
    summary="Mean best IoU: how well the best-fitting predicted segment covers each true one, whether or not they are "
    "matched.",
    citation="ponttuset2016supervised",
    pooled=True,
    notes="A true segment without overlap counts 0. A predicted segment may be the best for several true ones. "
    "Where both sides have classes only segments of the same class are compared. Undefined without true segments.",
    examples=(Example(*_B, (0.8 + 0.5 + 1) / 3),),
)
def mean_best_iou(table: OverlapTable) -> Score:
    pairs, _ = candidates_of(table, as_policy("none"), "match")
    best = np.zeros(len(table.true))
    np.maximum.at(best, pairs.at_true, weigh("iou", pairs.shared, pairs.missed, pairs.spurious))
    return Score.of("mean_best_iou", math.fsum(best.tolist()), best.size, NO_TRUE)
