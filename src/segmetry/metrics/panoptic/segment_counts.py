"""The counts behind the panoptic scores: matched, missed and spurious segments, and the sum of IoUs."""

from __future__ import annotations

import math

from segmetry.metrics.count_quotient import SegmentCounts, count_quotient
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient
from segmetry.segmentation.spans import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_PANOPTIC = ("kirillov2019panoptic",)


@metric(
    symbol="|TP|",
    order=100,
    formula=r"|TP|",
    summary="The number of matched pairs of segments.",
    citation=_PANOPTIC,
    bounds=(0, math.inf),
    symmetric=True,
    is_count=True,
    value_if_equal=None,
    notes="With resolve='keep' a segment may occur in several pairs; each pair counts.",
    examples=(Example(*_B, 2),),
)
@count_quotient(one_to_one=False)
def n_matched(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pairs)


@metric(
    symbol="|FN|",
    formula=r"|FN|",
    summary="The number of true segments without a partner.",
    citation=_PANOPTIC,
    bounds=(0, math.inf),
    better="lower",
    swaps_with="n_spurious",
    is_count=True,
    value_if_equal=0,
    notes="Segments the policy ignores (crowd, void) are not counted.",
    examples=(Example(*_B, 1),),
)
@count_quotient(one_to_one=False)
def n_missed(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_true - counts.n_pairs)


@metric(
    symbol="|FP|",
    formula=r"|FP|",
    summary="The number of predicted segments without a partner.",
    citation=_PANOPTIC,
    bounds=(0, math.inf),
    better="lower",
    swaps_with="n_missed",
    is_count=True,
    value_if_equal=0,
    notes="Segments the policy ignores (mostly void or crowd) are not counted.",
    examples=(Example(*_B, 2),),
)
@count_quotient(one_to_one=False)
def n_spurious(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pred - counts.n_pairs)


@metric(
    symbol=r"\sum\mathrm{IoU}",
    formula=r"\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)",
    summary="The sum of the IoUs of all matched pairs: the numerator of PQ and SQ.",
    citation=_PANOPTIC,
    bounds=(0, math.inf),
    symmetric=True,
    is_count=True,
    value_if_equal=None,
    notes="The exactly rounded sum of correctly rounded IoUs: the same bits in every order.",
    examples=(Example(*_B, 1.8),),
)
@count_quotient(one_to_one=False)
def sum_iou(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.iou_sum)
