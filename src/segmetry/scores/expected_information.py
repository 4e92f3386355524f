r"""The expected mutual information of two random partitions with given block sizes [vinh2010information].

The overlap X of two blocks of a and b of n elements is hypergeometric with mean μ = ab/n. Because E[X] = μ,

    EMI = (1/n) Σ_{a,b} E[X·ln(X/μ)] = (1/n) Σ_{a,b} E[D(X, μ)],   D(x, m) = x·ln(x/m) − x + m ≥ 0,

and nothing cancels in a sum of such terms. The weights come from Loader's form of the hypergeometric: with the four
cells x_c of the 2×2 table of two blocks and their expectations m_c, −ln P = Σ_c (D(x_c, m_c) + L(x_c)) + const, L(x) =
ln x! − (x·ln x − x). All four cells differ from their expectation by the same x − μ, which is known exactly; the
constant falls out because the weights are divided by their sum. No difference of large logarithms of factorials is ever
taken, so 2⁴⁰ elements are as good as ten.

Only overlaps within 12 standard deviations count (and 30 more elements, for distributions that are nearly Poisson):
what lies beyond has less than 10⁻²⁰ of the weight. Where the standard deviation is at least 12 the terms are so smooth
that every half standard deviation is looked at instead of every element: by Poisson's summation formula the error is of
the order of exp(−2π²·4).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.exact import FloatArray, IntArray, as_python_ints, products_fit, ratio
from segmetry.overlaps.contingency import Blocks

WINDOW = 12.0
"""Standard deviations on either side of the mean that are looked at."""
_EXTRA = 30
_SMOOTH = 12.0
_STEPS = np.arange(-WINDOW, WINDOW + 0.5, 0.5)
_PAIRS_AT_ONCE = 1024
_SMALL = np.array([0.0] + [math.log(math.factorial(k)) - (k * math.log(k) - k) for k in range(1, 32)])


def expected_mutual_information(true: Blocks, pred: Blocks, n: int) -> float:
    """In nats; relative error below 1e-12.

    >>> from numpy import array
    >>> halves = Blocks(array([2]), array([2]))
    >>> round(expected_mutual_information(halves, halves, 4), 12) == round(math.log(2) / 3, 12)
    True
    """
    terms: list[float] = []
    for count, pairs in _pairs_of_sizes(true, pred, n):
        smooth = pairs.deviation >= _SMOOTH
        for some, nodes in ((smooth, _spaced), (~smooth, _every)):
            if some.any():
                chosen = pairs.take(some)
                terms += (count[some] * _expected(chosen, *nodes(chosen))).tolist()
    return math.fsum(terms) / n


@dataclass(frozen=True, eq=False)
class _SizePairs:
    """Pairs of block sizes a, b among n elements, the whole part of μ = ab/n, and how far it lies below μ."""

    a: FloatArray
    b: FloatArray
    n: float
    floor: FloatArray
    off: FloatArray

    @cached_property
    def deviation(self) -> FloatArray:
        """The standard deviation of the overlap of two such blocks."""
        a, b, n = self.a, self.b, self.n
        found: FloatArray = np.sqrt((a / n) * (b / n) * (n - a) * ((n - b) / (n - 1)))
        return found

    def take(self, some: NDArray[np.bool_]) -> _SizePairs:
        return _SizePairs(self.a[some], self.b[some], self.n, self.floor[some], self.off[some])


def _pairs_of_sizes(true: Blocks, pred: Blocks, n: int) -> Iterator[tuple[FloatArray, _SizePairs]]:
    """Every two sizes that occur, some at a time, and how many pairs of blocks have them.

    A block of all n elements shares everything with everybody and tells nothing: it is left out.
    """
    true_sizes, true_counts = _sizes(true, n)
    pred_sizes, pred_counts = _sizes(pred, n)
    for start in range(0, true_sizes.size * pred_sizes.size, _PAIRS_AT_ONCE):
        stop = min(start + _PAIRS_AT_ONCE, true_sizes.size * pred_sizes.size)
        at_true, at_pred = np.divmod(np.arange(start, stop), pred_sizes.size)
        a: NDArray[Any] = true_sizes[at_true]
        b: NDArray[Any] = pred_sizes[at_pred]
        if not products_fit(n, n):
            a, b = as_python_ints(a), as_python_ints(b)
        floor = a * b // n
        off = ratio(floor * n - a * b, np.full(floor.size, n))
        pairs = _SizePairs(a.astype(np.float64), b.astype(np.float64), float(n), floor.astype(np.float64), off)
        yield true_counts[at_true].astype(np.float64) * pred_counts[at_pred], pairs


def _sizes(blocks: Blocks, n: int) -> tuple[IntArray, IntArray]:
    """The sizes below n that occur, and the number of blocks that have each."""
    part = blocks.size < n
    sizes, at = np.unique(blocks.size[part], return_inverse=True)
    counts = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(counts, at, blocks.count[part])
    return sizes, counts


Nodes = tuple[NDArray[np.intp], FloatArray]


def _every(pairs: _SizePairs) -> Nodes:
    """Every possible overlap in the window: the pair it belongs to, and its distance from ``floor``."""
    reach = np.ceil(WINDOW * pairs.deviation) + _EXTRA
    low = np.maximum(pairs.floor - reach, np.maximum(0.0, pairs.a + pairs.b - pairs.n))
    high = np.minimum(pairs.floor + reach, np.minimum(pairs.a, pairs.b))
    width = (high - low + 1).astype(np.int64)
    owner = np.repeat(np.arange(width.size), width)
    within = np.arange(owner.size) - np.repeat(np.cumsum(width) - width, width)
    return owner, within + (low - pairs.floor)[owner]


def _spaced(pairs: _SizePairs) -> Nodes:
    """Half a standard deviation apart over the same window. σ² never exceeds the expectation of a cell, so from
    σ = 12 on all of the window is possible.
    """
    owner = np.repeat(np.arange(pairs.a.size), _STEPS.size)
    return owner, (pairs.deviation[:, None] * _STEPS).ravel()


def _expected(pairs: _SizePairs, owner: NDArray[np.intp], steps: FloatArray) -> FloatArray:
    """E[D(X, μ)] of every pair of sizes over the given nodes."""
    a, b, n, floor = pairs.a, pairs.b, pairs.n, pairs.floor
    apart = steps + pairs.off[owner]
    divergence = _divergence(apart, (a / n * b)[owner])
    minus_log = divergence + _factorial_rest(floor[owner] + steps)
    for mean, at_floor, sign in (
        (a / n * (n - b), a - floor, -1.0),
        (b / n * (n - a), b - floor, -1.0),
        ((n - a) / n * (n - b), n - a - b + floor, 1.0),
    ):
        minus_log += _divergence(sign * apart, mean[owner]) + _factorial_rest(at_floor[owner] + sign * steps)
    starts = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
    weights = np.exp(np.minimum.reduceat(minus_log, starts)[owner] - minus_log)
    expected: FloatArray = np.add.reduceat(weights * divergence, starts) / np.add.reduceat(weights, starts)
    return expected


def _divergence(off: FloatArray, mean: FloatArray) -> FloatArray:
    """D(mean + off, mean) = mean·φ(off/mean), φ(u) = (1+u)·ln(1+u) − u, by its series where u is small."""
    u = off / mean
    near = np.abs(u) < 0.125
    found = np.empty(u.size)
    v = u[near] / (2 + u[near])
    square = v * v
    series = np.zeros(v.size)
    for k in range(8, 0, -1):
        series = square * (series + 1.0 / (2 * k + 1))
    # ln(1+u) = 2·artanh(v); of (1+u)·2v(1 + series) − u only u·v stays beside the series: nothing cancels.
    found[near] = u[near] * v + 2 * (1 + u[near]) * v * series
    far = np.maximum(u[~near], -1.0)
    logs = np.zeros(far.size)
    np.log1p(far, out=logs, where=far > -1.0)
    found[~near] = (1 + far) * logs - far
    return mean * found


def _factorial_rest(x: FloatArray) -> FloatArray:
    """L(x) = ln Γ(x+1) − (x·ln x − x): a table for small whole numbers, Stirling's series beyond."""
    large = np.maximum(x, 31.5)
    inverse = 1.0 / large
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)))
    rest = 0.5 * np.log(2 * math.pi * large) + series
    small = x < 31.5
    rest[small] = _SMALL[np.rint(x[small]).astype(np.intp)]
    return rest
