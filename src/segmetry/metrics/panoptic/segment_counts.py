"""The counts behind the panoptic scores: matched, missed and spurious segments, and the sum of IoUs."""

from __future__ import annotations

import math

from segmetry.alignments.tally import Tally
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.panoptic.tally_quotients import QUOTIENTS
from segmetry.metrics.score import Score
from segmetry.segmentation.spans import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_PANOPTIC = ("kirillov2019panoptic",)


@metric(
    symbol="|TP|",
    family="panoptic",
    needs="tally",
    formula=r"|TP|",
    summary="How many pairs of segments are matched.",
    citation=_PANOPTIC,
    bounds=(0, math.inf),
    better="higher",
    symmetric=True,
    aggregation=("mean", "pooled"),
    is_count=True,
    value_if_equal=None,
    notes="With resolve='keep' a segment may occur in several pairs; each pair counts.",
    examples=(Example(*_B, 2),),
)
def n_matched(tally: Tally) -> Score:
    return QUOTIENTS["n_matched"].score("n_matched", tally)


@metric(
    symbol="|FN|",
    family="panoptic",
    needs="tally",
    formula=r"|FN|",
    summary="How many true segments have no partner.",
    citation=_PANOPTIC,
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    swaps_with="n_spurious",
    aggregation=("mean", "pooled"),
    is_count=True,
    value_if_equal=0,
    notes="Segments the policy ignores (crowd, void) are not counted.",
    examples=(Example(*_B, 1),),
)
def n_missed(tally: Tally) -> Score:
    return QUOTIENTS["n_missed"].score("n_missed", tally)


@metric(
    symbol="|FP|",
    family="panoptic",
    needs="tally",
    formula=r"|FP|",
    summary="How many predicted segments have no partner.",
    citation=_PANOPTIC,
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    swaps_with="n_missed",
    aggregation=("mean", "pooled"),
    is_count=True,
    value_if_equal=0,
    notes="Segments the policy ignores (mostly void or crowd) are not counted.",
    examples=(Example(*_B, 2),),
)
def n_spurious(tally: Tally) -> Score:
    return QUOTIENTS["n_spurious"].score("n_spurious", tally)


@metric(
    symbol=r"\sum\mathrm{IoU}",
    family="panoptic",
    needs="tally",
    formula=r"\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)",
    summary="The sum of the IoUs of all matched pairs: the numerator of PQ and SQ.",
    citation=_PANOPTIC,
    bounds=(0, math.inf),
    better="higher",
    symmetric=True,
    aggregation=("mean", "pooled"),
    is_count=True,
    value_if_equal=None,
    notes="The exactly rounded sum of correctly rounded IoUs: the same bits in every order.",
    examples=(Example(*_B, 1.8),),
)
def sum_iou(tally: Tally) -> Score:
    return QUOTIENTS["sum_iou"].score("sum_iou", tally)
