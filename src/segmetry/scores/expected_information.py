r"""The expected mutual information of two random partitions with given block sizes [vinh2010information].

The overlap X of two blocks of a and b of n elements is hypergeometric with mean μ = ab/n. Because E[X] = μ,

    EMI = (1/n) Σ_{a,b} E[X·ln(X/μ)] = (1/n) Σ_{a,b} E[D(X, μ)],   D(x, m) = x·ln(x/m) − x + m ≥ 0,

and nothing cancels in a sum of such terms. The weights come from Loader's form of the hypergeometric: with the four cells x_c of the
2×2 table of two blocks and their expectations m_c, −ln P = Σ_c (D(x_c, m_c) + L(x_c)) + const, L(x) = ln x! − (x·ln x − x). All four cells
differ from their expectation by the same x − μ, which is known exactly; the constant falls out because the weights are divided by their sum.
No difference of large logarithms of factorials is ever taken, so 2⁴⁰ elements are as good as ten.

Only overlaps within 12 standard deviations count (and 30 more elements, for distributions that are nearly Poisson): what lies beyond has
less than 10⁻²⁰ of the weight. Where the standard deviation is at least 12 the terms are so smooth that every half standard deviation is
looked at instead of every element: by Poisson's summation formula the error is of the order of exp(−2π²·4).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from segmetry.exact import FloatArray
from segmetry.overlaps.contingency import Blocks

WINDOW = 12.0
_EXTRA = 30
_SMOOTH = 12.0
_STEPS = 24
_NODES_AT_ONCE = 1 << 18
_SMALL = np.array([0.0] + [math.log(math.factorial(k)) - (k * math.log(k) - k) for k in range(1, 32)])


def expected_mutual_information(true: Blocks, pred: Blocks, n: int) -> float:
    """In nats; relative error below 1e-12.

    >>> from numpy import array
    >>> halves = Blocks(array([2]), array([2]))
    >>> round(expected_mutual_information(halves, halves, 4), 12) == round(math.log(2) / 3, 12)
    True
    """
    trues, preds = _sizes(true), _sizes(pred)
    terms: list[float] = []
    smooth: list[tuple[int, int, int, float]] = []
    listed: list[tuple[int, int, int, float]] = []
    for a, how_many in trues:
        for b, how_many_preds in preds:
            deviation = math.sqrt(a * b * (n - a) * (n - b) / (n * n * max(n - 1, 1)))
            if a < n and b < n:
                (smooth if deviation >= _SMOOTH else listed).append((a, b, how_many * how_many_preds, deviation))
    for group, nodes in ((smooth, _spaced), (listed, _every)):
        for chunk in _chunks(group):
            a, b, count, deviation = (np.array(column, dtype=np.float64) for column in zip(*chunk, strict=True))
            mode = [x * y // n for x, y, _, _ in chunk]
            rest = np.array([(m * n - x * y) / n for m, (x, y, _, _) in zip(mode, chunk, strict=True)])
            owner, steps = nodes(a, b, float(n), np.array(mode, dtype=np.float64), deviation)
            terms += (count * _expected(a, b, float(n), np.array(mode, dtype=np.float64), rest, owner, steps)).tolist()
    return math.fsum(terms) / n


def _sizes(blocks: Blocks) -> list[tuple[int, int]]:
    """Each size with the number of blocks that have it."""
    sizes, at = np.unique(blocks.size, return_inverse=True)
    counts = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(counts, at, blocks.count)
    return list(zip(sizes.tolist(), counts.tolist(), strict=True))


def _chunks(pairs: list[tuple[int, int, int, float]]) -> Iterator[list[tuple[int, int, int, float]]]:
    """Pairs of blocks whose nodes fit in memory together."""
    chunk: list[tuple[int, int, int, float]] = []
    nodes = 0
    for pair in pairs:
        width = min(2 * (WINDOW * pair[3] + _EXTRA), min(pair[0], pair[1])) + 2
        nodes += int(min(width, 4 * _STEPS + 1))
        chunk.append(pair)
        if nodes >= _NODES_AT_ONCE:
            yield chunk
            chunk, nodes = [], 0
    if chunk:
        yield chunk


def _every(
    a: FloatArray, b: FloatArray, n: float, mode: FloatArray, deviation: FloatArray
) -> tuple[NDArray[np.intp], FloatArray]:
    """Every possible overlap in the window, as its distance from the mode; and the pair of blocks it belongs to."""
    reach = np.ceil(WINDOW * deviation) + _EXTRA
    low = np.maximum(mode - reach, np.maximum(0.0, a + b - n))
    high = np.minimum(mode + reach, np.minimum(a, b))
    width = (high - low + 1).astype(np.int64)
    owner = np.repeat(np.arange(a.size), width)
    within = np.arange(owner.size) - np.repeat(np.cumsum(width) - width, width)
    return owner, within + (low - mode)[owner]


def _spaced(
    a: FloatArray, b: FloatArray, n: float, mode: FloatArray, deviation: FloatArray
) -> tuple[NDArray[np.intp], FloatArray]:
    """Half a standard deviation apart, over the same window; σ² never exceeds a cell's expectation, so all of it is possible."""
    steps = np.arange(-_STEPS, _STEPS + 1) * (WINDOW / _STEPS)
    return np.repeat(np.arange(a.size), steps.size), (deviation[:, None] * steps).ravel()


def _expected(
    a: FloatArray, b: FloatArray, n: float, mode: FloatArray, rest: FloatArray, owner: NDArray[np.intp], steps: FloatArray
) -> FloatArray:
    """E[D(X, μ)] of every pair of blocks over the given nodes (their distances from the mode)."""
    off = steps + rest[owner]
    minus_log = np.zeros(owner.size)
    divergence = np.zeros(owner.size)
    cells = (
        (a * b / n, mode, 1.0),
        (a * (n - b) / n, a - mode, -1.0),
        ((n - a) * b / n, b - mode, -1.0),
        ((n - a) * (n - b) / n, n - a - b + mode, 1.0),
    )
    for at, (mean, at_mode, sign) in enumerate(cells):
        apart = _divergence(sign * off, mean[owner])
        minus_log += apart + _factorial_rest(at_mode[owner] + sign * steps)
        if at == 0:
            divergence = apart
    starts = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
    least = np.minimum.reduceat(minus_log, starts)
    weights = np.exp(least[owner] - minus_log)
    mean_divergence: FloatArray = np.add.reduceat(weights * divergence, starts) / np.add.reduceat(weights, starts)
    return mean_divergence


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
