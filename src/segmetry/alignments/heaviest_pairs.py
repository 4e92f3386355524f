"""The one-to-one choice of pairs with the largest total weight, in time that grows with the number of pairs.

A pair that weighs at least as much as the best rival of its true segment and the best rival of its predicted segment
together is in an optimal choice: exchanging it for both gains nothing. Such pairs are fixed, their segments removed,
and the question asked again. What is left falls into connected components, which are independent of each other and are
solved in groups as sparse assignment problems [kuhn1955hungarian].
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, is_new
from segmetry.alignments.candidates import Candidates
from segmetry.alignments.weights import weigh

Positions = NDArray[np.intp]

ROUNDS = 32
"""How often pairs are fixed: in a chain of weights, each a fraction of the one before, one pair is found each time."""
AT_ONCE = 2048
"""Pairs of one assignment problem, unless a single component has more."""


def best_assignment(candidates: Candidates, weight: str, *, at_once: int = AT_ONCE) -> Positions:
    """Return the positions of the pairs of a maximum-weight one-to-one alignment, sorted."""
    weights = weigh(weight, candidates.shared, candidates.missed, candidates.spurious)
    left: Positions = np.arange(len(candidates), dtype=np.intp)
    chosen: list[Positions] = []
    for _ in range(ROUNDS if left.size else 0):
        true, pred, weighed = candidates.at_true[left], candidates.at_pred[left], weights[left]
        rivals = _best_rivals(true, weighed) + _best_rivals(pred, weighed)
        fixed = weighed >= np.nextafter(rivals, np.inf)  # the sum of two weights is rounded, and may be too small
        if not fixed.any():
            break
        chosen.append(left[fixed])
        left = left[~(_marked(true, true[fixed]) | _marked(pred, pred[fixed]))]
        if not left.size:
            break
    for group in _groups(candidates.at_true[left], candidates.at_pred[left], at_once):
        some = left[group]
        chosen.append(some[_assign(candidates.at_true[some], candidates.at_pred[some], weights[some])])
    return np.sort(np.concatenate([left[:0], *chosen]))


def _best_rivals(segment: Positions, weights: FloatArray) -> FloatArray:
    """Return, for every pair, the largest weight among the other pairs of its segment; 0 where there is none."""
    order = np.lexsort((-weights, segment))
    ordered, sorted_weights = segment[order], weights[order]
    first = np.flatnonzero(is_new(ordered))
    size = np.diff(np.append(first, order.size))
    second = np.where(size > 1, sorted_weights[np.minimum(first + 1, order.size - 1)], 0.0)
    rivals = np.repeat(sorted_weights[first], size)
    rivals[first] = second
    by_pair = np.empty_like(rivals)
    by_pair[order] = rivals
    return by_pair


def _marked(segment: Positions, some: Positions) -> NDArray[np.bool_]:
    """Return which pairs have one of some segments."""
    marks = np.zeros(int(segment.max(initial=-1)) + 1, dtype=np.bool_)
    marks[some] = True
    return marks[segment]


def _groups(true: Positions, pred: Positions, at_once: int) -> Iterator[Positions]:
    """Yield the positions of the pairs of whole connected components, small ones together."""
    if true.size <= at_once:
        if true.size:
            yield np.arange(true.size)
        return
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_true, n_pred = int(true.max()) + 1, int(pred.max()) + 1
    size = n_true + n_pred
    graph = coo_array((np.ones(true.size, dtype=np.int8), (true, n_true + pred)), shape=(size, size))
    _, component = connected_components(graph.tocsr(), directed=False)
    order = np.argsort(component[true], kind="stable")
    ends = np.flatnonzero(np.diff(component[true][order], append=-1)) + 1
    start = 0
    for end, following in zip(ends.tolist(), [*ends[1:].tolist(), None], strict=True):
        if following is None or following - start > at_once:
            yield order[start:end]
            start = end


def _assign(at_true: Positions, at_pred: Positions, weights: FloatArray) -> Positions:
    """Return the positions of the pairs of an optimal choice.

    A segment may stay unmatched, so every true segment gets its own dummy partner of weight 0. Costs are 2 − weight,
    and 2 for a dummy: every true segment is used once, so the shift changes nothing, but it keeps all entries of the
    sparse matrix non-zero.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    true, true_at = np.unique(at_true, return_inverse=True)
    pred, pred_at = np.unique(at_pred, return_inverse=True)
    cost = np.concatenate((2.0 - weights, np.full(true.size, 2.0)))
    rows = np.concatenate((true_at, np.arange(true.size)))
    columns = np.concatenate((pred_at, pred.size + np.arange(true.size)))
    graph = csr_array((cost, (rows, columns)), shape=(true.size, pred.size + true.size))
    matched_true, matched_pred = min_weight_full_bipartite_matching(graph)
    partner = np.full(true.size, -1)
    partner[matched_true] = matched_pred
    return np.flatnonzero(partner[true_at] == pred_at)
