"""Rules that compare candidates: the largest overlap, the best assignment, the greedy choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import Threshold, fraction_in
from segmetry.alignments.candidates import RULES, Candidates, Selection, declare_rule
from segmetry.alignments.rules.local import iou
from segmetry.alignments.weights import WEIGHTS, argsort_descending, quotient, weigh
from segmetry.errors import UnknownNameError


@dataclass(frozen=True)
class LargestOverlap:
    """Each true segment with the pred it overlaps most; ties go to the larger IoU, then to the smaller pred id."""

    name: str = "largest_overlap"
    guarantees_one_to_one: bool = False

    def select(self, candidates: Candidates) -> Selection:
        if not len(candidates):
            return Selection(np.zeros(0, dtype=np.intp))
        by_iou = np.empty(len(candidates), dtype=np.intp)
        descending = argsort_descending(*quotient("iou", candidates.shared, candidates.missed, candidates.spurious))
        by_iou[descending] = np.arange(len(candidates))
        order = np.lexsort((candidates.at_pred, by_iou, -candidates.shared, candidates.at_true))
        true, shared = candidates.at_true[order], candidates.shared[order]
        first = np.concatenate(([True], true[1:] != true[:-1]))
        tied = np.zeros(order.size, dtype=bool)
        tied[:-1] = first[:-1] & ~first[1:] & (shared[1:] == shared[:-1])
        return Selection(order[first], int(tied.sum()))


@dataclass(frozen=True)
class MaximumWeight:
    """The one-to-one alignment of the largest total weight among pairs above a threshold.

    Pairs are admitted exactly; the total that is maximised is a sum of correctly rounded weights.
    """

    weight: str
    above: str
    name: str
    guarantees_one_to_one: bool = True

    def select(self, candidates: Candidates) -> Selection:
        admitted = _admitted(candidates, self.weight, self.above)
        return Selection(admitted[best_assignment(candidates.take(admitted), self.weight)])


@dataclass(frozen=True)
class Greedy:
    """Take pairs in descending order of weight, each segment once; ties by true id, then pred id."""

    weight: str
    above: str
    name: str
    guarantees_one_to_one: bool = True

    def select(self, candidates: Candidates) -> Selection:
        admitted = _admitted(candidates, self.weight, self.above)
        pairs = candidates.take(admitted)
        order = argsort_descending(*quotient(self.weight, pairs.shared, pairs.missed, pairs.spurious))
        taken_true: set[int] = set()
        taken_pred: set[int] = set()
        chosen = []
        for at, true, pred in zip(
            order.tolist(), pairs.at_true[order].tolist(), pairs.at_pred[order].tolist(), strict=True
        ):
            if true not in taken_true and pred not in taken_pred:
                taken_true.add(true)
                taken_pred.add(pred)
                chosen.append(at)
        return Selection(admitted[np.sort(np.array(chosen, dtype=np.intp))])


largest_overlap = LargestOverlap()
RULES.declare(largest_overlap.name, lambda: largest_overlap)


@declare_rule
def maximum_weight(weight: str = "iou", above: Threshold = 0) -> MaximumWeight:
    """Return the rule that maximises Σ weight over pairs whose weight is above the threshold.

    >>> maximum_weight(above="1/4").name
    'maximum_weight(weight=iou,above=1/4)'
    """
    least = _checked(weight, above)
    return MaximumWeight(weight, least, f"maximum_weight(weight={weight},above={least})")


@declare_rule
def greedy(weight: str = "iou", above: Threshold = 0) -> Greedy:
    """Return the rule that takes pairs above the threshold in descending order of weight.

    >>> greedy(weight="dice", above=0.5).name
    'greedy(weight=dice,above=1/2)'
    """
    least = _checked(weight, above)
    return Greedy(weight, least, f"greedy(weight={weight},above={least})")


def _checked(weight: str, above: Threshold) -> str:
    if weight not in WEIGHTS:
        raise UnknownNameError(f"there is no weight {weight!r}; known: {', '.join(WEIGHTS)}")
    return str(fraction_in(above, "above", 0, 1))


def _admitted(candidates: Candidates, weight: str, above: str) -> NDArray[np.intp]:
    """Return the candidates whose exact weight is above the threshold."""
    least = fraction_in(above, "above", 0, 1)
    if weight == "iou":
        return np.flatnonzero(iou(least).accepts(candidates.shared, candidates.missed, candidates.spurious))
    top, bottom = quotient(weight, candidates.shared, candidates.missed, candidates.spurious)
    above_threshold = [
        int(a) * least.denominator > least.numerator * int(b)
        for a, b in zip(top.tolist(), bottom.tolist(), strict=True)
    ]
    return np.flatnonzero(np.array(above_threshold, dtype=bool))


def best_assignment(candidates: Candidates, weight: str) -> NDArray[np.intp]:
    """Return the positions of the pairs of a maximum-weight one-to-one alignment, sorted.

    Pairs without a competitor are taken at once. The rest is a sparse assignment problem: a segment may stay unmatched,
    so every true segment gets its own dummy partner of weight 0. A path that improves the solution never leaves its
    connected component, so components are solved independently.
    """
    if not len(candidates):
        return np.zeros(0, dtype=np.intp)
    degree_true, degree_pred = np.bincount(candidates.at_true), np.bincount(candidates.at_pred)
    alone = (degree_true[candidates.at_true] == 1) & (degree_pred[candidates.at_pred] == 1)
    contested = np.flatnonzero(~alone)
    if not contested.size:
        return np.arange(len(candidates), dtype=np.intp)
    return np.sort(np.concatenate((np.flatnonzero(alone), contested[_assign(candidates.take(contested), weight)])))


def _assign(pairs: Candidates, weight: str) -> NDArray[np.intp]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    true, true_at = np.unique(pairs.at_true, return_inverse=True)
    pred, pred_at = np.unique(pairs.at_pred, return_inverse=True)
    weights = weigh(weight, pairs.shared, pairs.missed, pairs.spurious)
    # Costs are 2 - weight, and 2 for a dummy: every true segment is used once, so the shift changes nothing,
    # but it keeps all entries of the sparse matrix non-zero.
    cost = np.concatenate((2.0 - weights, np.full(true.size, 2.0)))
    rows = np.concatenate((true_at, np.arange(true.size)))
    columns = np.concatenate((pred_at, pred.size + np.arange(true.size)))
    graph = csr_array((cost, (rows, columns)), shape=(true.size, pred.size + true.size))
    matched_true, matched_pred = min_weight_full_bipartite_matching(graph)
    partner = np.full(true.size, -1)
    partner[matched_true] = matched_pred
    return np.flatnonzero(partner[true_at] == pred_at)
