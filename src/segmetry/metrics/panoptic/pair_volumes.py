r"""Errors of the volume of matched pairs [kofler2023panoptica], and of the number of segments [scharr2016leaf].

Of a matched pair with a true segment t and a predicted segment h: RVD = (|h| − |t|)/|t|, and RVAE is its absolute
value; the scores are means over the matched pairs. The difference in count is the number of predicted segments less
that of true ones, whether they match or not.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import FloatArray, IntArray, ratio
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.tally import Tally
from segmetry.kernels.statistics.group_sums import rounded_sum
from segmetry.metrics.count_quotient import PairValues, Quotient, SegmentCounts, SumOverPairs, count_quotient
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.panoptic.weighted_quality import NO_PAIR, over_pairs
from segmetry.metrics.score import Score
from segmetry.segmentation.spans import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_LARGER = [[1, 1, 1, 0, 2, 2, 2, 2]], [[1, 1, 1, 1, 2, 2, 2, 0]]


def volume_differences(shared: IntArray, missed: IntArray, spurious: IntArray) -> FloatArray:
    """Return (|h| − |t|)/|t| of every pair, correctly rounded."""
    return np.asarray(ratio(spurious - missed, shared + missed))


def volume_errors(shared: IntArray, missed: IntArray, spurious: IntArray) -> FloatArray:
    """Return ||h| − |t||/|t| of every pair, correctly rounded."""
    return np.abs(volume_differences(shared, missed, spurious))


def _mean(key: str, pair_values: PairValues, tally: Tally) -> Score:
    tally = tally.one_to_one()
    values = pair_values(tally.shared, tally.missed, tally.spurious)
    return Score.of(key, rounded_sum(values), values.size, NO_PAIR)


@metric(
    symbol=r"\mathrm{SQ}_{\mathrm{RVD}}",
    family="panoptic",
    order=132,
    needs="tally",
    formula=r"\frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{|h|-|t|}{|t|}",
    summary="Relative volume difference of the matched pairs: how much larger predicted segments are than the true "
    "ones, on average.",
    citation="kofler2023panoptica",
    bounds=(-1, math.inf),
    better="neither",
    symmetric=False,
    aggregation=("by_item", "all_segments"),
    value_if_equal=0,
    notes="Positive where predicted segments are too large, negative where they are too small; errors of opposite sign "
    "cancel. Undefined without a matched pair.",
    examples=(Example(*_LARGER, (1 / 3 - 1 / 4) / 2),),
    sum_over_pairs=SumOverPairs(volume_differences, over_pairs),
)
def sq_rvd(tally: Tally) -> Score:
    return _mean("sq_rvd", volume_differences, tally)


@metric(
    symbol=r"\mathrm{SQ}_{\mathrm{RVAE}}",
    family="panoptic",
    order=134,
    needs="tally",
    formula=r"\frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{\bigl||h|-|t|\bigr|}{|t|}",
    summary="Relative absolute volume error of the matched pairs: by how much of its volume a true segment is "
    "predicted too large or too small, on average.",
    citation="kofler2023panoptica",
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    aggregation=("by_item", "all_segments"),
    value_if_equal=0,
    notes="Undefined without a matched pair.",
    examples=(Example(*_LARGER, (1 / 3 + 1 / 4) / 2),),
    sum_over_pairs=SumOverPairs(volume_errors, over_pairs),
)
def sq_rvae(tally: Tally) -> Score:
    return _mean("sq_rvae", volume_errors, tally)


@metric(
    symbol=r"\mathrm{DiC}",
    family="panoptic",
    order=136,
    aliases=("dic",),
    needs="tally",
    formula=r"\mathrm{DiC} = |H|-|T|",
    summary="Difference in count: the number of predicted segments less that of true segments.",
    citation="scharr2016leaf",
    bounds=(-math.inf, math.inf),
    better="neither",
    symmetric=False,
    aggregation=("by_item", "all_segments"),
    is_count=True,
    value_if_equal=0,
    notes="Whether segments match does not matter, but the policy does: what it ignores (crowd, void) is not counted. "
    "The CVPPP script counts up to the largest label, so that a gap in the labels is an object there.",
    examples=(Example(*_B, 1),),
)
@count_quotient()
def count_difference(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pred - counts.n_true)


@metric(
    symbol=r"|\mathrm{DiC}|",
    family="panoptic",
    order=138,
    aliases=("abs_dic",),
    needs="alignment",
    formula=r"|\mathrm{DiC}| = \bigl||H|-|T|\bigr|",
    summary="Absolute difference in count between predicted and true segments.",
    citation="scharr2016leaf",
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    aggregation=("by_item", "all_segments"),
    is_count=True,
    value_if_equal=0,
    notes="Taken for each item before it is averaged or added up, so that too many segments in one item do not make up "
    "for too few in another.",
    examples=(Example(*_B, 1), Example(*_B[::-1], 1)),
)
def absolute_count_difference(alignment: Alignment) -> Score:
    tally = alignment.tally.one_to_one()
    return Score.of("absolute_count_difference", abs(tally.n_pred - tally.n_true), 1)
