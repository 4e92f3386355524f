"""The numbers of lesions behind the lesion-wise scores: found, missed and spurious [saluja2023brats]."""

from __future__ import annotations

import math

from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.lesions.lesion_counts import lesion_counts
from segmetry.metrics.lesions.lesion_scores import CITATION, KINDS, LESION_NOTE, TWO
from segmetry.metrics.statistics import Quotient, Sums

_COUNTS = Aggregation(lesion_counts, is_count=True)
_NOTES = LESION_NOTE + "The value of an item and of a data set is the sum over its classes."


@metric(
    symbol=r"|TP_{\mathrm{lesion}}|",
    order=40,
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"|TP|",
    summary="The number of true lesions that a predicted component touches.",
    citation=CITATION,
    bounds=(0, math.inf),
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*TWO, 1, {"dilation": 1}),),
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)
def lesions_found(sums: Sums) -> Quotient:
    return Quotient(sums["found"], 1)


@metric(
    symbol=r"|FN_{\mathrm{lesion}}|",
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"|FN|",
    summary="The number of true lesions that no predicted component touches.",
    citation=CITATION,
    bounds=(0, math.inf),
    better="lower",
    value_if_equal=0,
    notes=_NOTES,
    examples=(Example(*TWO, 1, {"dilation": 1}), Example(*TWO, 0, {"dilation": 3})),
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)
def lesions_missed(sums: Sums) -> Quotient:
    return Quotient(sums["missed"], 1)


@metric(
    symbol=r"|FP_{\mathrm{lesion}}|",
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"|FP|",
    summary="The number of predicted components that touch no true lesion.",
    citation=CITATION,
    bounds=(0, math.inf),
    better="lower",
    value_if_equal=0,
    notes=_NOTES,
    examples=(Example(*TWO[::-1], 1, {"dilation": 1}),),
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)
def lesions_spurious(sums: Sums) -> Quotient:
    return Quotient(sums["spurious"], 1)
