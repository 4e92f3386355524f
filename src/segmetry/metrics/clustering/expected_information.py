r"""The expected mutual information of two random partitions with given block sizes [vinh2010information].

The overlap X of two blocks of a and b of n elements is hypergeometric with mean μ = ab/n. Because E[X] = μ,

    EMI = (1/n) Σ_{a,b} E[X·ln(X/μ)] = (1/n) Σ_{a,b} E[D(X, μ)],   D(x, m) = x·ln(x/m) − x + m ≥ 0,

and there is no cancellation in a sum of such terms. No logarithm of a factorial is needed: 2⁴⁰ elements are as
accurate as ten.

* **μ < 144.** Overlaps are summed outwards from ⌊μ⌋. A weight is the previous one times
  P(x+1)/P(x) = (a−x)(b−x)/((x+1)(n−a−b+x+1)), and the sum is divided by the sum of the weights. Overlaps more than 12
  standard deviations away (and 30 elements more, where the distribution is nearly Poisson) have less than 10⁻²⁰ of the
  weight and are left out; σ² ≤ μ, so at most a few hundred remain.
* **μ ≥ 144.** D is expanded: E[D] = Σ_{k≥2} (−1)^k m_k/(k(k−1)·μ^{k−1}) with the central moments m_k of X. The terms
  fall by a factor of about k/μ for every two orders; after the 25th the remainder is below 10⁻¹⁵ of the sum.

The central moments follow from E[(a−X)(b−X)·g(X+1)] = E[X(n−a−b+X)·g(X)] with g(x) = (x−μ)^k.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray, as_python_ints, products_fit, ratio
from segmetry.overlaps.contingency import Blocks

WINDOW = 12.0
"""Standard deviations on either side of the mean that are summed."""
_EXTRA = 30
_LARGE_MEAN = 144.0
_ORDERS = 25
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
        large = pairs.mean >= _LARGE_MEAN
        for some, expected in ((large, _by_moments), (~large, _by_overlaps)):
            if some.any():
                terms += (count[some] * expected(pairs.take(some))).tolist()
    return math.fsum(terms) / n


@dataclass(frozen=True, eq=False)
class _SizePairs:
    """Pairs of block sizes a, b among n elements; ⌊μ⌋, and the difference of μ = ab/n to it."""

    a: FloatArray
    b: FloatArray
    n: float
    floor: FloatArray
    below: FloatArray

    @property
    def mean(self) -> FloatArray:
        """μ."""
        return self.floor + self.below

    def take(self, some: NDArray[np.bool_]) -> _SizePairs:
        """Return some of the pairs."""
        return _SizePairs(self.a[some], self.b[some], self.n, self.floor[some], self.below[some])


def _pairs_of_sizes(true: Blocks, pred: Blocks, n: int) -> Iterator[tuple[FloatArray, _SizePairs]]:
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
        pairs = _SizePairs(a.astype(np.float64), b.astype(np.float64), float(n), floor.astype(np.float64), below)
        yield true_counts[at_true].astype(np.float64) * pred_counts[at_pred], pairs


def _sizes(blocks: Blocks, n: int) -> tuple[IntArray, IntArray]:
    """Return the sizes below n that occur, and the number of blocks of each."""
    part = blocks.size < n
    sizes, at = np.unique(blocks.size[part], return_inverse=True)
    counts = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(counts, at, blocks.count[part])
    return sizes, counts


def _by_overlaps(pairs: _SizePairs) -> FloatArray:
    """Return E[D(X, μ)], summed over the overlaps upwards and downwards from ⌊μ⌋."""
    a, b, n, floor, mean = pairs.a, pairs.b, pairs.n, pairs.floor, pairs.mean
    neither = n - a - b
    deviation = np.sqrt(mean * (1 - a / n) * ((n - b) / (n - 1)))
    reach = int(np.ceil(WINDOW * deviation.max())) + _EXTRA
    weights = np.ones(a.size)
    weighed = _divergence(-pairs.below, floor, mean)
    for step in (1.0, -1.0):
        weight = np.ones(a.size)  # becomes 0 at the first overlap that is not possible, and stays so
        for distance in range(1, reach + 1):
            x = floor + step * distance
            if step > 0:  # from x − 1 to x
                weight *= (a - x + 1) * (b - x + 1) / (x * (neither + x))
            else:  # from x + 1 to x
                weight *= (x + 1) * (neither + x + 1) / ((a - x) * (b - x))
            if not (weight > 1e-25).any():
                break
            weights += weight
            weighed += weight * _divergence(step * distance - pairs.below, np.maximum(x, 0.0), mean)
    expected: FloatArray = weighed / weights
    return expected


def _divergence(off: FloatArray, x: FloatArray, mean: FloatArray) -> FloatArray:
    """Return D(x, mean) with x = mean + off; the mean where x is 0."""
    logs = np.zeros(x.size)
    np.log1p(off / mean, out=logs, where=x > 0)
    apart: FloatArray = x * logs - off
    return apart


def _by_moments(pairs: _SizePairs) -> FloatArray:
    """Return E[D(X, μ)] by its expansion in central moments; with δ = X − μ the identity for g(x) = (x−μ)^k reads

    (n−k)·m_{k+1} = μν·Σ C(k,j)·m_j − (A+B)·Σ C(k,j)·m_{j+1} + Σ' C(k,j)·m_{j+2},   j < k, in Σ' j < k−1,

    where A = a − μ, B = b − μ and ν = n − a − b + μ are the expectations of the other three cells, AB = μν.
    """
    a, b, n, mean = pairs.a, pairs.b, pairs.n, pairs.mean
    product, sides = mean * ((n - a) * ((n - b) / n)), a + b - 2 * mean
    moments = [np.ones(a.size), np.zeros(a.size)]
    expected = np.zeros(a.size)
    power = np.ones(a.size)
    for k in range(1, _ORDERS):
        total = np.zeros(a.size)
        for j in range(k):
            inner = product * moments[j] - sides * moments[j + 1]
            total += math.comb(k, j) * (inner + moments[j + 2] if j < k - 1 else inner)
        moments.append(total / (n - k))
        with np.errstate(over="ignore"):  # a mean so large that its power overflows needs no more terms
            power = power * mean
        expected += (-1) ** (k + 1) * moments[k + 1] / (k * (k + 1) * power)
    return expected
