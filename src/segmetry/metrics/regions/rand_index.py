r"""The Rand index and its relatives: agreement on pairs of elements [rand1971objective].

All four counts of pairs are exact integers for any number of elements. ARI corrects for chance [hubert1985comparing].
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from segmetry._base import as_python_ints, products_fit, ratio
from segmetry.alignments import CountedOverlaps
from segmetry.metrics.average import checked_undefined
from segmetry.metrics.batches.partition_formula import FormulaValue
from segmetry.metrics.clustering.element_pairs import PairCount, count_pairs_of_elements
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_PAIRS, ONE, PARTIAL, SIX, A
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.regions.largest_partners import NO_TRUTH, TIES, partners
from segmetry.metrics.score import Score
from segmetry.overlaps import Contingency

_RAND = ("rand1971objective",)


@metric(
    symbol="RI",
    order=50,
    aliases=("ri", "rand_score", "rand"),
    formula=r"\mathrm{RI} = \frac{N_{11}+N_{00}}{\binom n2}",
    summary="The share of pairs of elements on which both sides agree: together in both, or apart in both.",
    citation=_RAND,
    symmetric=True,
    pooled=True,
    notes=f"{BACKGROUND}Undefined when fewer than two elements count. The index is global, over all pairs of elements; "
    "rand_per_partner compares each true segment with its partner.",
    examples=(
        Example(*SIX, 2 / 3),
        Example(*A, 71 / 78),
        Example(*PARTIAL, 0.6),
        Example(*PARTIAL, 0.8, {"background": "singletons"}),
    ),
)
def rand_index(partitions: Contingency) -> FormulaValue:
    pairs = count_pairs_of_elements(partitions)
    return FormulaValue(pairs.n11 + pairs.n00, pairs.total, NO_PAIRS)


@metric(
    formula=r"1-\mathrm{RI} = \frac{N_{10}+N_{01}}{\binom n2}",
    summary="The share of pairs of elements on which the two sides disagree.",
    citation=_RAND,
    better="lower",
    symmetric=True,
    pooled=True,
    notes=f"{BACKGROUND}Counted from the disagreements, not subtracted from 1. Undefined when fewer than two elements "
    "count.",
    examples=(Example(*SIX, 1 / 3), Example(*A, 7 / 78)),
)
def rand_error(partitions: Contingency) -> FormulaValue:
    pairs = count_pairs_of_elements(partitions)
    return FormulaValue(pairs.n10 + pairs.n01, pairs.total, NO_PAIRS)


@metric(
    symbol=r"\mathrm{RI}_{\mathrm{partner}}",
    formula=r"\frac{1}{|T|}\sum_{t\in T}\mathrm{RI}(\{t,E\setminus t\},\{h_t,E\setminus h_t\})",
    summary="The Rand index of each true segment against its partner, each as a partition of all elements into two, on "
    "average.",
    citation=_RAND,
    pooled=True,
    ties_by_id=True,
    notes=f"{TIES}A segment without overlap is compared with the undivided domain. All elements of the domain count, "
    "also outside (void ones as the policy defines), so the value rises with the size of the image; the global index "
    "is rand_index. Undefined with fewer than two elements.",
    examples=(Example([[1, 1, 2, 2]], [[1, 1, 1, 2]], 0.5), Example([[1, 1, 0, 0]], [[0, 0, 0, 0]], 1 / 3)),
)
def rand_per_partner(overlaps: CountedOverlaps) -> Score:
    pairing = partners(overlaps)
    n = overlaps.n_elements
    if n < 2:
        return Score.undefined("rand_per_partner", NO_PAIRS, **pairing.details)
    differ = pairing.missed + pairing.spurious
    if not products_fit(n, n):
        differ = as_python_ints(differ)  # type: ignore[assignment]
    # The sides disagree on a pair of elements exactly when one of them is in t ⊕ h and the other is not.
    disagreements = differ * (n - differ)
    shares = ratio(disagreements, 0 * disagreements + n * (n - 1) // 2)
    return Score.of(
        "rand_per_partner", math.fsum([len(pairing), *(-shares).tolist()]), len(pairing), NO_TRUTH, **pairing.details
    )


@metric(
    symbol="ARI",
    family="clustering",
    order=20,
    aliases={"ari": {}, "adjusted_rand_score": {}, "adjusted_rand": {}, "fg_ari": {"background": "foreground"}},
    formula=r"\mathrm{ARI} = "
    r"\frac{2(N_{11}N_{00}-N_{10}N_{01})}{(N_{11}+N_{10})(N_{10}+N_{00})+(N_{11}+N_{01})(N_{01}+N_{00})}",
    summary="The Rand index corrected for chance: 0 is what random labels of the same sizes get, 1 is perfect.",
    citation=("hubert1985comparing",),
    bounds=(-0.5, 1),
    symmetric=True,
    notes=f"{BACKGROUND}Undefined (0/0) when both sides are one segment, or both only single elements: there chance "
    "alone is perfect. scikit-learn returns 1 there; trivial=1 reproduces that. Worse than chance is below 0, at worst "
    "−1/2.",
    examples=(Example(*SIX, 8 / 33), Example(*A, 976 / 1249), Example(*ONE, None), Example(*ONE, 1, {"trivial": 1})),
)
def adjusted_rand_index(partitions: Contingency, *, trivial: float | None = None) -> FormulaValue:
    pairs = count_pairs_of_elements(partitions)
    substitute = checked_undefined(trivial)
    n11, n10, n01, n00 = _for_products(pairs)
    return FormulaValue(
        2 * (n11 * n00 - n10 * n01),
        (n11 + n10) * (n10 + n00) + (n11 + n01) * (n01 + n00),
        "both sides are one segment, or both only single elements",
        undefined=((pairs.total == 0, NO_PAIRS),),
        substitute=None if substitute is None else (partitions.n > 0, substitute),
    )


def _for_products(pairs: PairCount) -> tuple[Any, Any, Any, Any]:
    """Return the four counts, columns as Python integers where sums of two products of them are beyond int64."""
    counts = pairs.n11, pairs.n10, pairs.n01, pairs.n00
    most = int(pairs.total.max(initial=0)) if isinstance(pairs.total, np.ndarray) else 0
    if products_fit(2 * most, most):
        return counts
    n11, n10, n01, n00 = (as_python_ints(count) for count in counts)
    return n11, n10, n01, n00
