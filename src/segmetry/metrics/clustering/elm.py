r"""ELM: BCubed without the element itself [vanheusden2022bcubed].

Among the *other* elements of its two blocks an element has TP = |t∩h| − 1, FP = |h \ t|, FN = |t \ h|; a quotient is 1
where there is no other element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.metrics.batches.partition_formula import FormulaValue
from segmetry.metrics.clustering.bcubed import weighted_sum
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, SIX, SPLIT_UP, A, B
from segmetry.metrics.declare import Example, metric
from segmetry.overlaps.contingency import Contingency

_CITED = ("vanheusden2022bcubed",)
_ALONE = (
    "An element alone in its block counts 1, not 0/0: precision where the pred "
    "block has one element, recall where the true block has, F where both have. "
)


@metric(
    symbol=r"\mathrm{ELM}_P",
    order=230,
    formula=r"\frac1n\sum_{t,h}|t\cap h|\cdot\frac{|t\cap h|-1}{|h|-1}",
    summary="For an average element: the share of the other elements of its predicted segment that belong to its true "
    "segment.",
    citation=_CITED,
    swaps_with="elm_recall",
    pooled=True,
    notes=BACKGROUND + _ALONE,
    examples=(Example(*SIX, 4 / 6), Example(*A, 11 / 13), Example(*B, 11 / 13), Example(*SPLIT_UP, 1.0)),
)
def elm_precision(partitions: Contingency) -> FormulaValue:
    return _mean(partitions, partitions.shared - 1, partitions.pred_size - 1)


@metric(
    symbol=r"\mathrm{ELM}_R",
    formula=r"\frac1n\sum_{t,h}|t\cap h|\cdot\frac{|t\cap h|-1}{|t|-1}",
    summary="For an average element: the share of the other elements of its true segment that its predicted segment "
    "contains.",
    citation=_CITED,
    swaps_with="elm_precision",
    pooled=True,
    notes=BACKGROUND + _ALONE,
    examples=(Example(*SIX, 2 / 6), Example(*A, 11 / 13), Example(*SPLIT_UP, 0.0)),
)
def elm_recall(partitions: Contingency) -> FormulaValue:
    return _mean(partitions, partitions.shared - 1, partitions.true_size - 1)


@metric(
    symbol=r"\mathrm{ELM}_{F_1}",
    formula=r"\frac1n\sum_{t,h}|t\cap h|\cdot\frac{2(|t\cap h|-1)}{|t|+|h|-2}",
    summary="For an average element: the F score of the other elements of its predicted segment with respect to those "
    "of its true one.",
    citation=_CITED,
    symmetric=True,
    pooled=True,
    notes=f"{BACKGROUND}{_ALONE}It is the mean of the F of the elements, not the F of the means, and 0 for an element "
    "whose two blocks share no other element.",
    examples=(Example(*SIX, 4 / 9), Example(*A, 379 / 455), Example(*SPLIT_UP, 0.0)),
)
def elm_f1(partitions: Contingency) -> FormulaValue:
    return _mean(partitions, 2 * (partitions.shared - 1), partitions.true_size + partitions.pred_size - 2)


def _mean(partitions: Contingency, top: NDArray[Any], bottom: NDArray[Any]) -> FormulaValue:
    """Return the mean over elements of top/bottom, 1 where there is no other element."""
    alone = bottom == 0
    tops, bottoms = np.where(alone, 1, top), np.where(alone, 1, bottom)
    total = weighted_sum(partitions, tops, bottoms, partitions.shared, partitions.count)
    return FormulaValue(total, partitions.n, NO_ELEMENTS)
