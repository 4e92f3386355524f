"""The numbers of lesions behind the lesion-wise scores: found, missed and spurious [saluja2023brats]."""

from __future__ import annotations

import math

from segmetry._base.exact import Threshold
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.lesions.lesion_counts import DILATION, count_of
from segmetry.metrics.lesions.lesion_scores import CITATION, KINDS, LESION_NOTE, TWO
from segmetry.metrics.score import Score
from segmetry.segmentation.base import Segmentation

_FOUND = count_of("lesions_found", "found")
_MISSED = count_of("lesions_missed", "missed")
_SPURIOUS = count_of("lesions_spurious", "spurious")
_NOTES = LESION_NOTE + "The value of an item and of a data set is the sum over its classes."


@metric(
    symbol=r"|TP_{\mathrm{lesion}}|",
    family="lesions",
    order=40,
    needs="inputs",
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"|TP|",
    summary="The number of true lesions that a predicted component touches.",
    citation=CITATION,
    bounds=(0, math.inf),
    better="higher",
    symmetric=False,
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*TWO, 1, {"dilation": 1}),),
    is_count=True,
    compares_labels=True,
    accumulator=_FOUND,
)
def lesions_found(
    true: Segmentation, pred: Segmentation, *, dilation: int = DILATION, least_volume: Threshold = 0
) -> Score:
    return _FOUND.score(true, pred, dilation=dilation, least_volume=least_volume)


@metric(
    symbol=r"|FN_{\mathrm{lesion}}|",
    family="lesions",
    order=50,
    needs="inputs",
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"|FN|",
    summary="The number of true lesions that no predicted component touches.",
    citation=CITATION,
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    value_if_equal=0,
    notes=_NOTES,
    examples=(Example(*TWO, 1, {"dilation": 1}), Example(*TWO, 0, {"dilation": 3})),
    is_count=True,
    compares_labels=True,
    accumulator=_MISSED,
)
def lesions_missed(
    true: Segmentation, pred: Segmentation, *, dilation: int = DILATION, least_volume: Threshold = 0
) -> Score:
    return _MISSED.score(true, pred, dilation=dilation, least_volume=least_volume)


@metric(
    symbol=r"|FP_{\mathrm{lesion}}|",
    family="lesions",
    order=60,
    needs="inputs",
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"|FP|",
    summary="The number of predicted components that touch no true lesion.",
    citation=CITATION,
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    value_if_equal=0,
    notes=_NOTES,
    examples=(Example(*TWO[::-1], 1, {"dilation": 1}),),
    is_count=True,
    compares_labels=True,
    accumulator=_SPURIOUS,
)
def lesions_spurious(
    true: Segmentation, pred: Segmentation, *, dilation: int = DILATION, least_volume: Threshold = 0
) -> Score:
    return _SPURIOUS.score(true, pred, dilation=dilation, least_volume=least_volume)
