r"""Pairs of elements as a classification: is a pair that the prediction puts together also together in the truth?

The adapted Rand error of neuron segmentation [argandacarreras2015crowdsourcing] is 1 − F over ordered pairs, where an
element is also paired with itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from segmetry._base import computed_once, frozen_dataclass
from segmetry.metrics.batches.partition_formula import FormulaValue
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, PARTIAL, SINGLES, SIX, A
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Counts
from segmetry.overlaps import Contingency

_ADAPTED = ("argandacarreras2015crowdsourcing",)
_MERGED = [[1, 1, 2, 2]], [[1, 1, 1, 1]]
_NOTHING = "no two elements are together on either side"


@frozen_dataclass()
class PairCount:
    """Pairs of elements by whether they are together in the truth (first digit) and in the prediction (second)."""

    n11: Any
    n10: Any
    n01: Any
    n00: Any

    @property
    def total(self) -> Any:
        return self.n11 + self.n10 + self.n01 + self.n00


@computed_once
def count_pairs_of_elements(partitions: Contingency) -> PairCount:
    """Return all four counts, exactly."""
    n = partitions.n
    both, true, pred = partitions.together, partitions.true.together, partitions.pred.together
    return PairCount(both, true - both, pred - both, n * (n - 1) // 2 - true - pred + both)


@metric(
    symbol=r"N_{11}, N_{10}, N_{01}, N_{00}",
    order=10,
    formula=r"N_{11}+N_{10}+N_{01}+N_{00} = \binom n2",
    summary="The numbers of pairs of elements that are together in both sides (n11), in the truth only (n10), in the "
    "prediction only (n01), in neither (n00).",
    citation=("rand1971objective",),
    bounds=(0, math.inf),
    better="neither",
    value_if_equal=None,
    notes=f"{BACKGROUND}The first digit refers to the truth, the second to the prediction (some papers use the "
    "reverse). Exact integers, beyond 64 bits where needed.",
    examples=(
        Example(*SIX, {"n11": 2, "n10": 4, "n01": 1, "n00": 8}),
        Example(*A, {"n11": 19, "n10": 4, "n01": 3, "n00": 52}),
        Example(*PARTIAL, {"n11": 1, "n10": 0, "n01": 0, "n00": 0}, {"background": "common"}),
    ),
)
def pair_counts(contingency: Contingency) -> Counts:
    pairs = count_pairs_of_elements(contingency)
    return Counts("pair_counts", {"n11": pairs.n11, "n10": pairs.n10, "n01": pairs.n01, "n00": pairs.n00})


@metric(
    symbol=r"P_{\mathrm{pairs}}",
    order=40,
    formula=r"\frac{N_{11}}{N_{11}+N_{01}}",
    summary="Of the pairs of elements that the prediction puts together, the share that is together in the truth.",
    citation=_ADAPTED,
    swaps_with="pair_recall",
    pooled=True,
    notes=f"{BACKGROUND}Undefined when the prediction puts no two elements together. scikit-image exchanges the names "
    "of adapted Rand's precision and recall.",
    examples=(Example(*SIX, 2 / 3), Example(*A, 19 / 22)),
)
def pair_precision(partitions: Contingency) -> FormulaValue:
    pairs = count_pairs_of_elements(partitions)
    return FormulaValue(pairs.n11, pairs.n11 + pairs.n01, "no two elements are together in the prediction")


@metric(
    symbol=r"R_{\mathrm{pairs}}",
    formula=r"\frac{N_{11}}{N_{11}+N_{10}}",
    summary="Of the pairs of elements that are together in the truth, the share that the prediction keeps together.",
    citation=_ADAPTED,
    pooled=True,
    notes=BACKGROUND + "Undefined when no two elements are together in the truth.",
    examples=(Example(*SIX, 1 / 3), Example(*A, 19 / 23)),
)
def pair_recall(partitions: Contingency) -> FormulaValue:
    pairs = count_pairs_of_elements(partitions)
    return FormulaValue(pairs.n11, pairs.n11 + pairs.n10, "no two elements are together in the truth")


@metric(
    symbol=r"F_{\mathrm{pairs}}",
    formula=r"\frac{2N_{11}}{2N_{11}+N_{10}+N_{01}}",
    summary="The harmonic mean of precision and recall over pairs of elements.",
    citation=_ADAPTED,
    symmetric=True,
    pooled=True,
    notes=f"{BACKGROUND}Counted from the pairs, so it is 0, not undefined, when only one of precision and recall is "
    "undefined.",
    examples=(Example(*SIX, 4 / 9), Example(*A, 38 / 45)),
)
def pair_f(partitions: Contingency) -> FormulaValue:
    pairs = count_pairs_of_elements(partitions)
    return FormulaValue(2 * pairs.n11, 2 * pairs.n11 + pairs.n10 + pairs.n01, _NOTHING)


@metric(
    symbol=r"\mathrm{ARE}",
    order=30,
    aliases=("arand", "adapted_rand"),
    formula=r"1-\frac{2\sum_{t,h}|t\cap h|^2}{\sum_t|t|^2+\sum_h|h|^2} = "
    r"\frac{N_{10}+N_{01}}{n+2N_{11}+N_{10}+N_{01}}",
    summary="Adapted Rand error: one minus the F score over ordered pairs of elements, each element with itself "
    "included; 0 is perfect.",
    citation=_ADAPTED,
    better="lower",
    symmetric=True,
    pooled=True,
    notes=f"{BACKGROUND}self_pairs=True (default) counts each element as together with itself, as the paper, CREMI and "
    "funlib do; self_pairs=False does not, as scikit-image, and is one minus pair_f. scikit-image's default value is "
    "background='foreground' with self_pairs=False.",
    examples=(
        Example(*_MERGED, 1 / 3),
        Example(*_MERGED, 1 / 2, {"self_pairs": False}),
        Example(*SIX, 5 / 15),
        Example(*A, 7 / 45, {"self_pairs": False}),
    ),
)
def adapted_rand_error(partitions: Contingency, *, self_pairs: bool = True) -> FormulaValue:
    pairs = count_pairs_of_elements(partitions)
    differ = pairs.n10 + pairs.n01
    together = 2 * pairs.n11 + differ + (partitions.n if self_pairs else 0)
    return FormulaValue(differ, together, NO_ELEMENTS if self_pairs else _NOTHING)


@metric(
    symbol=r"J_{\mathrm{pairs}}",
    order=70,
    formula=r"\frac{N_{11}}{N_{11}+N_{10}+N_{01}}",
    summary="The Jaccard index of the two sets of pairs of elements that are together.",
    citation=("jaccard1912distribution",),
    symmetric=True,
    pooled=True,
    notes=BACKGROUND + "Undefined when no two elements are together on either side. Not the IoU of segments.",
    examples=(Example(*SIX, 2 / 7), Example(*A, 19 / 26), Example(*SINGLES, None)),
)
def jaccard_index(partitions: Contingency) -> FormulaValue:
    pairs = count_pairs_of_elements(partitions)
    return FormulaValue(pairs.n11, pairs.n11 + pairs.n10 + pairs.n01, _NOTHING)


@metric(
    symbol="FM",
    aliases=("fmi", "fowlkes_mallows_index", "fowlkes_mallows_score"),
    formula=r"\frac{N_{11}}{\sqrt{(N_{11}+N_{10})(N_{11}+N_{01})}}",
    summary="The geometric mean of precision and recall over pairs of elements.",
    citation=("fowlkes1983method",),
    symmetric=True,
    notes=BACKGROUND + "Undefined when a side puts no two elements together; scikit-learn returns 0 there.",
    examples=(Example(*SIX, 2 / math.sqrt(18)), Example(*A, 19 / math.sqrt(23 * 22)), Example(*SINGLES, None)),
)
def fowlkes_mallows(partitions: Contingency) -> FormulaValue:
    pairs = count_pairs_of_elements(partitions)
    true, pred = pairs.n11 + pairs.n10, pairs.n11 + pairs.n01
    if isinstance(true, np.ndarray):  # of numbers below 2⁵³, whose product is rounded once, as that of integers is
        root = np.sqrt(np.multiply(true, pred, dtype=np.float64))
    else:
        root = math.sqrt(true * pred)
    return FormulaValue(pairs.n11, root, "a side puts no two elements together")
