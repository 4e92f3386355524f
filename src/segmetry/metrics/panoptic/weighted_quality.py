r"""SQ and PQ with another weight of a matched pair than its IoU, such as the Dice coefficient [kofler2023panoptica].

SQ_w = Σ w(t, h) / |TP| and PQ_w = Σ w(t, h) / (|TP| + ½|FP| + ½|FN|) over the matched pairs; PQ_w = SQ_w · RQ. Weights
are exact quotients of integers, and a sum of weights is the exactly rounded sum of correctly rounded quotients.
"""

from __future__ import annotations

from typing import Any

from segmetry._base.exact import FloatArray, IntArray
from segmetry.alignments.tally import Tally
from segmetry.alignments.weights import weigh
from segmetry.metrics.count_quotient import NO_SEGMENTS, Quotient, SegmentCounts, SumOverPairs
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.per_class import checked_undefined
from segmetry.metrics.score import Score
from segmetry.segmentation.spans import Spans

NO_PAIR = "no matched pair"
_A = Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5])
_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_APART = [[1, 1, 0, 0]], [[0, 0, 1, 1]]
_WEIGHTS = "weight= takes iou, dice, coverage_true, coverage_pred, min_coverage, max_coverage or half_link_force. "
_WITHOUT = (
    "Undefined without a matched pair; without_pair=0 is the value of segments that match nothing, as panoptica counts "
    "it. Without any segment it stays undefined."
)


def _dice_values(shared: IntArray, missed: IntArray, spurious: IntArray) -> FloatArray:
    return weigh("dice", shared, missed, spurious)


def _over_segments(total: Any, counts: SegmentCounts) -> Quotient:
    return Quotient(2 * total, counts.n_true + counts.n_pred, NO_SEGMENTS)


def over_pairs(total: Any, counts: SegmentCounts) -> Quotient:
    """Return the mean over the matched pairs."""
    return Quotient(total, counts.n_pairs, NO_PAIR)


def _sq(key: str, tally: Tally, weight: str, without_pair: float | None) -> Score:
    matched = tally.one_to_one()
    substitute = checked_undefined(without_pair)
    if matched.occurs and not matched.n_pairs and substitute is not None:
        return Score.of(key, substitute, 1)
    return Score.of(key, matched.total(weight), matched.n_pairs, NO_PAIR)


def _pq(key: str, tally: Tally, weight: str) -> Score:
    matched = tally.one_to_one()
    return Score.of(key, 2 * matched.total(weight), matched.n_true + matched.n_pred, NO_SEGMENTS)


@metric(
    symbol=r"\mathrm{SQ}_D",
    family="panoptic",
    order=92,
    aliases=("sq_dsc", "instance_dice"),
    needs="tally",
    formula=r"\mathrm{SQ}_D = \frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{2|t\cap h|}{|t|+|h|}",
    summary="Instance Dice: the mean Dice coefficient of the matched pairs.",
    citation="kofler2023panoptica",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("by_item", "all_segments"),
    value_if_equal=1,
    notes=_WITHOUT,
    examples=(
        Example(*_A, (8 / 9 + 6 / 7 + 1) / 3),
        Example(*_APART, None),
        Example(*_APART, 0, {"without_pair": 0}),
    ),
    sum_over_pairs=SumOverPairs(_dice_values, over_pairs),
)
def sq_dice(tally: Tally, *, without_pair: float | None = None) -> Score:
    return _sq("sq_dice", tally, "dice", without_pair)


@metric(
    symbol=r"\mathrm{PQ}_D",
    family="panoptic",
    order=94,
    aliases=("pq_dsc",),
    needs="tally",
    formula=r"\mathrm{PQ}_D = \frac{\sum_{(t,h)\in TP}2|t\cap h|/(|t|+|h|)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Panoptic quality with the Dice coefficient of each pair in place of its IoU.",
    citation="kofler2023panoptica",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("by_item", "all_segments"),
    value_if_equal=1,
    notes="Segments on one side only: 0. None on either side: undefined.",
    examples=(Example(*_A, (8 / 9 + 6 / 7 + 1) / 3), Example(*_B, 2 * (8 / 9 + 1) / 7)),
    sum_over_pairs=SumOverPairs(_dice_values, _over_segments),
)
def pq_dice(tally: Tally) -> Score:
    return _pq("pq_dice", tally, "dice")


@metric(
    symbol=r"\mathrm{SQ}_w",
    family="panoptic",
    order=96,
    needs="tally",
    formula=r"\mathrm{SQ}_w = \frac{1}{|TP|}\sum_{(t,h)\in TP}w(t,h)",
    summary="Segmentation quality with a weight of your choice: its mean over the matched pairs.",
    citation=("kirillov2019panoptic", "kofler2023panoptica"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("by_item", "all_segments"),
    value_if_equal=1,
    notes=f"{_WEIGHTS}iou gives SQ and dice gives sq_dice. {_WITHOUT}",
    examples=(
        Example(*_B, 1, {"weight": "coverage_true"}),
        Example(*_B, (4 / 5 + 1) / 2, {"weight": "coverage_pred"}),
    ),
    default_in_family=False,
)
def sq_weighted(tally: Tally, *, weight: str, without_pair: float | None = None) -> Score:
    return _sq("sq_weighted", tally, weight, without_pair)


@metric(
    symbol=r"\mathrm{PQ}_w",
    family="panoptic",
    order=98,
    needs="tally",
    formula=r"\mathrm{PQ}_w = \frac{\sum_{(t,h)\in TP}w(t,h)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Panoptic quality with a weight of your choice in place of the IoU.",
    citation=("kirillov2019panoptic", "kofler2023panoptica"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("by_item", "all_segments"),
    value_if_equal=1,
    notes=f"{_WEIGHTS}iou gives PQ and dice gives pq_dice. Segments on one side only: 0. None on either side: "
    "undefined.",
    examples=(Example(*_B, 2 * (1 + 1) / 7, {"weight": "coverage_true"}),),
    default_in_family=False,
)
def pq_weighted(tally: Tally, *, weight: str) -> Score:
    return _pq("pq_weighted", tally, weight)
