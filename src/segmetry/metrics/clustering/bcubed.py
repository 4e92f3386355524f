r"""BCubed: precision and recall of each element, averaged [bagga1998entity].

An element of true block t and pred block h has precision |t∩h|/|h|, recall |t∩h|/|t| and F = 2|t∩h|/(|t|+|h|).
``over="elements"`` is the mean over elements, the literature's BCubed; ``over="pairs"`` the plain mean over the pairs
of blocks that overlap [vanheusden2022bcubed], which collapses to P = |H|/|B| and R = |T|/|B| with B these pairs where
both sides cover all elements that count.

Where the convention leaves out elements (``background="common"``), ``blocks="counted"`` takes |t| and |h| of the
elements that count, so that the two sides are partitions of one set; ``blocks="whole"`` of whole segments, as for
partial partitions [vanheusden2022bcubed]: T = 1110 and H = 1111 then have precision 3/4, otherwise 1.

ELM leaves out the element itself [vanheusden2022bcubed]: among the *other* elements of its two blocks an element has
TP = |t∩h| − 1, FP = |h \ t|, FN = |t \ h|; a quotient is 1 where there is no other element.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, as_python_ints, check_choice, ratio
from segmetry.metrics.batches.partition_formula import FormulaValue
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, PARTIAL, SIX, SPLIT_UP, A, B
from segmetry.metrics.declare import Example, metric
from segmetry.overlaps import Contingency
from segmetry.segmentation import Spans

_CITED = ("bagga1998entity", "vanheusden2022bcubed")
_CROSSED = Spans.from_masses([3, 1]), Spans.from_masses([1, 3])
_PAIRS = {"over": "pairs"}
_HANGING = [[1, 1, 1, 0]], [[1, 1, 1, 1]]
_WHOLE = {"background": "common", "blocks": "whole"}
_OVER = (
    "over='elements' is the mean over elements; over='pairs' the plain mean over overlapping pairs of segments, which "
    "is only the number of segments over the number of such pairs: (9,1) against (5,5), one boundary wrong by four, "
    "scores as (3,1) against (1,3). blocks='counted' (default) takes the sizes of segments without the elements that "
    "background leaves out; blocks='whole' takes whole segments, with background='common' the definition for partial "
    "partitions. "
)


@metric(
    symbol=r"B^3 P",
    order=200,
    formula=r"\frac1n\sum_{t,h}|t\cap h|\cdot\frac{|t\cap h|}{|h|}",
    summary="For an average element: the share of its predicted segment that belongs to its true segment.",
    citation=_CITED,
    swaps_with="bcubed_recall",
    pooled=True,
    notes=BACKGROUND + _OVER,
    examples=(
        Example(*SIX, 5 / 6),
        Example(*A, 23 / 26),
        Example(*A, 3 / 4, _PAIRS),
        Example(*B, 4 / 5, _PAIRS),
        Example(*SPLIT_UP, 1.0),
        Example(*PARTIAL, 0.8),
        Example(*_HANGING, 5 / 8),
        Example(*_HANGING, 1.0, {"background": "common"}),
        Example(*_HANGING, 3 / 4, _WHOLE),
        Example(*_HANGING, 3 / 4, _WHOLE | _PAIRS),
    ),
)
def bcubed_precision(
    partitions: Contingency,
    *,
    over: Literal["elements", "pairs"] = "elements",
    blocks: Literal["counted", "whole"] = "counted",
) -> FormulaValue:
    pred_size = _block_sizes(partitions, blocks)[1]
    return FormulaValue(*_mean_terms(partitions, over, partitions.shared, pred_size), NO_ELEMENTS)


@metric(
    symbol=r"B^3 R",
    formula=r"\frac1n\sum_{t,h}|t\cap h|\cdot\frac{|t\cap h|}{|t|}",
    summary="For an average element: the share of its true segment that its predicted segment contains.",
    citation=_CITED,
    pooled=True,
    notes=BACKGROUND + _OVER,
    examples=(
        Example(*SIX, 5 / 9),
        Example(*A, 57 / 65),
        Example(*A, 3 / 4, _PAIRS),
        Example(*B, 3 / 5, _PAIRS),
        Example(*SPLIT_UP, 0.1),
    ),
)
def bcubed_recall(
    partitions: Contingency,
    *,
    over: Literal["elements", "pairs"] = "elements",
    blocks: Literal["counted", "whole"] = "counted",
) -> FormulaValue:
    true_size = _block_sizes(partitions, blocks)[0]
    return FormulaValue(*_mean_terms(partitions, over, partitions.shared, true_size), NO_ELEMENTS)


@metric(
    symbol=r"B^3 F_1",
    aliases=("bcubed", "bcubed_f"),
    formula=r"\frac1n\sum_{t,h}|t\cap h|\cdot\frac{2|t\cap h|}{|t|+|h|}",
    summary="For an average element: the F score of its predicted segment with respect to its true segment.",
    citation=_CITED,
    symmetric=True,
    pooled=True,
    notes=f"{BACKGROUND}{_OVER}average='elements' (default) is the mean of the elements' own F; average='means' the "
    "harmonic mean of the two means, as most coreference papers report; the values differ.",
    examples=(
        Example(*SIX, 2 / 3),
        Example(*A, 55 / 63),
        Example(*A, 2 * (23 / 26) * (57 / 65) / (23 / 26 + 57 / 65), {"average": "means"}),
        Example(*_CROSSED, 7 / 12),
        Example(*_CROSSED, 5 / 9, _PAIRS),
    ),
)
def bcubed_f1(
    partitions: Contingency,
    *,
    over: Literal["elements", "pairs"] = "elements",
    blocks: Literal["counted", "whole"] = "counted",
    average: Literal["elements", "means"] = "elements",
) -> FormulaValue:
    check_choice("average", average, ("elements", "means"))
    shared, (true_size, pred_size) = partitions.shared, _block_sizes(partitions, blocks)
    if average == "elements":
        return FormulaValue(*_mean_terms(partitions, over, 2 * shared, true_size + pred_size), NO_ELEMENTS)
    precision, bottom = _mean_terms(partitions, over, shared, pred_size)
    recall, _ = _mean_terms(partitions, over, shared, true_size)
    return FormulaValue(2 * precision * recall, bottom * (precision + recall), NO_ELEMENTS)


def _block_sizes(partitions: Contingency, blocks: str) -> tuple[IntArray, IntArray]:
    """Return |t| and |h| of every cell: of the elements that count, or of whole segments."""
    check_choice("blocks", blocks, ("counted", "whole"))
    if blocks == "whole":
        return partitions.true_whole, partitions.pred_whole
    return partitions.true_size, partitions.pred_size


def _mean_terms(partitions: Contingency, over: str, top: NDArray[Any], bottom: NDArray[Any]) -> tuple[Any, Any]:
    """Return the sum of top/bottom over elements or over overlapping pairs, and their number."""
    check_choice("over", over, ("elements", "pairs"))
    if over == "pairs":
        return weighted_sum(partitions, top, bottom, partitions.count), partitions.n_cells
    return weighted_sum(partitions, top, bottom, partitions.shared, partitions.count), partitions.n


def weighted_sum(partitions: Contingency, top: NDArray[Any], bottom: NDArray[Any], *weights: IntArray) -> Any:
    """Return Σ weights·top/bottom over cells: each term is a quotient of integers, rounded once; the sum is exact."""
    if partitions.is_wide:
        top = as_python_ints(top)
    for weight in weights:
        top = top * weight
    return partitions.sum_of_cells(ratio(top, bottom))


_ELM_CITED = ("vanheusden2022bcubed",)
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
    citation=_ELM_CITED,
    swaps_with="elm_recall",
    pooled=True,
    notes=BACKGROUND + _ALONE,
    examples=(Example(*SIX, 4 / 6), Example(*A, 11 / 13), Example(*B, 11 / 13), Example(*SPLIT_UP, 1.0)),
)
def elm_precision(partitions: Contingency) -> FormulaValue:
    return _mean_of_others(partitions, partitions.shared - 1, partitions.pred_size - 1)


@metric(
    symbol=r"\mathrm{ELM}_R",
    formula=r"\frac1n\sum_{t,h}|t\cap h|\cdot\frac{|t\cap h|-1}{|t|-1}",
    summary="For an average element: the share of the other elements of its true segment that its predicted segment "
    "contains.",
    citation=_ELM_CITED,
    pooled=True,
    notes=BACKGROUND + _ALONE,
    examples=(Example(*SIX, 2 / 6), Example(*A, 11 / 13), Example(*SPLIT_UP, 0.0)),
)
def elm_recall(partitions: Contingency) -> FormulaValue:
    return _mean_of_others(partitions, partitions.shared - 1, partitions.true_size - 1)


@metric(
    symbol=r"\mathrm{ELM}_{F_1}",
    formula=r"\frac1n\sum_{t,h}|t\cap h|\cdot\frac{2(|t\cap h|-1)}{|t|+|h|-2}",
    summary="For an average element: the F score of the other elements of its predicted segment with respect to those "
    "of its true one.",
    citation=_ELM_CITED,
    symmetric=True,
    pooled=True,
    notes=f"{BACKGROUND}{_ALONE}It is the mean of the F of the elements, not the F of the means, and 0 for an element "
    "whose two blocks share no other element.",
    examples=(Example(*SIX, 4 / 9), Example(*A, 379 / 455), Example(*SPLIT_UP, 0.0)),
)
def elm_f1(partitions: Contingency) -> FormulaValue:
    return _mean_of_others(partitions, 2 * (partitions.shared - 1), partitions.true_size + partitions.pred_size - 2)


def _mean_of_others(partitions: Contingency, top: NDArray[Any], bottom: NDArray[Any]) -> FormulaValue:
    """Return the mean over elements of top/bottom, 1 where there is no other element."""
    alone = bottom == 0
    tops, bottoms = np.where(alone, 1, top), np.where(alone, 1, bottom)
    total = weighted_sum(partitions, tops, bottoms, partitions.shared, partitions.count)
    return FormulaValue(total, partitions.n, NO_ELEMENTS)
