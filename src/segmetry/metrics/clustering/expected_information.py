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

from segmetry._base.exact import BoolArray, FloatArray, IntArray, as_python_ints, products_fit, ratio
from segmetry.kernels.statistics.group_sums import group_sums
from segmetry.kernels.statistics.hypergeometric import SizePairs, expected_divergences
from segmetry.overlaps.contingency import Blocks
from segmetry.overlaps.contingency_columns import BlockColumns, ContingencyColumns

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


def expected_information_columns(partitions: ContingencyColumns, wanted: BoolArray) -> FloatArray:
    """Return the expected mutual information of many items, with the bits of each; 0 where it is not ``wanted``."""
    true, pred = (_size_columns(blocks, partitions.n, wanted) for blocks in (partitions.true, partitions.pred))
    n_pairs = np.diff(true.starts) * np.diff(pred.starts)
    ends = np.cumsum(n_pairs)
    expected = np.zeros(n_pairs.size)
    first = 0
    while first < n_pairs.size:  # as many items as have a batch of pairs, at least one
        done = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _PAIRS_AT_ONCE, side="right")))
        expected[first:last] = _summed_divergences(true, pred, partitions.n, first, last)
        first = last
    return np.divide(expected, partitions.n, out=np.zeros(n_pairs.size), where=wanted)


def _summed_divergences(true: BlockColumns, pred: BlockColumns, n: IntArray, first: int, last: int) -> FloatArray:
    """Return Σ count · E[D(X, μ)] over all pairs of sizes of some items."""
    n_true, n_pred = (np.diff(side.starts[first : last + 1]) for side in (true, pred))
    starts = np.concatenate(([0], np.cumsum(n_true * n_pred)))
    item = np.repeat(np.arange(last - first), n_true * n_pred)
    within = np.arange(item.size) - starts[item]
    at_true, at_pred = np.divmod(within, n_pred[item])
    at_true, at_pred = at_true + true.starts[first + item], at_pred + pred.starts[first + item]
    a, b, elements = true.size[at_true], pred.size[at_pred], n[first + item]
    floor = a * b // elements
    below = ratio(a * b - floor * elements, elements)
    pairs = SizePairs(*(column.astype(np.float64) for column in (a, b, elements, floor, below)))
    count = true.count[at_true].astype(np.float64) * pred.count[at_pred]
    return group_sums(count * expected_divergences(pairs), starts)


def _size_columns(blocks: BlockColumns, n: IntArray, wanted: BoolArray) -> BlockColumns:
    """Return the sizes below n that occur in each of the wanted items, and the number of blocks of each."""
    part = (blocks.size < n[blocks.item]) & wanted[blocks.item]
    item, size, count = blocks.item[part], blocks.size[part], blocks.count[part]
    order = np.lexsort((size, item))
    item, size, count = item[order], size[order], count[order]
    is_first = np.ones(size.size, dtype=np.bool_)
    is_first[1:] = (size[1:] != size[:-1]) | (item[1:] != item[:-1])
    counts = np.bincount(np.cumsum(is_first) - 1, weights=count, minlength=0).astype(np.int64)
    starts = np.searchsorted(item[is_first], np.arange(n.size + 1))
    return BlockColumns(size[is_first], counts, starts)


def _pairs_of_sizes(true: Blocks, pred: Blocks, n: int) -> Iterator[tuple[FloatArray, SizePairs]]:
    """Yield batches of all pairs of sizes that occur, and the number of pairs of blocks of these sizes.

    A block of all n elements carries no information and is left out.
    """
    true_sizes, true_counts = _block_sizes(true, n)
    pred_sizes, pred_counts = _block_sizes(pred, n)
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


def _block_sizes(blocks: Blocks, n: int) -> tuple[IntArray, IntArray]:
    """Return the sizes below n that occur, and the number of blocks of each."""
    part = blocks.size < n
    sizes, at = np.unique(blocks.size[part], return_inverse=True)
    counts = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(counts, at, blocks.count[part])
    return sizes, counts
