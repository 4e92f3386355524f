r"""Boundary precision, recall and F1 with a tolerance.

A true and a predicted boundary may be matched when they are at most ``tolerance`` elements apart, each with one
partner; m is the largest number of such pairs. P = m/|∂H|, R = m/|∂T|, F1 = 2m/(|∂T|+|∂H|). On a line a single
sweep from the left gives the largest matching.
"""

from __future__ import annotations

from functools import partial

from segmetry._base import checked_integer
from segmetry.metrics.boundaries.point_matching import most_pairs
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_DECISIONS = (
    "The first and the last edge of the line are not boundaries. The matching has the maximum number of pairs; it is "
    "not greedy. In a partial segmentation every maximal gap is read as a segment (P*)."
)


def matched_boundaries(true: Spans, pred: Spans, tolerance: int) -> int:
    """Return the maximum number of boundaries that can be matched one to one within a tolerance.

    >>> matched_boundaries(Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5]), 1)
    2
    """
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
    swaps_with="boundary_precision",
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
