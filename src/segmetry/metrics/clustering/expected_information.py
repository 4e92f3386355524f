r"""The expected mutual information of two random partitions with given block sizes [vinh2010information].

The overlap X of two blocks of a and b of n elements is hypergeometric with mean μ = ab/n. Because E[X] = μ,

    EMI = (1/n) Σ_{a,b} E[X·ln(X/μ)] = (1/n) Σ_{a,b} E[D(X, μ)],   D(x, m) = x·ln(x/m) − x + m ≥ 0,

and there is no cancellation in a sum of such terms (:mod:`segmetry.kernels.statistics.hypergeometric`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray, as_python_ints, products_fit, ratio
from segmetry.kernels.statistics.hypergeometric import SizePairs, expected_divergences
from segmetry.overlaps.contingency import Blocks

_PAIRS_AT_ONCE = 1 << 13


def expected_mutual_information(true: Blocks, pred: Blocks, n: int) -> float:
    """Return the expected mutual information in nats, with a relative error below 1e-12.

    >>> from numpy import array
    >>> halves = Blocks(array([2]), array([2]))
    >>> round(expected_mutual_information(halves, halves, 4), 12) == round(math.log(2) / 3, 12)
    True
    """
    terms: list[float] = []
    for count, pairs in _pairs_of_sizes(true, pred, n):
        terms += (count * expected_divergences(pairs)).tolist()
    return math.fsum(terms) / n


def _pairs_of_sizes(true: Blocks, pred: Blocks, n: int) -> Iterator[tuple[FloatArray, SizePairs]]:
    """Yield batches of all pairs of sizes that occur, and the number of pairs of blocks of these sizes.

    A block of all n elements carries no information and is left out.
    """
    true_sizes, true_counts = _sizes(true, n)
    pred_sizes, pred_counts = _sizes(pred, n)
    total = true_sizes.size * pred_sizes.size
    for start in range(0, total, _PAIRS_AT_ONCE):
        at_true, at_pred = np.divmod(np.arange(start, min(start + _PAIRS_AT_ONCE, total)), pred_sizes.size)
        a: NDArray[Any] = true_sizes[at_true]
        b: NDArray[Any] = pred_sizes[at_pred]
        if not products_fit(n, n):
            a, b = as_python_ints(a), as_python_ints(b)
        floor = a * b // n
        below = ratio(a * b - floor * n, np.full(floor.size, n))
        pairs = SizePairs(*(column.astype(np.float64) for column in (a, b, np.full(a.size, n), floor, below)))
        yield true_counts[at_true].astype(np.float64) * pred_counts[at_pred], pairs


def _sizes(blocks: Blocks, n: int) -> tuple[IntArray, IntArray]:
    """Return the sizes below n that occur, and the number of blocks of each."""
    part = blocks.size < n
    sizes, at = np.unique(blocks.size[part], return_inverse=True)
    counts = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(counts, at, blocks.count[part])
    return sizes, counts
