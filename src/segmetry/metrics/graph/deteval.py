r"""DetEval: precision and recall that accept splits and merges with a penalty [wolf2006object].

With Cov_true = |t∩h|/|t| and Cov_pred = |t∩h|/|h|, thresholds t_r and t_p:

* **one-to-one**: Cov_true ≥ t_r and Cov_pred ≥ t_p, and neither has another such partner; these are excluded from
  splits and merges;
* **split** of t: at least two preds, each with Cov_pred ≥ t_p, whose Cov_true sum to at least t_r;
* **merge** by h: at least two true segments, each with Cov_true ≥ t_r, whose Cov_pred sum to at least t_p.

One-to-one segments and the members of a split or merge count 1; the segment that is split, or that merges, counts fs(k)
for k members: the constant 0.8 in the paper, in DetEval and in the ICDAR competitions, 1/(1 + ln k) in
[chazalon2021revisiting]. Recall is the mean over true segments, precision over predicted ones.

Objects and parts: precision, recall and F that give credit for fragments and for parts of an object
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
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import (
    IntArray,
    Threshold,
    as_python_ints,
    check_choice,
    computed_once,
    fraction_in,
    products_fit,
    ratio,
    sum_by,
    widest,
)
from segmetry.alignments import ONE, ZERO, CountedOverlaps, Inequality, marks
from segmetry.metrics.declare import Declaration, Example, metric
from segmetry.metrics.score import Score

_SPLIT = [[1, 1, 1, 1, 2, 2]], [[3, 3, 4, 4, 5, 5]]
_PART_DECISIONS = (
    "All thresholds are exact and strict. There are no ties: the kind of a segment does not depend on the partner "
    "considered. A segment without overlap counts 0. Elements outside count only through sizes. The rewriting in "
    "[chazalon2021revisiting] (eq. 13–14) adds the coverage of every edge to the match rate and gives 2 for a perfect "
    "result; the original definition is computed here. Where segments of a side overlap, a fragmentation above 1 "
    "counts as 1. "
)


def harmonic(key: str, precision: tuple[float, int], recall: tuple[float, int]) -> Score:
    """Return F from the quotients of precision and recall; 0 where only one side has segments."""
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
        order=30,
        aliases=("fine_segmentation_score",),
        formula=r"P_{op} = \frac{oc_H+\sum_h fr(h)+\beta\,pc_H}{|H|}",
        summary="The share of predicted segments that are true objects, unions of true objects, or (with a small "
        "weight) parts of one.",
        swaps_with="objects_and_parts_recall",
        pooled=True,
        notes=_PART_DECISIONS + "Undefined without predicted segments.",
        examples=(Example(*_SPLIT, (1 + 0.1 * 2) / 3),),
    ),
    _objects_and_parts(
        aliases=("coarse_segmentation_score",),
        formula=r"R_{op} = \frac{oc_T+\sum_t fr(t)+\beta\,pc_T}{|T|}",
        summary="The share of true segments that are detected as objects, as unions of fragments, or (with a small "
        "weight) as part of an object.",
        swaps_with="objects_and_parts_precision",
        pooled=True,
        notes=_PART_DECISIONS + "Undefined without true segments.",
        examples=(Example(*_SPLIT, 1.0),),
    ),
    _objects_and_parts(
        formula=r"F_{op} = \frac{2P_{op}R_{op}}{P_{op}+R_{op}}",
        summary="The harmonic mean of the precision and the recall for objects and parts.",
        symmetric=True,
        notes=_PART_DECISIONS + "Segments on one side only: 0. None on either side: undefined.",
        examples=(Example(*_SPLIT, 2 * 0.4 / 1.4),),
    ),
)


_MERGED = [[1, 1, 2, 2, 3, 3]], [[4, 4, 4, 4, 5, 0]]
_LOG_OF_TWO = 1 / (1 + math.log(2))
_LOG = {"fragmentation": "logarithmic"}
_DECISIONS = (
    "Thresholds are exact, compared with ≥. Ties cannot occur. One-to-one pairs are determined first and are excluded "
    "from splits and merges; a segment with several roles has its best value. A segment "
    "without overlap counts 0. Elements outside count only through sizes. variant='seed' is the rewriting of "
    "[chazalon2021revisiting] with per-edge thresholds (eq. 15–16, the number of true segments for the printed |P| in "
    "the recall); on disjoint segments its splits cannot occur for t_r > 1/2. fragmentation is the value of a segment "
    "that is split or that merges: 0.8 (default, the paper's constant), any number in (0, 1], or 'logarithmic': "
    "1/(1 + ln k) for k members, the default of variant='seed'. "
)

Worth = NDArray[np.float64]


def deteval_means(
    overlaps: CountedOverlaps,
    *,
    t_r: Threshold = "0.8",
    t_p: Threshold = "0.4",
    variant: Literal["original", "seed"] = "original",
    fragmentation: Threshold | None = None,
) -> tuple[Mean, Mean]:
    """Return the sum of the values of the predicted and of the true segments, and their numbers."""
    check_choice("variant", variant, ("original", "seed"))
    recall = fraction_in(t_r, "t_r", 0, 1, open_low=True)
    precision = fraction_in(t_p, "t_p", 0, 1, open_low=True)
    worth = ("logarithmic" if variant == "seed" else "0.8") if fragmentation is None else fragmentation
    constant = None if worth == "logarithmic" else float(fraction_in(worth, "fragmentation", 0, 1, open_low=True))
    true, pred = _segment_values(overlaps, recall, precision, variant, constant)
    return (math.fsum(pred.tolist()), pred.size), (math.fsum(true.tolist()), true.size)


@computed_once
def _segment_values(
    overlaps: CountedOverlaps, recall: Fraction, precision: Fraction, variant: str, constant: float | None
) -> tuple[Worth, Worth]:
    pairs = overlaps.pairs
    columns = pairs.shared, pairs.missed, pairs.spurious
    true_in = Inequality.of(ONE - recall, recall, ZERO, strict=False).holds(*columns)
    pred_in = Inequality.of(ONE - precision, ZERO, precision, strict=False).holds(*columns)
    true, pred = _one_to_one(overlaps, true_in & pred_in)
    # Eq. 15–16 of [chazalon2021revisiting]: both thresholds hold for every edge, and nothing is excluded.
    if variant == "seed":
        edges = true_in & pred_in
        true = np.maximum(true, _price_of(np.bincount(pairs.at_true[edges], minlength=true.size), constant))
        pred = np.maximum(pred, _price_of(np.bincount(pairs.at_pred[edges], minlength=pred.size), constant))
    else:
        free = (true[pairs.at_true] == 0) & (pred[pairs.at_pred] == 0)
        pieces, wholes = free & pred_in, free & true_in
        split = _group_sizes(pairs.at_true, pairs.shared, pieces, overlaps.true_sizes, recall)
        merge = _group_sizes(pairs.at_pred, pairs.shared, wholes, overlaps.pred_sizes, precision)
        true[pairs.at_true[wholes & (merge[pairs.at_pred] > 0)]] = 1.0
        pred[pairs.at_pred[pieces & (split[pairs.at_true] > 0)]] = 1.0
        true, pred = (np.maximum(true, _price_of(split, constant)), np.maximum(pred, _price_of(merge, constant)))
    counted_true, counted_pred = overlaps.counted(true > 0, pred > 0)
    return true[counted_true], pred[counted_pred]


def _one_to_one(overlaps: CountedOverlaps, edges: NDArray[np.bool_]) -> tuple[Worth, Worth]:
    """Return 1 for every segment in a pair of which neither has another edge, else 0."""
    pairs = overlaps.pairs
    trues, preds = len(overlaps.table.true), len(overlaps.table.pred)
    at_true, at_pred = pairs.at_true[edges], pairs.at_pred[edges]
    alone = (np.bincount(at_true, minlength=trues)[at_true] == 1) & (
        np.bincount(at_pred, minlength=preds)[at_pred] == 1
    )
    return marks(at_true[alone], trues).astype(np.float64), marks(at_pred[alone], preds).astype(np.float64)


def _group_sizes(
    at: NDArray[np.intp], shared: IntArray, members: NDArray[np.bool_], sizes: IntArray, least: Fraction
) -> NDArray[np.intp]:
    """Return the number of members of every split or merge; 0 if there are fewer than two or they cover too little."""
    top, bottom = least.as_integer_ratio()
    count = np.bincount(at[members], minlength=sizes.size)
    covered = sum_by(at[members], shared[members], sizes.size)
    if not products_fit(bottom, widest(covered, sizes)):
        covered, sizes = as_python_ints(covered), as_python_ints(sizes)  # type: ignore[assignment]
    enough = (bottom * covered >= top * sizes).astype(bool)
    return np.where((count >= 2) & enough, count, 0)


def _price_of(members: NDArray[np.intp], constant: float | None) -> Worth:
    """Return fs(k) for k ≥ 2 members, 0 for none; a constant of None stands for 1/(1 + ln k)."""
    worth = np.zeros(members.size)
    several = members >= 2
    worth[several] = 1 / (1 + np.log(members[several])) if constant is None else constant
    return worth


_deteval = partial(metric, citation=("wolf2006object", "chazalon2021revisiting"))
declare_precision_recall_f(
    "deteval",
    deteval_means,
    _deteval(
        symbol=r"P_{\mathrm{DetEval}}",
        order=60,
        formula=r"P = \frac{1}{|H|}\sum_h \mathrm{match}(h)",
        summary="The mean value of predicted segments: matched one to one, part of a split, or (with a penalty) "
        "a merge.",
        pooled=True,
        notes=_DECISIONS + "Undefined without predicted segments.",
        examples=(
            Example(*_SPLIT, 1.0),
            Example(*_MERGED, 0.8 / 2),
            Example(*_MERGED, _LOG_OF_TWO / 2, _LOG),
            Example(*_SPLIT, 1 / 3, {"variant": "seed"}),
        ),
    ),
    _deteval(
        symbol=r"R_{\mathrm{DetEval}}",
        formula=r"R = \frac{1}{|T|}\sum_t \mathrm{match}(t)",
        summary="The mean value of true segments: matched one to one, part of a merge, or (with a penalty) split.",
        pooled=True,
        notes=_DECISIONS + "Undefined without true segments.",
        examples=(
            Example(*_SPLIT, (0.8 + 1) / 2),
            Example(*_SPLIT, (_LOG_OF_TWO + 1) / 2, _LOG),
            Example(*_MERGED, 2 / 3),
            Example(*_SPLIT, 1 / 2, {"variant": "seed"}),
        ),
    ),
    _deteval(
        symbol=r"F_{\mathrm{DetEval}}",
        formula=r"F = \frac{2PR}{P+R}",
        summary="The harmonic mean of DetEval's precision and recall.",
        notes=_DECISIONS + "Segments on one side only: 0. None on either side: undefined.",
        examples=(
            Example(*_MERGED, 2 * 0.4 * (2 / 3) / (0.4 + 2 / 3)),
            Example(*_MERGED, 2 * (_LOG_OF_TWO / 2) * (2 / 3) / (_LOG_OF_TWO / 2 + 2 / 3), _LOG),
        ),
    ),
)
