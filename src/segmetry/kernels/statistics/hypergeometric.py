r"""E[D(X, μ)] of the overlap X of two random blocks: terms of the expected mutual information [vinh2010information].

X, the overlap of two blocks of a and b of n elements, is hypergeometric with mean μ = ab/n, and
D(x, m) = x·ln(x/m) − x + m ≥ 0. No logarithm of a factorial is needed: 2⁴⁰ elements are as accurate as ten.

* **μ < 144.** Overlaps are summed outwards from ⌊μ⌋. A weight is the previous one times
  P(x+1)/P(x) = (a−x)(b−x)/((x+1)(n−a−b+x+1)), and the sum is divided by the sum of the weights. Overlaps more than 12
  standard deviations away (and 30 elements more, where the distribution is nearly Poisson) have less than 10⁻²⁰ of the
  weight and are left out; σ² ≤ μ, so at most a few hundred remain.
* **μ ≥ 144.** D is expanded: E[D] = Σ_{k≥2} (−1)^k m_k/(k(k−1)·μ^{k−1}) with the central moments m_k of X. The terms
  fall by a factor of about k/μ for every two orders; after the 25th the remainder is below 10⁻¹⁵ of the sum.

The central moments follow from E[(a−X)(b−X)·g(X+1)] = E[X(n−a−b+X)·g(X)] with g(x) = (x−μ)^k.

Logarithms are computed here from sums, products and quotients, which are rounded alike on every processor; those of the
system's library are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray
from segmetry.kernels.backend import kernel

WINDOW = 12.0
"""Standard deviations on either side of the mean that are summed."""
_EXTRA = 30  # elements beyond the window, for means so small that the distribution is nearly Poisson
_LARGE_MEAN = 144.0  # from here on the expansion in moments is exact to 1e-15, and needs no loop over overlaps
_ORDERS = 25  # terms of the expansion; they fall by about k/mean for every two orders
_NEGLIGIBLE = 1e-25  # weight relative to that of the mean; a few hundred of these stay below a rounding error
_LOG_TERMS = 12  # of artanh: with |s| <= 3 - sqrt(8) < 0.172 the next term is below 2**-60
_LN2, _ROOT_HALF = math.log(2), math.sqrt(0.5)


@dataclass(frozen=True, eq=False)
class SizePairs:
    """Pairs of block sizes a, b below n; ⌊μ⌋, and the difference of μ = ab/n to it."""

    a: FloatArray
    b: FloatArray
    n: FloatArray
    floor: FloatArray
    below: FloatArray

    @property
    def mean(self) -> FloatArray:
        """μ."""
        return self.floor + self.below

    def take(self, some: NDArray[np.bool_]) -> SizePairs:
        """Return some of the pairs."""
        return SizePairs(self.a[some], self.b[some], self.n[some], self.floor[some], self.below[some])


@kernel(lambda native, pairs: native.expected_divergences(pairs.a, pairs.b, pairs.n, pairs.floor, pairs.below))
def expected_divergences(pairs: SizePairs) -> FloatArray:
    """Return E[D(X, μ)] = E[X·ln(X/μ)] of every pair."""
    expected = np.zeros(pairs.a.size)
    large = pairs.mean >= _LARGE_MEAN
    for some, of_pairs in ((large, _by_moments), (~large, _by_overlaps)):
        if some.any():
            expected[some] = of_pairs(pairs.take(some))
    return expected


def _by_overlaps(pairs: SizePairs) -> FloatArray:
    """Return E[D(X, μ)], summed over the overlaps upwards and downwards from ⌊μ⌋."""
    a, b, n, floor, mean = pairs.a, pairs.b, pairs.n, pairs.floor, pairs.mean
    neither = n - a - b
    reach = np.ceil(WINDOW * np.sqrt(mean * (1 - a / n) * ((n - b) / (n - 1)))) + _EXTRA
    weights = np.ones(a.size)
    weighed = _scaled_divergence(-pairs.below, floor, mean)
    for step in (1.0, -1.0):
        weight = np.ones(a.size)  # becomes 0 at the first overlap that is not possible or negligible, and stays so
        for distance in range(1, int(reach.max()) + 1):
            x = floor + step * distance
            with np.errstate(over="ignore"):  # of weights that are 0 already
                if step > 0:  # from x − 1 to x
                    weight = weight * ((a - x + 1) * (b - x + 1) / (x * (neither + x)))
                else:  # from x + 1 to x
                    weight = weight * ((x + 1) * (neither + x + 1) / ((a - x) * (b - x)))
            weight[(distance > reach) | ~(weight > _NEGLIGIBLE)] = 0
            if not weight.any():
                break
            weights += weight
            weighed += weight * _scaled_divergence(step * distance - pairs.below, np.maximum(x, 0.0), mean)
    expected: FloatArray = weighed / weights
    return expected


def _scaled_divergence(off: FloatArray, x: FloatArray, mean: FloatArray) -> FloatArray:
    """Return D(x, mean) with x = mean + off; the mean where x is 0."""
    apart: FloatArray = x * log1p(np.where(x > 0, off / mean, 0.0)) - off
    return apart


def log1p(u: FloatArray) -> FloatArray:
    """Return ln(1 + u) = k·ln 2 + 2·artanh s, where 1 + u = 2ᵏ·m, √½ ≤ m < √2 and s = (m − 1)/(m + 1)."""
    mantissa, exponent = np.frexp(1 + u)
    low = mantissa < _ROOT_HALF
    mantissa, exponent = np.where(low, 2 * mantissa, mantissa), exponent - low
    near = (u >= _ROOT_HALF - 1) & (u <= 2 * _ROOT_HALF - 1)
    s = np.where(near, u / (2 + u), (mantissa - 1) / (mantissa + 1))
    square = s * s
    series = np.full(u.size, 1 / (2 * _LOG_TERMS - 1))
    for term in range(_LOG_TERMS - 2, -1, -1):
        series = series * square + 1 / (2 * term + 1)
    logs: FloatArray = 2 * s * series + np.where(near, 0, exponent) * _LN2
    return logs


def _by_moments(pairs: SizePairs) -> FloatArray:
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
            term = moments[k + 1] / (k * (k + 1) * power)
        expected += term if k % 2 else -term
    return expected
