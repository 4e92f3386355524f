r"""Errors of the volume of matched pairs [kofler2023panoptica], and of the number of segments [scharr2016leaf].

Of a matched pair with a true segment t and a predicted segment h: RVD = (|h| − |t|)/|t|, and RVAE is its absolute
value; the scores are means over the matched pairs. The difference in count is the number of predicted segments less
that of true ones, whether they match or not.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import FloatArray, ratio
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.tally import Tally
from segmetry.metrics.count_quotient import SegmentCounts, count_quotient
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.panoptic.weighted_quality import mean_over_pairs
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Quotient
from segmetry.segmentation.spans import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_LARGER = [[1, 1, 1, 0, 2, 2, 2, 2]], [[1, 1, 1, 1, 2, 2, 2, 0]]


def _differences(tally: Tally) -> FloatArray:
    """Return (|h| − |t|)/|t| of every pair, correctly rounded."""
    return np.asarray(ratio(tally.spurious - tally.missed, tally.shared + tally.missed))


def _errors(tally: Tally) -> FloatArray:
    return np.abs(_differences(tally))


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
@count_quotient(pairs=_differences)
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
    value_if_equal=0,
    notes="Undefined without a matched pair.",
    examples=(Example(*_LARGER, (1 / 3 + 1 / 4) / 2),),
)
@count_quotient(pairs=_errors)
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
@count_quotient()
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
    value_if_equal=0,
    notes="Taken for each item before it is averaged or added up, so that too many segments in one item do not make up "
    "for too few in another.",
    examples=(Example(*_B, 1), Example(*_B[::-1], 1)),
)
def absolute_count_difference(alignment: Alignment) -> Score:
    tally = alignment.tally.one_to_one()
    return Score.of("absolute_count_difference", abs(tally.n_pred - tally.n_true), 1)
