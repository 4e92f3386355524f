r"""The expected mutual information of two random partitions with given block sizes [vinh2010information].

The overlap X of two blocks of a and b of n elements is hypergeometric with mean μ = ab/n. Because E[X] = μ,

    EMI = (1/n) Σ_{a,b} E[X·ln(X/μ)] = (1/n) Σ_{a,b} E[D(X, μ)],   D(x, m) = x·ln(x/m) − x + m ≥ 0,

and there is no cancellation in a sum of such terms (:mod:`segmetry.kernels.statistics.hypergeometric`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from segmetry._base import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    as_python_ints,
    is_new,
    magnitude_bound,
    products_fit,
    ratio,
)
from segmetry.kernels import SizePairs, expected_divergences, group_sums
from segmetry.overlaps import Blocks

_PAIRS_AT_ONCE = 1 << 13


def expected_mutual_information(true: Blocks, pred: Blocks, n: Any, *, wanted: Any = True) -> Any:
    """Return the expected mutual information in nats, with a relative error below 1e-12; 0 where it is not ``wanted``.

    ``n`` and ``wanted`` are numbers for the blocks of one item, and columns for those of many.

    >>> halves = Blocks(np.array([2]), np.array([2]))
    >>> round(expected_mutual_information(halves, halves, 4), 12)  # ln(2) / 3
    0.231049060187
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
