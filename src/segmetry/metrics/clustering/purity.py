"""Purity and coverage: the share of each block in a single block of the other side [manning2008introduction]."""

from __future__ import annotations

from segmetry.metrics.batches.partition_formula import FormulaValue
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, PARTIAL, SIX, SPLIT_UP, A, B, C
from segmetry.metrics.declare import Example, metric
from segmetry.overlaps import Contingency

_MANNING = ("manning2008introduction",)
_ASA = ("manning2008introduction", "liu2011entropy")


@metric(
    symbol=r"\mathrm{purity}",
    order=180,
    aliases=("asa", "achievable_segmentation_accuracy"),
    formula=r"\frac1n\sum_h\max_t|t\cap h|",
    summary="The share of elements that are in the true segment that overlaps their predicted segment most.",
    citation=_ASA,
    swaps_with="coverage",
    pooled=True,
    notes=f"{BACKGROUND}Only the size of the largest intersection is used, so ties do not matter. Many small segments "
    "are pure: read it together with coverage. Of superpixels it is called achievable segmentation accuracy (ASA).",
    examples=(
        Example(*SIX, 5 / 6),
        Example(*A, 12 / 13),
        Example(*B, 12 / 13),
        Example(*C, 17 / 21),
        Example(*SPLIT_UP, 1.0),
        Example(*PARTIAL, 0.8),
    ),
)
def purity(partitions: Contingency) -> FormulaValue:
    return FormulaValue(partitions.sum_of_largest(partitions.pred, partitions.at_pred), partitions.n, NO_ELEMENTS)


@metric(
    symbol=r"\mathrm{coverage}",
    formula=r"\frac1n\sum_t\max_h|t\cap h|",
    summary="The share of elements that are in the predicted segment that overlaps their true segment most.",
    citation=_MANNING,
    swaps_with="purity",
    pooled=True,
    notes=f"{BACKGROUND}Purity with the sides exchanged (inverse purity). A single segment for all elements has "
    "coverage 1: read it together with purity.",
    examples=(
        Example(*SIX, 4 / 6),
        Example(*A, 12 / 13),
        Example(*B, 11 / 13),
        Example(*C, 19 / 21),
        Example(*SPLIT_UP, 0.1),
    ),
)
def coverage(partitions: Contingency) -> FormulaValue:
    return FormulaValue(partitions.sum_of_largest(partitions.true, partitions.at_true), partitions.n, NO_ELEMENTS)
