r"""Information shared by two partitions: mutual information and metrics based on it.

NMI divides the information by an average of the two entropies [strehl2002cluster]; AMI first subtracts the value
expected by chance [vinh2010information]; V is the harmonic mean of homogeneity and completeness
[rosenberg2007vmeasure].

The expected mutual information of two random partitions with given block sizes [vinh2010information].

The overlap X of two blocks of a and b of n elements is hypergeometric with mean μ = ab/n. Because E[X] = μ,

    EMI = (1/n) Σ_{a,b} E[X·ln(X/μ)] = (1/n) Σ_{a,b} E[D(X, μ)],   D(x, m) = x·ln(x/m) − x + m ≥ 0,

and there is no cancellation in a sum of such terms (:mod:`segmetry.kernels.statistics.hypergeometric`).
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    as_python_ints,
    check_choice,
    computed_once,
    is_new,
    magnitude_bound,
    products_fit,
    ratio,
)
from segmetry.errors import OptionError
from segmetry.kernels import SizePairs, expected_divergences, group_sums
from segmetry.metrics.batches.partition_formula import FormulaValue, number_or_column, quotient_or_nan
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, ONE, SINGLES, SIX, SPLIT_UP, A
from segmetry.metrics.declare import Example, metric
from segmetry.overlaps import Blocks, Contingency
from segmetry.segmentation import Spans

_PAIRS_AT_ONCE = 1 << 13


def expected_mutual_information(true: Blocks, pred: Blocks, n: Any, *, wanted: Any = True) -> Any:
    """Return the expected mutual information in nats, with a relative error below 1e-12; 0 where it is not ``wanted``.

    ``n`` and ``wanted`` are numbers for the blocks of one item, and columns for those of many.
    """
    elements, is_wanted = np.array(n, ndmin=1), np.array(wanted, ndmin=1)
    if not is_wanted.any():
        return np.zeros(elements.size) if np.ndim(n) else 0.0
    sizes = _block_sizes(true, pred, elements, is_wanted)
    ends = sizes.pair_starts[1:]
    sums = np.zeros(elements.size)
    first = 0
    while first < elements.size:  # as many items as have a batch of pairs, at least one
        done = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(ends.searchsorted(done + _PAIRS_AT_ONCE, side="right")))
        sums[first:last] = _summed_divergences(sizes, elements, first, last)
        first = last
    expected = np.divide(sums, elements, out=np.zeros(elements.size), where=is_wanted)
    return expected if np.ndim(n) else float(expected[0])


class _BlockSizes(NamedTuple):
    """The sizes that occur among the blocks of an item's side, and the number of blocks of each size.

    Those of the predictions of all items follow those of the truths. ``pair_starts`` counts pairs of a true and a
    predicted size of one item.
    """

    size: IntArray
    n_blocks: IntArray
    true_starts: IndexArray
    pred_starts: IndexArray
    n_pred: IndexArray
    pair_starts: IndexArray


def _block_sizes(true: Blocks, pred: Blocks, n: IntArray, wanted: BoolArray) -> _BlockSizes:
    """Return the sizes in wanted items; a block of all n elements carries no information and is left out."""
    size, count = np.concatenate((true.size, pred.size)), np.concatenate((true.count, pred.count))
    numbers = np.concatenate(
        [[side.size.size] if side.starts is None else np.diff(side.starts) for side in (true, pred)]
    )
    item = np.repeat(np.arange(2 * n.size), numbers)
    part = size < np.where(wanted, n, 0)[item % n.size]
    item, size, count = item[part], size[part], count[part]
    order = np.lexsort((size, item))
    item, size, count = item[order], size[order], count[order]
    first = is_new(size, item).nonzero()[0]
    starts = item[first].searchsorted(np.arange(2 * n.size + 1))
    true_starts, pred_starts = starts[: n.size], starts[n.size : -1]
    n_sizes = starts[1:] - starts[:-1]
    n_pairs = n_sizes[: n.size] * n_sizes[n.size :]
    pair_starts = np.concatenate(([0], n_pairs.cumsum()))
    counts = np.add.reduceat(count, first) if first.size else count
    return _BlockSizes(size[first], counts, true_starts, pred_starts, n_sizes[n.size :], pair_starts)


def _summed_divergences(sizes: _BlockSizes, n: IntArray, first: int, last: int) -> FloatArray:
    """Return Σ count · E[D(X, μ)] over all pairs of sizes of the given items."""
    starts = sizes.pair_starts[first : last + 1]
    terms = np.empty(int(starts[-1] - starts[0]))
    for begin in range(0, terms.size, _PAIRS_AT_ONCE):  # an item with many sizes alone exceeds a batch
        at = np.arange(begin, min(begin + _PAIRS_AT_ONCE, terms.size)) + starts[0]
        item = sizes.pair_starts.searchsorted(at, side="right") - 1
        at_true, at_pred = np.divmod(at - sizes.pair_starts[item], sizes.n_pred[item])
        at_true, at_pred = at_true + sizes.true_starts[item], at_pred + sizes.pred_starts[item]
        count = sizes.n_blocks[at_true].astype(np.float64) * sizes.n_blocks[at_pred]
        pairs = _size_pairs(sizes.size[at_true], sizes.size[at_pred], n[item])
        terms[begin : begin + at.size] = count * expected_divergences(pairs)
    return group_sums(terms, starts - starts[0])


def _size_pairs(a: Any, b: Any, n: Any) -> SizePairs:
    largest = magnitude_bound(n)
    if not products_fit(largest, largest):
        a, b, n = (as_python_ints(column) for column in (a, b, n))
    floor = a * b // n
    below = ratio(a * b - floor * n, n)
    return SizePairs(*(column.astype(np.float64) for column in (a, b, n, floor, below)))


_QUARTERS = Spans.from_masses([2, 2]), Spans.from_masses([2, 2])
_V = ("rosenberg2007vmeasure",)


@metric(
    order=120,
    formula=r"I = \sum_{t,h}\frac{|t\cap h|}{n}\log_2\frac{n|t\cap h|}{|t||h|}",
    summary="The mean information, in bits, that the predicted segment of an element gives about its true segment.",
    citation=("strehl2002cluster",),
    bounds=(0, math.inf),
    symmetric=True,
    value_if_equal=None,
    notes=BACKGROUND + "Base 2, as the variation of information; scikit-learn's mutual_info_score is in nats.",
    examples=(Example(*SIX, 2 / 3), Example(*_QUARTERS, 1.0), Example(*SPLIT_UP, 0.0)),
)
def mutual_information(partitions: Contingency) -> FormulaValue:
    return FormulaValue(mutual_nats(partitions) / math.log(2), undefined=_no_elements(partitions))


@metric(
    symbol="NMI",
    aliases=("normalized_mutual_information", "normalized_mutual_info_score"),
    formula=r"\mathrm{NMI} = \frac{I}{\mathrm{avg}(H(T),H(H))}",
    summary="Mutual information as a share of the average entropy of the two sides.",
    citation=("strehl2002cluster",),
    symmetric=True,
    notes=f"{BACKGROUND}average is 'arithmetic' (default), 'geometric', 'min' or 'max'. Undefined (0/0) where that "
    "average is 0: both sides one segment, or one of them with 'geometric' and 'min'; scikit-learn returns 1 and 0 "
    "there. Not corrected for chance: many small segments score high (see ami).",
    examples=(
        Example(*SIX, 4 / 3 * math.log(2) / math.log(6)),
        Example(*A, 0.8312785159403911),
        Example(*ONE, None),
        Example(*SPLIT_UP, 0.0),
    ),
)
def nmi(
    partitions: Contingency, *, average: Literal["arithmetic", "geometric", "min", "max"] = "arithmetic"
) -> FormulaValue:
    return _normalised_information(partitions, average, chance=False)


@metric(
    symbol="AMI",
    aliases=("adjusted_mutual_information", "adjusted_mutual_info_score"),
    formula=r"\mathrm{AMI} = \frac{I-\mathbb E[I]}{\mathrm{avg}(H(T),H(H))-\mathbb E[I]}",
    summary="Mutual information corrected for chance: 0 is what random segments of the same sizes get, 1 is perfect.",
    citation=("vinh2010information",),
    bounds=(-math.inf, 1),
    symmetric=True,
    notes=f"{BACKGROUND}The expectation is summed within 12 standard deviations, or expanded in moments (error below "
    "1e-12 at any size). Undefined (0/0) when both sides are one segment or both only single elements, where chance "
    "alone is perfect (scikit-learn returns 1); with average='min' or 'geometric' also when one of them is. Can be "
    "below 0.",
    examples=(
        Example(*SIX, (2 / 3 - 2 / 5) / (math.log(6) / math.log(4) - 2 / 5)),
        Example(*A, 0.7906114911385863),
        Example(*ONE, None),
        Example(*SINGLES, None),
        Example(*SPLIT_UP, 0.0),
    ),
)
def ami(
    partitions: Contingency, *, average: Literal["arithmetic", "geometric", "min", "max"] = "arithmetic"
) -> FormulaValue:
    return _normalised_information(partitions, average, chance=True)


@metric(
    formula=r"h = \frac{I}{H(T)}",
    summary="The degree to which predicted segments contain elements of a single true segment.",
    citation=_V,
    swaps_with="completeness",
    notes=f"{BACKGROUND}Undefined (0/0) when the truth is one segment; the paper and scikit-learn set 1 there "
    "(undefined=1 reproduces that).",
    examples=(
        Example(*SIX, 2 / 3),
        Example(Spans.from_masses([2, 2]), Spans.from_masses([1, 1, 2]), 1.0),
        Example(*SPLIT_UP, None),
    ),
)
def homogeneity(partitions: Contingency) -> FormulaValue:
    return _explained_share(partitions, partitions.true, "the truth is one segment")


@metric(
    formula=r"c = \frac{I}{H(H)}",
    summary="The degree to which the elements of a true segment are in a single predicted segment.",
    citation=_V,
    notes=f"{BACKGROUND}Undefined (0/0) when the prediction is one segment; the paper and scikit-learn set 1 there "
    "(undefined=1 reproduces that).",
    examples=(
        Example(*SIX, 2 / 3 * math.log(2) / math.log(3)),
        Example(Spans.from_masses([2, 2]), Spans.from_masses([1, 1, 2]), 2 / 3),
        Example(*SPLIT_UP, 0.0),
    ),
)
def completeness(partitions: Contingency) -> FormulaValue:
    return _explained_share(partitions, partitions.pred, "the prediction is one segment")


@metric(
    aliases=("vmeasure", "v_measure_score"),
    formula=r"V = \frac{(1+\beta)\,I}{H(T)+\beta H(H)}",
    summary="The harmonic mean of homogeneity and completeness.",
    citation=_V,
    symmetric=True,
    notes=f"{BACKGROUND}beta is the weight of completeness; beta=1 (default) equals the NMI with the arithmetic "
    "average. Computed from the entropies, so it is 0, not undefined, where only one of homogeneity and completeness "
    "is; undefined when both sides are one segment (scikit-learn returns 1).",
    examples=(Example(*SIX, 4 / 3 * math.log(2) / math.log(6)), Example(*A, 0.8312785159403911), Example(*ONE, None)),
)
def v_measure(partitions: Contingency, *, beta: float = 1.0) -> FormulaValue:
    if not (math.isfinite(beta) and beta >= 0):
        raise OptionError(f"beta is {beta}; expected a number ≥ 0")
    # F = (1+β)·h·c/(β·h + c) with h = I/H(T), c = I/H(H).
    true, pred = entropies_nats(partitions)
    return FormulaValue(
        (1 + beta) * mutual_nats(partitions),
        beta * pred + true,
        "0/0: one segment, so no entropy to explain",
        undefined=_no_elements(partitions),
    )


@computed_once
def entropies_nats(partitions: Contingency) -> tuple[Any, Any]:
    """Return the entropies of both sides."""
    return entropy_nats(partitions, partitions.true), entropy_nats(partitions, partitions.pred)


def entropy_nats(partitions: Contingency, blocks: Blocks) -> Any:
    """Return −Σ (size/n)·ln(size/n) of a side; exactly 0 for one block."""
    shares = ratio(blocks.size, partitions.n_of(blocks))
    return partitions.sum_of(blocks, -shares * np.log(shares) * blocks.count)


@computed_once
def mutual_nats(partitions: Contingency) -> Any:
    """Return Σ (s/n)·ln(n·s/(a·b)), never below 0 and exactly 0 for one block; the logarithm of 1 + (n·s − a·b)/(a·b)
    is accurate near independence.
    """
    n: NDArray[Any] = partitions.n_of_cells
    s: NDArray[Any] = partitions.shared
    a: NDArray[Any] = partitions.true_size
    b: NDArray[Any] = partitions.pred_size
    if partitions.is_wide:
        n, s, a, b = (as_python_ints(column) for column in (n, s, a, b))
    product = a * b
    logs = np.log1p(ratio(n * s - product, product))
    shares = ratio(partitions.shared, partitions.n_of_cells)
    return number_or_column(np.maximum(0.0, partitions.sum_of_cells(shares * logs * partitions.count)))


def _no_elements(partitions: Contingency) -> tuple[tuple[Any, str], ...]:
    return ((partitions.n == 0, NO_ELEMENTS),)


def _explained_share(partitions: Contingency, blocks: Blocks, reason: str) -> FormulaValue:
    true, pred = entropies_nats(partitions)
    share = quotient_or_nan(mutual_nats(partitions), true if blocks is partitions.true else pred)
    return FormulaValue(np.minimum(1.0, share), undefined=(*_no_elements(partitions), (blocks.number == 1, reason)))


def _normalised_information(partitions: Contingency, average: str, *, chance: bool) -> FormulaValue:
    check_choice("average", average, ("arithmetic", "geometric", "min", "max"))
    entropies = entropies_nats(partitions)
    information, expected = _with_chance(partitions) if chance else (mutual_nats(partitions), 0.0)
    bottom = _average_entropy(entropies, average) - expected
    by_chance = "0/0: a side is one segment or only single elements, and chance alone is perfect"
    reason = by_chance if chance else "0/0: a side is one segment, so no entropy to share"
    share = quotient_or_nan(information - expected, bottom)
    return FormulaValue(np.minimum(1.0, share), undefined=(*_no_elements(partitions), (bottom == 0, reason)))


@computed_once
def _with_chance(partitions: Contingency) -> tuple[Any, Any]:
    """Return the information, and what is expected of it by chance.

    Where a side has only single elements, every shuffle has the same information: the entropy of the other side.
    """
    n, true, pred = partitions.n, partitions.true.number, partitions.pred.number
    several = np.minimum(true, pred) > 1
    only_single = several & ((true == n) | (pred == n))
    of_other = np.where(true == n, *reversed(entropies_nats(partitions)))
    expected = expected_mutual_information(
        partitions.true, partitions.pred, partitions.n, wanted=several & np.logical_not(only_single)
    )
    information = np.where(only_single, of_other, mutual_nats(partitions))
    return number_or_column(information), number_or_column(np.where(only_single, of_other, expected))


def _average_entropy(entropies: tuple[Any, Any], average: str) -> Any:
    if average == "arithmetic":
        return sum(entropies) / 2
    if average == "geometric":
        return np.sqrt(entropies[0] * entropies[1])
    return np.minimum(*entropies) if average == "min" else np.maximum(*entropies)
