r"""The alignment index of two segmentations [diaz2022alignment].

Every segment of either side points to the segment of the other side that covers most of it; ties go to the larger
Jaccard index. The index is the mean Jaccard index over these pairs, each pair once even if both point to each other.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, ratio
from segmetry.metrics.boundaries.point_matching import only_in
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation import Spans


@metric(
    symbol="A",
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
