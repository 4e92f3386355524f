r"""Objects and parts: precision, recall and F that give credit for fragments and for parts of an object
[ponttuset2016supervised].

For a segment r of either side and a segment q of the other, its *own* coverage is |r∩q|/|r|, the *other* coverage
|r∩q|/|q|. r is

* an **object** if with some q both coverages exceed γ_o;
* else a **part** if with some q its own coverage exceeds γ_o and the other exceeds γ_p;
* else it counts with its **fragmentation**: the sum of its own coverages by those q that are more than γ_o inside it.

Precision = (objects + Σ fragmentation + β·parts)/segments over predicted segments, recall the same over true ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, Threshold, computed_once, fraction_in, ratio, sum_by
from segmetry.alignments import ONE, ZERO, CountedOverlaps, Inequality, marks
from segmetry.metrics.declare import Declaration, Example, metric
from segmetry.metrics.score import Score

_SPLIT = [[1, 1, 1, 1, 2, 2]], [[3, 3, 4, 4, 5, 5]]
_DECISIONS = (
    "All thresholds are exact and strict. There are no ties: the kind of a segment does not depend on the partner "
    "considered. A segment without overlap counts 0. Elements outside count only through sizes. The rewriting in "
    "[chazalon2021revisiting] (eq. 13–14) adds the coverage of every edge to the match rate and gives 2 for a perfect "
    "result; the original definition is computed here. Where segments of a side overlap, a fragmentation above 1 "
    "counts as 1. "
)


def harmonic(key: str, precision: tuple[float, int], recall: tuple[float, int]) -> Score:
    """Return F from the quotients of precision and recall; 0 where only one side has segments.

    >>> harmonic("f", (1, 2), (1, 1)).value
    0.6666666666666666
    """
    if not precision[1] and not recall[1]:
        return Score.undefined(key, "no true and no pred segments")
    if not precision[1] or not recall[1]:
        return Score.number(key, 0.0)
    p, r = precision[0] / precision[1], recall[0] / recall[1]
    return Score.number(key, 2 * p * r / (p + r) if p + r else 0.0)


Mean = tuple[float, int]
"""The sum of the values of the segments of a side, and their number."""


def declare_precision_recall_f(
    prefix: str, means: Callable[..., tuple[Mean, Mean]], precision: Declaration, recall: Declaration, f: Declaration
) -> None:
    """Declare precision, recall and F from the means over predicted and over true segments, with their options."""

    for name, declare in (("precision", precision), ("recall", recall), ("f", f)):
        declare(_function_of(prefix, name, means))


def _function_of(prefix: str, name: str, means: Callable[..., tuple[Mean, Mean]]) -> Callable[..., Score]:
    key = f"{prefix}_{name}"

    def compute(overlaps: CountedOverlaps, **options: Any) -> Score:
        pred, true = means(overlaps, **options)
        if name == "f":
            return harmonic(key, pred, true)
        side, mean = ("pred", pred) if name == "precision" else ("true", true)
        return Score.of(key, *mean, f"no {side} segments")

    compute.__name__ = compute.__qualname__ = key
    compute.__module__ = means.__module__  # whose names the types of the options are written in
    compute.__signature__ = signature(means).replace(return_annotation=Score)  # type: ignore[attr-defined]
    return compute


def object_means(
    overlaps: CountedOverlaps,
    *,
    object_above: Threshold = "0.95",
    part_above: Threshold = "0.25",
    part_weight: Threshold = "0.1",
) -> tuple[Mean, Mean]:
    """Return the sum of the values of the predicted and of the true segments, and their numbers."""
    gamma = fraction_in(object_above, "object_above", 0, 1)
    part = fraction_in(part_above, "part_above", 0, 1)
    weight = float(fraction_in(part_weight, "part_weight", 0, 1))
    return _mean_of(overlaps, "pred", gamma, part, weight), _mean_of(overlaps, "true", gamma, part, weight)


@computed_once
def _mean_of(overlaps: CountedOverlaps, side: str, gamma: Fraction, part: Fraction, weight: float) -> tuple[float, int]:
    pairs = overlaps.pairs
    at, own_rest, other_rest, sizes = pairs.at_true, pairs.missed, pairs.spurious, overlaps.true_sizes
    if side == "pred":
        at, own_rest, other_rest, sizes = pairs.at_pred, pairs.spurious, pairs.missed, overlaps.pred_sizes
    own_is = Inequality.of(ONE - gamma, gamma, ZERO).holds(pairs.shared, own_rest, other_rest)
    other_is = Inequality.of(ONE - gamma, ZERO, gamma).holds(pairs.shared, own_rest, other_rest)
    other_partly = Inequality.of(ONE - part, ZERO, part).holds(pairs.shared, own_rest, other_rest)
    objects = marks(at[own_is & other_is], sizes.size)
    parts = marks(at[own_is & other_partly], sizes.size) & ~objects
    fragments = _covered_shares(at[other_is], pairs.shared[other_is], sizes)
    worth = np.where(objects, 1.0, np.where(parts, weight, fragments))
    counted = overlaps.counted(*overlaps.touched)[1 if side == "pred" else 0]
    return math.fsum(worth[counted].tolist()), int(np.count_nonzero(counted))


def _covered_shares(at: NDArray[np.intp], shared: IntArray, sizes: IntArray) -> NDArray[np.float64]:
    """Return for every segment the share that is covered by segments inside it."""
    covered = np.minimum(sum_by(at, shared, sizes.size), sizes)
    return ratio(covered, np.maximum(sizes, 1))


_objects_and_parts = partial(metric, citation="ponttuset2016supervised")
declare_precision_recall_f(
    "objects_and_parts",
    object_means,
    _objects_and_parts(
        symbol=r"P_{op}",
        order=30,
        formula=r"P_{op} = \frac{oc_H+\sum_h fr(h)+\beta\,pc_H}{|H|}",
        summary="The share of predicted segments that are true objects, unions of true objects, or (with a small "
        "weight) parts of one.",
        swaps_with="objects_and_parts_recall",
        pooled=True,
        notes=_DECISIONS + "Undefined without predicted segments.",
        examples=(Example(*_SPLIT, (1 + 0.1 * 2) / 3),),
    ),
    _objects_and_parts(
        symbol=r"R_{op}",
        formula=r"R_{op} = \frac{oc_T+\sum_t fr(t)+\beta\,pc_T}{|T|}",
        summary="The share of true segments that are detected as objects, as unions of fragments, or (with a small "
        "weight) as part of an object.",
        swaps_with="objects_and_parts_precision",
        pooled=True,
        notes=_DECISIONS + "Undefined without true segments.",
        examples=(Example(*_SPLIT, 1.0),),
    ),
    _objects_and_parts(
        symbol=r"F_{op}",
        formula=r"F_{op} = \frac{2P_{op}R_{op}}{P_{op}+R_{op}}",
        summary="The harmonic mean of the precision and the recall for objects and parts.",
        symmetric=True,
        notes=_DECISIONS + "Segments on one side only: 0. None on either side: undefined.",
        examples=(Example(*_SPLIT, 2 * 0.4 / 1.4),),
    ),
)
