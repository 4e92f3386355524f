r"""Boundary precision, recall and F1 with a tolerance.

A true and a predicted boundary may be matched when they are at most ``tolerance`` elements apart, each with one
partner; m is the largest number of such pairs. P = m/|∂H|, R = m/|∂T|, F1 = 2m/(|∂T|+|∂H|). On a line a single
sweep from the left gives the largest matching.

Generalized Hamming distance: the least cost of turning the predicted boundaries into the true ones.

The measure of [bookstein2002generalized]: a boundary is inserted, deleted, or shifted by d gaps at the cost d times
``shift``. Boundaries that agree stay: a shift across them can be replaced by two shifts at the same cost. A shift
is used only where it is cheaper than a deletion and an insertion, so each boundary is compared only with its
neighbourhood.

The alignment index of two segmentations [diaz2022alignment].

Every segment of either side points to the segment of the other side that covers most of it; ties go to the larger
Jaccard index. The index is the mean Jaccard index over these pairs, each pair once even if both point to each other.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, Threshold, checked_integer, fraction_in, ratio
from segmetry.metrics.boundaries.point_matching import cheapest_pairs, most_pairs, only_in
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_DECISIONS = (
    "The first and the last edge of the line are not boundaries. The matching has the maximum number of pairs; it is "
    "not greedy. In a partial segmentation every maximal gap is read as a segment (P*)."
)


def matched_boundaries(true: Spans, pred: Spans, tolerance: int) -> int:
    """Return the maximum number of boundaries that can be matched one to one within a tolerance."""
    within = checked_integer("tolerance", tolerance, 0, "number of elements, 0 or more")
    return most_pairs(true.boundaries, pred.boundaries, within)


_boundary_score = partial(metric, citation="hearst1997texttiling", pooled=True)


@_boundary_score(
    symbol=r"P_{\partial}",
    order=10,
    formula=r"\frac{m}{|\partial H|}",
    summary="The share of predicted boundaries that have a true one within the tolerance.",
    swaps_with="boundary_recall",
    notes=f"Undefined without pred boundaries. {_DECISIONS}",
    examples=(Example(*_B, 1 / 3), Example(*_B, 2 / 3, {"tolerance": 1})),
)
def boundary_precision(true: Spans, pred: Spans, *, tolerance: int = 0) -> Score:
    matched = matched_boundaries(true, pred, tolerance)
    return Score.of("boundary_precision", matched, int(pred.boundaries.size), "no pred boundaries")


@_boundary_score(
    symbol=r"R_{\partial}",
    formula=r"\frac{m}{|\partial T|}",
    summary="The share of true boundaries that have a predicted one within the tolerance.",
    notes=f"Undefined without true boundaries. {_DECISIONS}",
    examples=(Example(*_B, 1 / 2), Example(*_B, 1, {"tolerance": 1})),
)
def boundary_recall(true: Spans, pred: Spans, *, tolerance: int = 0) -> Score:
    matched = matched_boundaries(true, pred, tolerance)
    return Score.of("boundary_recall", matched, int(true.boundaries.size), "no true boundaries")


@_boundary_score(
    symbol=r"F_{\partial}",
    formula=r"\frac{2m}{|\partial T|+|\partial H|}",
    summary="The F1 score of boundaries matched within the tolerance.",
    symmetric=True,
    notes=f"From the counts: 0 where only one side has boundaries, undefined where neither has. {_DECISIONS}",
    examples=(Example(*_B, 2 / 5), Example(*_B, 4 / 5, {"tolerance": 1})),
)
def boundary_f1(true: Spans, pred: Spans, *, tolerance: int = 0) -> Score:
    matched = matched_boundaries(true, pred, tolerance)
    both = int(true.boundaries.size + pred.boundaries.size)
    return Score.of("boundary_f1", 2 * matched, both, "no boundaries on either side")


@metric(
    symbol="GHD",
    order=60,
    aliases=("ghd", "generalized_hamming_distance"),
    formula=r"\min\big(c_{\mathrm{ins}}\,|\mathrm{insertions}| + c_{\mathrm{del}}\,|\mathrm{deletions}| "
    r"+ c_{\mathrm{shift}}\sum_{\mathrm{shifts}} d\big)",
    summary="The least total cost of inserting, deleting and shifting boundaries until the prediction is the truth.",
    citation=("bookstein2002generalized",),
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    notes="Not normalised, so it grows with the length of the text. Symmetric while insert = delete, as by "
    "default. nltk recommends shift 2 and the mean true segment length for the other two. In a partial segmentation "
    "every maximal gap is read as a segment (P*).",
    examples=(Example(*_B, 3), Example(*_B, 1.5, {"insert": 1, "delete": 1, "shift": "1/2"})),
)
def generalized_hamming(
    true: Spans, pred: Spans, *, insert: Threshold = 2, delete: Threshold = 2, shift: Threshold = 1
) -> Score:
    inserting, deleting, shifting = (
        fraction_in(cost, name, 0, None) for cost, name in ((insert, "insert"), (delete, "delete"), (shift, "shift"))
    )
    missed, spurious, _ = only_in(true.boundaries, pred.boundaries)
    if shifting == 0:
        shifts, distance = min(missed.size, spurious.size), 0
    else:
        scale = math.lcm(inserting.denominator, deleting.denominator, shifting.denominator)
        reach = min(math.ceil((inserting + deleting) / shifting) - 1, true.n)
        costs = (int(cost * scale) for cost in (inserting, deleting, shifting))
        pairs = cheapest_pairs(missed, spurious, reach, *costs)
        shifts, distance = len(pairs), int(np.abs(pairs[:, 0] - pairs[:, 1]).sum())
    insertions, deletions = missed.size - shifts, spurious.size - shifts
    cost = inserting * insertions + deleting * deletions + shifting * distance
    return Score.of("generalized_hamming", cost, 1, insertions=insertions, deletions=deletions, shifts=shifts)


@metric(
    order=70,
    formula=r"A = \frac{1}{|E|}\sum_{(t,h)\in E}\frac{|t\cap h|}{|t\cup h|},\quad "
    r"E=\{(t,h): h=\pi(t)\ \text{or}\ t=\pi(h)\}",
    summary="The mean Jaccard index of the pairs formed by every segment and the segment of the other side "
    "that covers most of it.",
    citation=("diaz2022alignment",),
    symmetric=True,
    pooled=True,
    notes="Of two pairs equal in overlap and in Jaccard index the left one is used (details count such ties). "
    "In a partial segmentation every maximal gap is read as a segment (P*). Undefined without elements.",
    examples=(
        Example(Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5]), 17 / 20),
        Example(Spans.from_masses([6, 6]), Spans.from_masses([12]), 1 / 2),
    ),
)
def alignment_index(true: Spans, pred: Spans) -> Score:
    if true.n == 0:
        return Score.undefined("alignment_index", "no elements")
    cuts = np.sort(np.concatenate((true.boundaries, only_in(true.boundaries, pred.boundaries)[1])))
    starts = np.concatenate(([0], cuts))
    shared = np.diff(starts, append=true.n)
    # Two spans share at most one piece between cuts, so pieces are the pairs that overlap.
    at_true = np.searchsorted(true.boundaries, starts, side="right")
    at_pred = np.searchsorted(pred.boundaries, starts, side="right")
    true_sizes, pred_sizes = true.masses[at_true], pred.masses[at_pred]
    pointed, ties = _pointed_to(at_true, shared, pred_sizes)
    pointed_back, ties_back = _pointed_to(at_pred, shared, true_sizes)
    joined = pointed | pointed_back
    jaccard = ratio(shared[joined], (true_sizes + pred_sizes - shared)[joined])
    return Score.of("alignment_index", math.fsum(jaccard), int(joined.sum()), ties=ties + ties_back)


def _pointed_to(owner: NDArray[np.intp], shared: IntArray, other_size: IntArray) -> tuple[NDArray[np.bool_], int]:
    """Return which piece each owner points to, and the number of ties.

    The largest overlap comes first; of equal overlaps that with the smaller segment on the other side, which has the
    larger Jaccard index.
    """
    order = np.lexsort((np.arange(owner.size), other_size, -shared, owner))
    first = np.concatenate(([True], owner[order][1:] != owner[order][:-1]))
    equal = (shared[order][1:] == shared[order][:-1]) & (other_size[order][1:] == other_size[order][:-1])
    chosen = np.zeros(owner.size, dtype=bool)
    chosen[order[first]] = True
    return chosen, int(np.count_nonzero(first[:-1] & ~first[1:] & equal))
