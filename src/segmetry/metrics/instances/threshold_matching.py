"""One-to-one matching at an IoU threshold: as many pairs as possible, then the largest sum of IoUs.

The public programs [schmidt2018cell, stringer2021cellpose] minimise Σ −[IoU ≥ t] − IoU/(2n) over all assignments of n
pairs. The second term is below one half in total, so that the number of pairs above the threshold decides, and the sum
of IoUs (those below the threshold included) breaks ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IndexArray, IntArray, Threshold, fraction_in, ratio
from segmetry.alignments.candidates import Candidates
from segmetry.alignments.pair_threshold import PairThreshold
from segmetry.errors import OptionError

COMPARISONS = ("exact", "float32")
_DENSE = 2**20
"""The largest matrix of all pairs that is solved as a whole; ties are then broken as scipy breaks them."""


def admitted(
    shared: IntArray, union: IntArray, threshold: Threshold, *, strict: bool = False, compare: str = "exact"
) -> NDArray[np.bool_]:
    """Return which pairs reach the threshold: in integers, or in single precision as stardist compares.

    >>> admitted(np.array([1, 2]), np.array([2, 3]), 0.5, strict=True).tolist()
    [False, True]
    """
    if compare == "exact":
        above, at_least = (threshold, None) if strict else (None, threshold)
        return PairThreshold.of(above, at_least, ("thresholds", "thresholds")).admits(shared, union)
    value = np.float32(float(fraction_in(threshold, "thresholds", 0, 1)))
    weights = rounded(shared, union, compare)
    return weights > value if strict else weights >= value


def rounded(shared: IntArray, union: IntArray, compare: str) -> NDArray[np.floating[Any]]:
    """Return IoUs in the precision of a comparison.

    >>> rounded(np.array([1]), np.array([3]), "float32").dtype.name
    'float32'
    """
    if compare not in COMPARISONS:
        raise OptionError(f"compare is {compare!r}; expected 'exact' or 'float32'")
    weights = ratio(shared, union)
    return weights.astype(np.float32) if compare == "float32" else weights


def match_most(
    pairs: Candidates, hits: NDArray[np.bool_], weights: NDArray[np.floating[Any]], n_true: int, n_pred: int
) -> IndexArray:
    """Return the positions of the matched pairs, all of them hits, from the IoUs of all pairs.

    >>> two = np.array([0, 0]), np.array([0, 1]), np.array([1, 1]), np.array([1, 1]), np.array([0, 0])
    >>> match_most(Candidates(*two), np.array([True, True]), np.array([0.5, 0.5]), 1, 2).tolist()
    [0]
    """
    chosen = np.flatnonzero(hits)
    clashes = any(np.bincount(at[chosen], minlength=1).max() > 1 for at in (pairs.at_true, pairs.at_pred))
    if not clashes:
        return chosen
    gains = hits.astype(np.float64) + weights / (2 * min(n_true, n_pred))
    assigned = assign(pairs.at_true, pairs.at_pred, gains, n_true, n_pred)
    return assigned[hits[assigned]]


def assign(
    at_true: IndexArray, at_pred: IndexArray, gains: NDArray[np.float64], n_true: int, n_pred: int
) -> IndexArray:
    """Return the positions of the pairs of the one-to-one assignment with the largest sum of positive gains.

    A small problem is solved as the matrix of all segments that the public programs build; a large one without it.

    >>> assign(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0.9, 0.5, 0.5]), 2, 2).tolist()
    [1, 2]
    """
    if n_true * n_pred <= _DENSE:
        return _assign_dense(at_true, at_pred, gains, n_true, n_pred)
    return _assign_sparse(at_true, at_pred, gains, n_true, n_pred)


def _assign_dense(
    at_true: IndexArray, at_pred: IndexArray, gains: NDArray[np.float64], n_true: int, n_pred: int
) -> IndexArray:
    from scipy.optimize import linear_sum_assignment

    costs = np.zeros((n_true, n_pred))
    costs[at_true, at_pred] = -gains
    partner = np.full(n_true, -1)
    rows, columns = linear_sum_assignment(costs)
    partner[rows] = columns
    return np.flatnonzero(partner[at_true] == at_pred)


def _assign_sparse(
    at_true: IndexArray, at_pred: IndexArray, gains: NDArray[np.float64], n_true: int, n_pred: int
) -> IndexArray:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    # Every true segment may stay alone with a dummy partner of gain 0; costs are shifted so that none is 0, since a
    # sparse matrix drops zeros.
    shift = float(gains.max()) + 1.0
    cost = np.concatenate((shift - gains, np.full(n_true, shift)))
    rows = np.concatenate((at_true, np.arange(n_true)))
    columns = np.concatenate((at_pred, n_pred + np.arange(n_true)))
    graph = csr_array((cost, (rows, columns)), shape=(n_true, n_pred + n_true))
    partner = np.full(n_true, -1)
    matched_true, matched_pred = min_weight_full_bipartite_matching(graph)
    partner[matched_true] = matched_pred
    return np.flatnonzero(partner[at_true] == at_pred)
