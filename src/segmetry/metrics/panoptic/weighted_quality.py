r"""SQ and PQ with another weight of a matched pair than its IoU, such as the Dice coefficient [kofler2023panoptica].

Weights are exact quotients of integers, and a sum of weights is the exactly rounded sum of correctly rounded quotients.
Also errors of the volume of matched pairs, and of the number of segments, whether they match or not [scharr2016leaf].
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base import FloatArray, ratio
from segmetry.alignments import Alignment, Tally
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.per_class import checked_undefined
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Quotient
from segmetry.metrics.tally_quotient import NO_SEGMENTS, SegmentCounts, count_quotient
from segmetry.segmentation import Spans

NO_PAIR = "no matched pair"
_A = Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5])
_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_APART = [[1, 1, 0, 0]], [[0, 0, 1, 1]]
_WEIGHTS = "weight= takes iou, dice, coverage_true, coverage_pred, min_coverage, max_coverage or half_link_force. "
_WITHOUT = (
    "Undefined without a matched pair; without_pair=0 is the value of segments that match nothing, as panoptica counts "
    "it. Without any segment it stays undefined."
)


def _dice_of_pairs(tally: Tally) -> FloatArray:
    return tally.weights("dice")


def _weight_of_pairs(tally: Tally, *, weight: str) -> FloatArray:
    return tally.weights(weight)


def mean_over_pairs(counts: SegmentCounts, without_pair: float | None = None) -> Quotient:
    """Return the mean over the matched pairs; ``without_pair`` where there are segments and none match."""
    substitute = checked_undefined(without_pair)
    if substitute is None:
        return Quotient(counts.total, counts.n_pairs, NO_PAIR)
    unmatched = (counts.n_pairs == 0) & (counts.n_true + counts.n_pred > 0)
    return Quotient(np.where(unmatched, substitute, counts.total), np.where(unmatched, 1, counts.n_pairs), NO_PAIR)


def _over_segments(counts: SegmentCounts) -> Quotient:
    return Quotient(2 * counts.total, counts.n_true + counts.n_pred, NO_SEGMENTS)


@metric(
    symbol=r"\mathrm{SQ}_D",
    order=92,
    aliases=("sq_dsc", "instance_dice"),
    formula=r"\mathrm{SQ}_D = \frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{2|t\cap h|}{|t|+|h|}",
    summary="Instance Dice: the mean Dice coefficient of the matched pairs.",
    citation="kofler2023panoptica",
    symmetric=True,
    notes=_WITHOUT,
    examples=(Example(*_A, (8 / 9 + 6 / 7 + 1) / 3), Example(*_APART, None), Example(*_APART, 0, {"without_pair": 0})),
)
@count_quotient(pairs=_dice_of_pairs)
def sq_dice(counts: SegmentCounts, *, without_pair: float | None = None) -> Quotient:
    return mean_over_pairs(counts, without_pair)


@metric(
    symbol=r"\mathrm{PQ}_D",
    aliases=("pq_dsc",),
    formula=r"\mathrm{PQ}_D = \frac{\sum_{(t,h)\in TP}2|t\cap h|/(|t|+|h|)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Panoptic quality with the Dice coefficient of each pair in place of its IoU.",
    citation="kofler2023panoptica",
    symmetric=True,
    notes="Segments on one side only: 0. None on either side: undefined.",
    examples=(Example(*_A, (8 / 9 + 6 / 7 + 1) / 3), Example(*_B, 2 * (8 / 9 + 1) / 7)),
)
@count_quotient(pairs=_dice_of_pairs)
def pq_dice(counts: SegmentCounts) -> Quotient:
    return _over_segments(counts)


@metric(
    symbol=r"\mathrm{SQ}_w",
    formula=r"\mathrm{SQ}_w = \frac{1}{|TP|}\sum_{(t,h)\in TP}w(t,h)",
    summary="Segmentation quality with a weight of your choice: its mean over the matched pairs.",
    citation=("kirillov2019panoptic", "kofler2023panoptica"),
    notes=f"{_WEIGHTS}iou gives SQ and dice gives sq_dice. {_WITHOUT}",
    examples=(Example(*_B, 1, {"weight": "coverage_true"}), Example(*_B, (4 / 5 + 1) / 2, {"weight": "coverage_pred"})),
    default_in_family=False,
)
@count_quotient(pairs=_weight_of_pairs)
def sq_weighted(counts: SegmentCounts, *, without_pair: float | None = None) -> Quotient:
    return mean_over_pairs(counts, without_pair)


@metric(
    symbol=r"\mathrm{PQ}_w",
    formula=r"\mathrm{PQ}_w = \frac{\sum_{(t,h)\in TP}w(t,h)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Panoptic quality with a weight of your choice in place of the IoU.",
    citation=("kirillov2019panoptic", "kofler2023panoptica"),
    notes=f"{_WEIGHTS}iou gives PQ and dice gives pq_dice. Segments on one side only: 0. None on either side: "
    "undefined.",
    examples=(Example(*_B, 2 * (1 + 1) / 7, {"weight": "coverage_true"}),),
    default_in_family=False,
)
@count_quotient(pairs=_weight_of_pairs)
def pq_weighted(counts: SegmentCounts) -> Quotient:
    return _over_segments(counts)


_LARGER = [[1, 1, 1, 0, 2, 2, 2, 2]], [[1, 1, 1, 1, 2, 2, 2, 0]]


def _volume_differences(tally: Tally) -> FloatArray:
    """Return (|h| − |t|)/|t| of every pair, correctly rounded."""
    return np.asarray(ratio(tally.spurious - tally.missed, tally.shared + tally.missed))


def _volume_errors(tally: Tally) -> FloatArray:
    return np.abs(_volume_differences(tally))


@metric(
    symbol=r"\mathrm{SQ}_{\mathrm{RVD}}",
    order=132,
    formula=r"\frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{|h|-|t|}{|t|}",
    summary="Relative volume difference of the matched pairs: how much larger predicted segments are than the true "
    "ones, on average.",
    citation="kofler2023panoptica",
    bounds=(-1, math.inf),
    better="neither",
    value_if_equal=0,
    notes="Positive where predicted segments are too large, negative where they are too small; errors of opposite sign "
    "cancel. Undefined without a matched pair.",
    examples=(Example(*_LARGER, (1 / 3 - 1 / 4) / 2),),
)
@count_quotient(pairs=_volume_differences)
def sq_rvd(counts: SegmentCounts) -> Quotient:
    return mean_over_pairs(counts)


@metric(
    symbol=r"\mathrm{SQ}_{\mathrm{RVAE}}",
    formula=r"\frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{\bigl||h|-|t|\bigr|}{|t|}",
    summary="Relative absolute volume error of the matched pairs: by how much of its volume a true segment is "
    "predicted too large or too small, on average.",
    citation="kofler2023panoptica",
    bounds=(0, math.inf),
    better="lower",
    notes="Undefined without a matched pair.",
    examples=(Example(*_LARGER, (1 / 3 + 1 / 4) / 2),),
)
@count_quotient(pairs=_volume_errors)
def sq_rvae(counts: SegmentCounts) -> Quotient:
    return mean_over_pairs(counts)


@metric(
    symbol=r"\mathrm{DiC}",
    aliases=("dic",),
    formula=r"\mathrm{DiC} = |H|-|T|",
    summary="Difference in count: the number of predicted segments less that of true segments.",
    citation="scharr2016leaf",
    bounds=(-math.inf, math.inf),
    better="neither",
    is_count=True,
    value_if_equal=0,
    notes="Whether segments match does not matter, but the policy does: what it ignores (crowd, void) is not counted. "
    "The CVPPP script counts up to the largest label, so that a gap in the labels is an object there.",
    examples=(Example(*_B, 1),),
)
def count_difference(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pred - counts.n_true)


@metric(
    symbol=r"|\mathrm{DiC}|",
    aliases=("abs_dic",),
    formula=r"|\mathrm{DiC}| = \bigl||H|-|T|\bigr|",
    summary="Absolute difference in count between predicted and true segments.",
    citation="scharr2016leaf",
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    pooled=True,
    is_count=True,
    notes="Taken for each item before it is averaged or added up, so that too many segments in one item do not make up "
    "for too few in another.",
    examples=(Example(*_B, 1), Example(*_B[::-1], 1)),
)
def absolute_count_difference(alignment: Alignment) -> Score:
    tally = alignment.tally.one_to_one()
    return Score.of("absolute_count_difference", abs(tally.n_pred - tally.n_true), 1)
