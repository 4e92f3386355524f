r"""Purity and coverage: the share of each block in a single block of the other side [manning2008introduction].

How many elements must be moved to turn the prediction into the truth: the transfer distance of two partitions.

A move takes one element out of its segment and puts it into another one, or into a new one. The elements that stay are
those that pairs of segments share which keep their identity, one-to-one; so the fewest moves are n minus the largest
sum of shared elements over all one-to-one assignments [gusfield2002partition]. Of a stream of pages it is the minimum
number of drag-and-drops (MNDD) with which a person corrects the documents, page by page [mungmeeprued2022tab].
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base import IndexArray, IntArray
from segmetry.metrics.batches.partition_formula import FormulaValue
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, PARTIAL, SIX, SPLIT_UP, A, B, C
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps import Contingency
from segmetry.segmentation import Spans

_SHIFTED = Spans.from_masses([3, 3]), Spans.from_masses([2, 4])
_SPLIT = Spans.from_masses([5]), Spans.from_masses([3, 1, 1])
_CROSSED = Spans.from_masses([3, 2, 3]), Spans.from_masses([4, 4])


@metric(
    symbol=r"\mathrm{MNDD}",
    order=260,
    aliases=("mndd", "transfer_distance"),
    formula=r"n-\max_{\pi}\sum_t|t\cap\pi(t)|",
    summary="The least number of elements to move, one by one, to another or a new segment, until the sides agree.",
    citation=("gusfield2002partition", "mungmeeprued2022tab"),
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    notes=f"{BACKGROUND}The largest sum of shared elements over one-to-one assignments stays, everything else moves. "
    "For streams of pages it is the minimum number of drag-and-drops (MNDD); a drag takes one page.",
    examples=(Example(*_SHIFTED, 1), Example(*_SPLIT, 2), Example(*_CROSSED, 2)),
)
def minimum_moves(contingency: Contingency) -> Score:
    if not contingency.n:
        return Score.undefined("minimum_moves", NO_ELEMENTS)
    return Score.number("minimum_moves", contingency.n - largest_stay(contingency))


def largest_stay(contingency: Contingency) -> int:
    """Return the largest number of elements that stay where they are.

    Of many equal blocks of one element, those in one block of the other side are equivalent, so one of them stands for
    all; blocks of one element on both sides stay as they are.
    """
    many_true = contingency.true.count[contingency.at_true] > 1
    many_pred = contingency.pred.count[contingency.at_pred] > 1
    both = many_true & many_pred
    stay = int((contingency.shared[both] * contingency.count[both]).sum())
    at_true = np.where(many_true, contingency.true.size.size + np.arange(many_true.size), contingency.at_true)
    at_pred = np.where(many_pred, contingency.pred.size.size + np.arange(many_pred.size), contingency.at_pred)
    return stay + _best_sum(at_true[~both], at_pred[~both], contingency.shared[~both])


def _best_sum(at_true: IndexArray, at_pred: IndexArray, shared: IntArray) -> int:
    """Return the largest sum of a one-to-one assignment; costs are integers, which floats below 2⁵³ hold exactly."""
    if not shared.size:
        return 0
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    true, rows = np.unique(at_true, return_inverse=True)
    pred, columns = np.unique(at_pred, return_inverse=True)
    most = int(shared.max()) + 1
    # Every true segment may stay alone: it has a partner of its own that shares nothing.
    cost = np.concatenate((most - shared, np.full(true.size, most))).astype(np.float64)
    places = (np.concatenate((rows, np.arange(true.size))), np.concatenate((columns, pred.size + np.arange(true.size))))
    graph = csr_array((cost, places), shape=(true.size, pred.size + true.size))
    at, partner = min_weight_full_bipartite_matching(graph)
    chosen = partner[np.argsort(at)]
    return int(shared[chosen[rows] == columns].sum())


_MANNING = ("manning2008introduction",)
_ASA = ("manning2008introduction", "liu2011entropy")


@metric(
    symbol=r"\mathrm{purity}",
    order=180,
    aliases=("asa", "achievable_segmentation_accuracy"),
    formula=r"\frac1n\sum_h\max_t|t\cap h|",
    summary="The share of elements that are in the true segment that overlaps their predicted segment most.",
    citation=_ASA,
    swaps_with="coverage",
    pooled=True,
    notes=f"{BACKGROUND}Only the size of the largest intersection is used, so ties do not matter. Many small segments "
    "are pure: read it together with coverage. Of superpixels it is called achievable segmentation accuracy (ASA).",
    examples=(
        Example(*SIX, 5 / 6),
        Example(*A, 12 / 13),
        Example(*B, 12 / 13),
        Example(*C, 17 / 21),
        Example(*SPLIT_UP, 1.0),
        Example(*PARTIAL, 0.8),
    ),
)
def purity(partitions: Contingency) -> FormulaValue:
    return FormulaValue(partitions.sum_of_largest(partitions.pred, partitions.at_pred), partitions.n, NO_ELEMENTS)


@metric(
    symbol=r"\mathrm{coverage}",
    formula=r"\frac1n\sum_t\max_h|t\cap h|",
    summary="The share of elements that are in the predicted segment that overlaps their true segment most.",
    citation=_MANNING,
    pooled=True,
    notes=f"{BACKGROUND}Purity with the sides exchanged (inverse purity). A single segment for all elements has "
    "coverage 1: read it together with purity.",
    examples=(
        Example(*SIX, 4 / 6),
        Example(*A, 12 / 13),
        Example(*B, 11 / 13),
        Example(*C, 19 / 21),
        Example(*SPLIT_UP, 0.1),
    ),
)
def coverage(partitions: Contingency) -> FormulaValue:
    return FormulaValue(partitions.sum_of_largest(partitions.true, partitions.at_true), partitions.n, NO_ELEMENTS)
