"""Rules that compare candidates: the largest overlap, the best assignment, the greedy choice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Threshold, frozen_dataclass
from segmetry.alignments.candidates import RULES, Candidates, RuleDeclaration, Selection, declare_rule
from segmetry.alignments.weights import WEIGHTS, PairThreshold, argsort_descending, quotient
from segmetry.errors import UnknownNameError


@frozen_dataclass()
class LargestOverlap:
    """Each true segment with the pred it overlaps most; ties go to the larger IoU, then to the smaller pred id."""

    name: str = "largest_overlap"
    guarantees_one_to_one: bool = False

    def select(self, candidates: Candidates) -> Selection:
        if not len(candidates):
            return Selection(np.zeros(0, dtype=np.intp))
        contenders = _largest_of_each(candidates)
        rows = candidates.take(contenders)
        has_rival = _first_of_each(rows.at_true)[1]
        tied = np.flatnonzero(has_rival)
        if not tied.size:
            return Selection(contenders)
        # Only where several overlaps of a segment are the largest does their IoU decide.
        ties = rows.take(tied)
        by_iou = np.empty(tied.size, dtype=np.intp)
        descending = argsort_descending(*quotient("iou", ties.shared, ties.missed, ties.spurious))
        by_iou[descending] = np.arange(tied.size)
        order = tied[np.lexsort((ties.at_pred, by_iou, ties.at_true))]
        best = order[_first_of_each(rows.at_true[order])[0]]
        chosen = np.sort(np.concatenate((np.flatnonzero(~has_rival), best)))
        return Selection(contenders[chosen], int(best.size))


def _largest_of_each(candidates: Candidates) -> NDArray[np.intp]:
    """Return the candidates with the most shared elements of their true segment, by true segment, ties included."""
    at_true = candidates.at_true
    is_ordered = bool((at_true[1:] >= at_true[:-1]).all())
    order = np.arange(at_true.size) if is_ordered else np.argsort(at_true, kind="stable")
    shared, first = candidates.shared[order], _first_of_each(at_true[order])[0]
    largest = np.maximum.reduceat(shared, np.flatnonzero(first))
    contenders: NDArray[np.intp] = order[shared == largest[np.cumsum(first) - 1]]
    return contenders


def _first_of_each(ordered: NDArray[np.intp]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which elements differ from the one before, and which are equal to a neighbour."""
    first = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    last = np.concatenate((first[1:], [True]))
    return first, ~(first & last)


@frozen_dataclass()
class MaximumWeight:
    """The one-to-one alignment of the largest total weight (rounded) among pairs admitted by a threshold (exactly)."""

    weight: str
    threshold: PairThreshold
    name: str
    guarantees_one_to_one: bool = True

    def select(self, candidates: Candidates) -> Selection:
        from segmetry.alignments.heaviest_pairs import best_assignment  # a first metric needs no assignment

        admitted = _admitted(candidates, self.weight, self.threshold)
        return Selection(admitted[best_assignment(candidates.take(admitted), self.weight)])


@frozen_dataclass()
class Greedy:
    """Take pairs in descending order of weight, each segment once; ties by true id, then pred id."""

    weight: str
    threshold: PairThreshold
    name: str
    guarantees_one_to_one: bool = True

    def select(self, candidates: Candidates) -> Selection:
        admitted = _admitted(candidates, self.weight, self.threshold)
        pairs = candidates.take(admitted)
        order = argsort_descending(*quotient(self.weight, pairs.shared, pairs.missed, pairs.spurious))
        # One byte for each segment: sets of positions leave the caches, and the time of a pair grows with their number.
        free_true, free_pred = (
            bytearray(b"\1") * (int(at.max(initial=-1)) + 1) for at in (pairs.at_true, pairs.at_pred)
        )
        chosen = []
        for at, true, pred in zip(
            order.tolist(), pairs.at_true[order].tolist(), pairs.at_pred[order].tolist(), strict=True
        ):
            if free_true[true] and free_pred[pred]:
                free_true[true] = free_pred[pred] = 0
                chosen.append(at)
        return Selection(admitted[np.sort(np.array(chosen, dtype=np.intp))])


largest_overlap: LargestOverlap = LargestOverlap()
RULES.declare(
    "largest_overlap",
    RuleDeclaration(
        "largest_overlap",
        lambda: largest_overlap,
        "Each true segment with the predicted one it overlaps most; a prediction may have several partners.",
    ),
)


@declare_rule(
    citation=["kuhn1955hungarian"],
    examples=["maximum_weight(weight=iou,above=0)", "maximum_weight(weight=iou,at_least=1/2)"],
)
def maximum_weight(
    weight: str = "iou", *, above: Threshold | None = None, at_least: Threshold | None = None
) -> MaximumWeight:
    """The one-to-one alignment with the largest sum of weights (optimal assignment).

    Parameters
    ----------
    weight : {"iou", "dice", "coverage_true", "coverage_pred", "min_coverage", "max_coverage", "half_link_force"}
        The weight of a pair.
    above, at_least : number or str
        Only pairs whose weight is above (at least) this threshold are candidates; at most one of the two. By default
        ``above=0``: every pair that overlaps.

    Returns
    -------
    MaximumWeight
        Always one-to-one, also below one half and where segments overlap.

    Examples
    --------
    >>> maximum_weight(above="1/4").name, maximum_weight(at_least=0.5).name
    ('maximum_weight(weight=iou,above=1/4)', 'maximum_weight(weight=iou,at_least=1/2)')
    """
    threshold = _pair_threshold(weight, above, at_least)
    return MaximumWeight(weight, threshold, f"maximum_weight(weight={weight},{threshold})")


@declare_rule(
    examples=["greedy(weight=iou,above=0)", "greedy(weight=iou,at_least=1/2)"],
)
def greedy(weight: str = "iou", *, above: Threshold | None = None, at_least: Threshold | None = None) -> Greedy:
    """Pairs are taken in descending order of weight, each segment once.

    Parameters
    ----------
    weight : {"iou", "dice", "coverage_true", "coverage_pred", "min_coverage", "max_coverage", "half_link_force"}
        The weight of a pair. Equal weights are taken by true id, then by pred id.
    above, at_least : number or str
        As in :func:`maximum_weight`.

    Returns
    -------
    Greedy
        Always one-to-one, also below one half and where segments overlap.

    Examples
    --------
    >>> greedy(weight="dice", above=0.5).name
    'greedy(weight=dice,above=1/2)'
    """
    threshold = _pair_threshold(weight, above, at_least)
    return Greedy(weight, threshold, f"greedy(weight={weight},{threshold})")


def _pair_threshold(weight: str, above: Threshold | None, at_least: Threshold | None) -> PairThreshold:
    if weight not in WEIGHTS:
        raise UnknownNameError(f"there is no weight {weight!r}; known: {', '.join(WEIGHTS)}")
    return PairThreshold.of(0 if above is None and at_least is None else above, at_least)


def _admitted(candidates: Candidates, weight: str, threshold: PairThreshold) -> NDArray[np.intp]:
    """Return the candidates whose exact weight satisfies the threshold."""
    top, bottom = quotient(weight, candidates.shared, candidates.missed, candidates.spurious)
    return np.flatnonzero((candidates.shared > 0) & threshold.admits(top, bottom))
