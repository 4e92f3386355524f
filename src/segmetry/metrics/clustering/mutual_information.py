r"""Information shared by two partitions: mutual information and metrics based on it.

With n elements, block sizes a and b and overlaps s: H(T) = −Σ (a/n)·log(a/n), I = Σ (s/n)·log(n·s/(a·b)). NMI divides I
by an average of the two entropies [strehl2002cluster]; AMI first subtracts the value expected by chance
[vinh2010information]; homogeneity I/H(T), completeness I/H(H) and their harmonic mean V [rosenberg2007vmeasure].
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import as_python_ints, products_fit, ratio
from segmetry.errors import OptionError
from segmetry.metrics.clustering.expected_information import expected_mutual_information
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, ONE, SINGLES, SIX, SPLIT_UP, A
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps.contingency import Blocks, Contingency
from segmetry.segmentation.spans import Spans

AVERAGES = ("arithmetic", "geometric", "min", "max")
_QUARTERS = Spans.from_masses([2, 2]), Spans.from_masses([2, 2])
_V = ("rosenberg2007vmeasure",)


@metric(
    symbol="I",
    family="clustering",
    order=120,
    needs="contingency",
    formula=r"I = \sum_{t,h}\frac{|t\cap h|}{n}\log_2\frac{n|t\cap h|}{|t||h|}",
    summary="The mean information, in bits, that the predicted segment of an element gives about its true segment.",
    citation=("strehl2002cluster",),
    bounds=(0, math.inf),
    better="higher",
    symmetric=True,
    value_if_equal=None,
    notes=BACKGROUND + "Base 2, as the variation of information; scikit-learn's mutual_info_score is in nats.",
    examples=(Example(*SIX, 2 / 3), Example(*_QUARTERS, 1.0), Example(*SPLIT_UP, 0.0)),
)
def mutual_information(contingency: Contingency) -> Score:
    if not contingency.n:
        return Score.undefined("mutual_information", NO_ELEMENTS)
    return Score.number("mutual_information", mutual_nats(contingency) / math.log(2))


@metric(
    symbol="NMI",
    family="clustering",
    order=130,
    aliases=("normalized_mutual_information", "normalized_mutual_info_score"),
    needs="contingency",
    formula=r"\mathrm{NMI} = \frac{I}{\mathrm{avg}(H(T),H(H))}",
    summary="Mutual information as a share of the average entropy of the two sides.",
    citation=("strehl2002cluster",),
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes=BACKGROUND
    + "average is 'arithmetic' (default), 'geometric', 'min' or 'max'. Undefined (0/0) where that average is 0: both "
    "sides one segment, or one of them with 'geometric' and 'min'; scikit-learn returns 1 and 0 there. Not corrected "
    "for chance: many small segments score high (see ami).",
    examples=(
        Example(*SIX, 4 / 3 * math.log(2) / math.log(6)),
        Example(*A, 0.8312785159403911),
        Example(*ONE, None),
        Example(*SPLIT_UP, 0.0),
    ),
)
def nmi(contingency: Contingency, *, average: Literal["arithmetic", "geometric", "min", "max"] = "arithmetic") -> Score:
    return _normalised("nmi", contingency, average, chance=False)


@metric(
    symbol="AMI",
    family="clustering",
    order=140,
    aliases=("adjusted_mutual_information", "adjusted_mutual_info_score"),
    needs="contingency",
    formula=r"\mathrm{AMI} = \frac{I-\mathbb E[I]}{\mathrm{avg}(H(T),H(H))-\mathbb E[I]}",
    summary="Mutual information corrected for chance: 0 is what random segments of the same sizes get, 1 is perfect.",
    citation=("vinh2010information",),
    bounds=(-math.inf, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes=BACKGROUND
    + "The expectation is summed within 12 standard deviations, or expanded in moments (error below 1e-12 at any "
    "size). Undefined (0/0) when both sides are one segment or both only single elements, where chance alone is "
    "perfect (scikit-learn returns 1); with average='min' or 'geometric' also when one of them is. Can be below 0.",
    examples=(
        Example(*SIX, (2 / 3 - 2 / 5) / (math.log(6) / math.log(4) - 2 / 5)),
        Example(*A, 0.7906114911385863),
        Example(*ONE, None),
        Example(*SINGLES, None),
        Example(*SPLIT_UP, 0.0),
    ),
)
def ami(contingency: Contingency, *, average: Literal["arithmetic", "geometric", "min", "max"] = "arithmetic") -> Score:
    return _normalised("ami", contingency, average, chance=True)


@metric(
    symbol="h",
    family="clustering",
    order=150,
    needs="contingency",
    formula=r"h = \frac{I}{H(T)}",
    summary="The degree to which predicted segments contain elements of a single true segment.",
    citation=_V,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="completeness",
    value_if_equal=1,
    notes=BACKGROUND
    + "Undefined (0/0) when the truth is one segment; the paper and scikit-learn set 1 there (undefined=1 reproduces "
    "that).",
    examples=(
        Example(*SIX, 2 / 3),
        Example(Spans.from_masses([2, 2]), Spans.from_masses([1, 1, 2]), 1.0),
        Example(*SPLIT_UP, None),
    ),
)
def homogeneity(contingency: Contingency) -> Score:
    return _share("homogeneity", contingency, contingency.true, "the truth is one segment")


@metric(
    symbol="c",
    family="clustering",
    order=160,
    needs="contingency",
    formula=r"c = \frac{I}{H(H)}",
    summary="The degree to which the elements of a true segment are in a single predicted segment.",
    citation=_V,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="homogeneity",
    value_if_equal=1,
    notes=BACKGROUND
    + "Undefined (0/0) when the prediction is one segment; the paper and scikit-learn set 1 there (undefined=1 "
    "reproduces that).",
    examples=(
        Example(*SIX, 2 / 3 * math.log(2) / math.log(3)),
        Example(Spans.from_masses([2, 2]), Spans.from_masses([1, 1, 2]), 2 / 3),
        Example(*SPLIT_UP, 0.0),
    ),
)
def completeness(contingency: Contingency) -> Score:
    return _share("completeness", contingency, contingency.pred, "the prediction is one segment")


@metric(
    symbol="V",
    family="clustering",
    order=170,
    aliases=("vmeasure", "v_measure_score"),
    needs="contingency",
    formula=r"V = \frac{(1+\beta)\,I}{H(T)+\beta H(H)}",
    summary="The harmonic mean of homogeneity and completeness.",
    citation=_V,
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes=BACKGROUND
    + "beta is the weight of completeness; beta=1 (default) equals the NMI with the arithmetic average. Computed from "
    "the "
    "entropies, so it is 0, not undefined, where only one of homogeneity and completeness is; undefined when both "
    "sides are one segment (scikit-learn returns 1).",
    examples=(Example(*SIX, 4 / 3 * math.log(2) / math.log(6)), Example(*A, 0.8312785159403911), Example(*ONE, None)),
)
def v_measure(contingency: Contingency, *, beta: float = 1.0) -> Score:
    if not (math.isfinite(beta) and beta >= 0):
        raise OptionError(f"beta is {beta}; expected a number ≥ 0")
    if not contingency.n:
        return Score.undefined("v_measure", NO_ELEMENTS)
    # F = (1+β)·h·c/(β·h + c) with h = I/H(T), c = I/H(H).
    bottom = beta * entropy_nats(contingency.pred, contingency.n) + entropy_nats(contingency.true, contingency.n)
    return Score.of(
        "v_measure", (1 + beta) * mutual_nats(contingency), bottom, "0/0: one segment, so no entropy to explain"
    )


def entropy_nats(blocks: Blocks, n: int) -> float:
    """Return −Σ (size/n)·ln(size/n); exactly 0 for one block."""
    if blocks.number <= 1:
        return 0.0
    shares = ratio(blocks.size, np.full(blocks.size.size, n))
    return math.fsum((-shares * np.log(shares) * blocks.count).tolist())


def mutual_nats(contingency: Contingency) -> float:
    """Return Σ (s/n)·ln(n·s/(a·b)), never below 0; the logarithm of 1 + (n·s − a·b)/(a·b) is accurate near
    independence.
    """
    if contingency.true.number <= 1 or contingency.pred.number <= 1:
        return 0.0
    n: int = contingency.n
    s: NDArray[Any] = contingency.shared
    a: NDArray[Any] = contingency.true_size
    b: NDArray[Any] = contingency.pred_size
    if not products_fit(n, n):
        s, a, b = as_python_ints(s), as_python_ints(a), as_python_ints(b)
    product = a * b
    logs = np.log1p(ratio(n * s - product, product))
    shares = ratio(contingency.shared, np.full(contingency.shared.size, n))
    return max(0.0, math.fsum((shares * logs * contingency.count).tolist()))


def _share(key: str, contingency: Contingency, blocks: Blocks, reason: str) -> Score:
    if not contingency.n:
        return Score.undefined(key, NO_ELEMENTS)
    if blocks.number == 1:
        return Score.undefined(key, reason)
    return Score.number(key, min(1.0, mutual_nats(contingency) / entropy_nats(blocks, contingency.n)))


def _normalised(key: str, contingency: Contingency, average: str, *, chance: bool) -> Score:
    if average not in AVERAGES:
        raise OptionError(f"average is {average!r}; expected one of {', '.join(AVERAGES)}")
    if not contingency.n:
        return Score.undefined(key, NO_ELEMENTS)
    true, pred, n = contingency.true, contingency.pred, contingency.n
    entropies = entropy_nats(true, n), entropy_nats(pred, n)
    information = mutual_nats(contingency)
    expected = 0.0
    if chance and min(true.number, pred.number) > 1:
        if n in (true.number, pred.number):  # single elements on a side: every shuffle has the same information
            information = expected = entropies[1] if n == true.number else entropies[0]
        else:
            expected = expected_mutual_information(true, pred, n)
    bottom = _average(entropies, average) - expected
    if bottom == 0:
        by_chance = "0/0: a side is one segment or only single elements, and chance alone is perfect"
        return Score.undefined(key, by_chance if chance else "0/0: a side is one segment, so no entropy to share")
    return Score.number(key, min(1.0, (information - expected) / bottom))


def _average(entropies: tuple[float, float], average: str) -> float:
    if average == "arithmetic":
        return sum(entropies) / 2
    if average == "geometric":
        return math.sqrt(entropies[0] * entropies[1])
    return min(entropies) if average == "min" else max(entropies)
