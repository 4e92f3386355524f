r"""Scores of segments that are matched at IoU thresholds, as StarDist, Cellpose and the Data Science Bowl print them.

TP/(TP + FP + FN) is called average precision in this field, although it has neither a ranking nor a mean over recalls
in it; here it is ``segment_accuracy``, and ``average_precision`` is the score of detection.

At a threshold as many pairs as possible are matched one to one, then those of the largest sum of IoUs. The public
programs [schmidt2018cell, stringer2021cellpose] minimise Σ −[IoU ≥ t] − IoU/(2n) over all assignments of n pairs. The
second term is below one half in total, so that the number of pairs above the threshold decides, and the sum of IoUs
(those below the threshold included) breaks ties.

sortedAP: the area under TP/(TP + FP + FN) as a function of the IoU threshold [chen2023sortedap].

An assignment of the largest sum of IoUs is made once. At a threshold t the pairs of IoU ≥ t are matched, so the curve
falls only at the IoUs of the pairs, and its area is a sum. The public program joins the steps by straight lines
(``area="trapezoid"``), which adds to the area below each fall half of the fall.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import (
    Column,
    FloatArray,
    IndexArray,
    IntArray,
    Threshold,
    check_choice,
    computed_once,
    fraction,
    fraction_in,
    ratio,
)
from segmetry.alignments import Candidates, CountedOverlaps, PairThreshold, marks, weigh
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation, ratio_or_nan
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Statistics, Sums
from segmetry.metrics.tally_quotient import NO_SEGMENTS
from segmetry.segmentation import Spans

Compare = Literal["exact", "float32"]
_DENSE = 2**20
"""The largest matrix of all pairs that is solved as a whole; ties are then broken as scipy breaks them."""


def admitted(
    shared: IntArray, union: IntArray, threshold: Threshold, *, strict: bool = False, compare: str = "exact"
) -> NDArray[np.bool_]:
    """Return which pairs reach the threshold: in integers, or in single precision as stardist compares."""
    if compare == "exact":
        above, at_least = (threshold, None) if strict else (None, threshold)
        return PairThreshold.of(above, at_least, ("thresholds", "thresholds")).admits(shared, union)
    value = np.float32(float(fraction_in(threshold, "thresholds", 0, 1)))
    weights = rounded(shared, union, compare)
    return weights > value if strict else weights >= value


def rounded(shared: IntArray, union: IntArray, compare: str) -> NDArray[np.floating[Any]]:
    """Return IoUs in the precision of a comparison."""
    check_choice("compare", compare, Compare)
    weights = ratio(shared, union)
    return weights.astype(np.float32) if compare == "float32" else weights


def match_most(
    pairs: Candidates, hits: NDArray[np.bool_], weights: NDArray[np.floating[Any]], n_true: int, n_pred: int
) -> IndexArray:
    """Return the positions of the matched pairs, all of them hits, from the IoUs of all pairs."""
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
    """
    solve = _assign_dense if n_true * n_pred <= _DENSE else _assign_sparse
    return solve(at_true, at_pred, gains, n_true, n_pred)


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


Thresholds = Threshold | Sequence[Threshold]
HALF_TO_ONE = ("0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95")
ALONE = "(all segments)"
"""The class of segments without classes."""
Parts = tuple[NDArray[Any], NDArray[Any], str]
"""Numerator, denominator, and the reason of 0/0."""
_COUNTS = ("pairs", "true", "pred", "iou")


def as_thresholds(thresholds: Thresholds) -> tuple[Threshold, ...]:
    """Return several thresholds, also from one."""
    several = (thresholds,) if isinstance(thresholds, Threshold) else tuple(thresholds)
    if not several:
        raise OptionError("thresholds is empty; expected at least one IoU")
    return several


def threshold_counts(
    overlaps: CountedOverlaps, *, thresholds: Thresholds = HALF_TO_ONE, strict: bool = False, compare: Compare = "exact"
) -> Statistics:
    """Collect the numbers of pairs, true and pred segments, and the sum of IoUs: items and classes × thresholds."""
    return _counts_at(overlaps, as_thresholds(thresholds), strict=strict, compare=compare)


@computed_once
def _counts_at(
    overlaps: CountedOverlaps, thresholds: tuple[Threshold, ...], *, strict: bool, compare: Compare
) -> Statistics:
    with_classes = bool(overlaps.table.class_names) and overlaps.classes != "ignore"
    cells = overlaps.items.by_class if with_classes else overlaps.items.all_as(ALONE)
    pairs, sides, n_cells = overlaps.pairs, (overlaps.table.true, overlaps.table.pred), cells.item.size
    union = pairs.shared + pairs.missed + pairs.spurious
    weights = rounded(pairs.shared, union, compare)
    columns: dict[str, list[NDArray[np.float64] | IntArray]] = {name: [] for name in _COUNTS}
    for threshold in thresholds:
        hits = admitted(pairs.shared, union, threshold, strict=strict, compare=compare)
        chosen = _match_most_in_items(overlaps, hits, weights)
        matched = marks(pairs.at_true[chosen], len(sides[0])), marks(pairs.at_pred[chosen], len(sides[1]))
        counted = overlaps.counted(*matched)
        place = cells.true[pairs.at_true[chosen]]
        columns["pairs"].append(np.bincount(place, minlength=n_cells))
        columns["iou"].append(np.bincount(place, weights=ratio(pairs.shared[chosen], union[chosen]), minlength=n_cells))
        for name, of_cells, counts in zip(("true", "pred"), (cells.true, cells.pred), counted, strict=True):
            columns[name].append(np.bincount(of_cells[counts], minlength=n_cells))
    made = {name: np.stack(column, axis=1) for name, column in columns.items()}
    return Statistics.of_cells(len(overlaps.items), cells, made, {})


def _match_most_in_items(
    overlaps: CountedOverlaps, hits: NDArray[np.bool_], weights: NDArray[np.floating[Any]]
) -> IndexArray:
    """Return the positions of the pairs that are matched in every item: where no segment has two hits, all hits."""
    pairs, items = overlaps.pairs, overlaps.items
    if len(items) == 1:
        return match_most(pairs, hits, weights, len(overlaps.table.true), len(overlaps.table.pred))
    chosen = np.flatnonzero(hits)
    at_item, clashing = items.true_item[pairs.at_true], np.zeros(len(items), dtype=bool)
    for at in (pairs.at_true[chosen], pairs.at_pred[chosen]):
        clashing[at_item[chosen[np.bincount(at, minlength=1)[at] > 1]]] = True
    parts = [chosen[~clashing[at_item[chosen]]]]
    first_true, first_pred, _ = items.starts
    for item in np.flatnonzero(clashing).tolist():
        rows = slice(*np.searchsorted(at_item, (item, item + 1)))
        before = int(first_true[item]), int(first_pred[item])
        sizes = int(first_true[item + 1]) - before[0], int(first_pred[item + 1]) - before[1]
        own = pairs.take(np.arange(rows.start, rows.stop))
        own = replace(own, at_true=own.at_true - before[0], at_pred=own.at_pred - before[1])
        parts.append(match_most(own, hits[rows], weights[rows], *sizes) + rows.start)
    return np.sort(np.concatenate(parts))


def value_if_empty(*, empty: float | None = None) -> float | None:
    """Return the value of items without a segment."""
    return empty


def place_of(at: Threshold, thresholds: Sequence[Threshold]) -> int:
    """Return the position of a threshold among those of a metric."""
    places = [place for place, known in enumerate(thresholds) if fraction(known) == fraction(at)]
    if not places:
        raise OptionError(f"at is {at!r}; expected one of the thresholds, {', '.join(map(str, thresholds))}")
    return places[0]


def over_thresholds(parts: Callable[[Sums], Parts]) -> Callable[..., Quotient]:
    """Return the mean over thresholds (the last axis) of a quotient, or that ``at`` one of them; ``empty`` is 0/0."""

    @wraps(parts, assigned=("__name__", "__qualname__"))
    def formula(
        sums: Sums, *, thresholds: Thresholds = HALF_TO_ONE, empty: float | None = None, at: Threshold | None = None
    ) -> Quotient:
        top, bottom, reason = parts(sums)
        defined = bottom > 0
        values = np.where(defined, top / np.where(defined, bottom, 1), math.nan if empty is None else empty)
        occurs = (sums["true"] + sums["pred"] > 0).any(axis=-1)
        used = ~np.isnan(values)
        if at is not None:
            used &= np.arange(values.shape[-1]) == place_of(at, as_thresholds(thresholds))
        total, count = np.where(used, values, 0.0).sum(axis=-1), used.sum(axis=-1)
        return Quotient(total, count, reason, occurs, along=values)

    del formula.__wrapped__  # its options are those of the formula
    return formula


def _threshold_details(
    quotient: Quotient,
    _sums: Sums | None,
    _names: Sequence[Hashable],
    *,
    thresholds: Thresholds = HALF_TO_ONE,
    empty: float | None = None,
    at: Threshold | None = None,
) -> dict[str, Any]:
    """Return the means over classes at every threshold, those that are defined, and which one is the value."""
    values = quotient.along[:, 0]
    if quotient.occurs is not None and (empty is None or quotient.occurs.any()):
        values = np.where(quotient.occurs[:, :1], values, math.nan)
    named = [str(threshold) for threshold in as_thresholds(thresholds)]
    defined = ~np.isnan(values)
    means = ratio_or_nan(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0)).tolist()
    by_threshold = {name: value for name, value in zip(named, means, strict=True) if value == value}
    chosen = {} if at is None else {"at": named[place_of(at, as_thresholds(thresholds))]}
    return {"thresholds": by_threshold, **chosen} if by_threshold else chosen


def _counts_and_details(
    quotient: Quotient,
    sums: Sums | None,
    names: Sequence[Hashable],
    *,
    thresholds: Thresholds = HALF_TO_ONE,
    empty: float | None = None,
    at: Threshold | None = None,
) -> dict[str, Any]:
    """Return the same and, at every threshold, the segments with and without a partner; a mean over items has none."""
    details = _threshold_details(quotient, sums, names, thresholds=thresholds, empty=empty, at=at)
    if sums is None:
        return details
    pairs, true, pred = (sums[name][:, 0].sum(axis=0) for name in ("pairs", "true", "pred"))
    counts = {"TP": pairs, "FP": pred - pairs, "FN": true - pairs}
    named = list(map(str, as_thresholds(thresholds)))
    return details | {name: dict(zip(named, count.tolist(), strict=True)) for name, count in counts.items()}


AT_THRESHOLDS = Aggregation(threshold_counts, empty=value_if_empty, describe=_threshold_details, describes_items=True)
"""Counts of all items are added, then the mean over thresholds is taken for each class, then over those that occur."""
_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_HALVES = [[1, 1, 2, 2]], [[1, 2, 3, 3]]
_CITED = ("schmidt2018cell", "stringer2021cellpose", "caicedo2019nucleus")
_NOTES = (
    "The value is the mean over the thresholds, or with at=0.5 that at one of them; details['thresholds'] has each of"
    " them. Segments are matched again at each threshold: as many pairs as possible, then the largest sum of IoUs, so"
    " thresholds below 1/2 have a value. IoU equal to the threshold is a match, strict=True requires more (Kaggle). "
    "compare='float32' rounds IoUs and thresholds to single precision first, as stardist does, which matters for "
    "segments of millions of elements. Over a data set the counts of all items are added; by item, it is the mean "
    "over items. Where segments carry classes, segments of the same class are matched, and the value is the mean over"
    " the classes. "
)
_threshold_score = partial(metric, citation=_CITED, statistics=AT_THRESHOLDS)


@partial(_threshold_score, statistics=replace(AT_THRESHOLDS, describe=_counts_and_details))(
    symbol=r"\mathrm{TP}/(\mathrm{TP}+\mathrm{FP}+\mathrm{FN})",
    order=10,
    aliases={"cell_ap": {}, "threat_score": {}, "accuracy@50": {"thresholds": "0.5"}},
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{|TP_\gamma|}{|TP_\gamma|+|FP_\gamma|+|FN_\gamma|}",
    summary="Matched segments over all segments of both sides, a pair counted once: the 'AP' of cell segmentation.",
    symmetric=True,
    notes=_NOTES + "None on either side: undefined; empty=0 is the value of stardist, empty=1 that of sortedAP.",
    examples=(
        Example(*_B, 3 / 4, {"thresholds": 0.5}),
        Example(*_B, 2 / 5, {"thresholds": 0.5, "strict": True}),
        Example(*_B, 1 / 6, {"thresholds": 0.8, "strict": True}),
        Example(*_HALVES, 2 / 3, {"thresholds": 0.5}),
        Example(*_B, (3 / 4 + 6 * 2 / 5 + 3 * 1 / 6) / 10),
        Example(*_B, 2 / 5, {"at": "0.6"}),
    ),
)
@over_thresholds
def segment_accuracy(sums: Sums) -> Parts:
    return sums["pairs"], sums["true"] + sums["pred"] - sums["pairs"], NO_SEGMENTS


@_threshold_score(
    symbol=r"F_1(\gamma)",
    aliases=("detection_f1",),
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{2|TP_\gamma|}{2|TP_\gamma|+|FP_\gamma|+|FN_\gamma|}",
    summary="F1 of segments that are matched at IoU thresholds, and its mean over them.",
    symmetric=True,
    notes=_NOTES + "None on either side: undefined, or the value of empty.",
    examples=(Example(*_B, 6 / 7, {"thresholds": 0.5}), Example(*_B, (6 / 7 + 2 / 7) / 2, {"thresholds": (0.5, 0.9)})),
)
@over_thresholds
def segment_f1(sums: Sums) -> Parts:
    return 2 * sums["pairs"], sums["true"] + sums["pred"], NO_SEGMENTS


@_threshold_score(
    symbol=r"P(\gamma)",
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{|TP_\gamma|}{|TP_\gamma|+|FP_\gamma|}",
    summary="Precision of segments that are matched at IoU thresholds, and its mean over them.",
    swaps_with="segment_recall",
    notes=_NOTES + "Undefined without predicted segments, or the value of empty.",
    examples=(Example(*_B, 3 / 4, {"thresholds": 0.5}), Example([[1]], [[0]], 0, {"thresholds": 0.5, "empty": 0})),
)
@over_thresholds
def segment_precision(sums: Sums) -> Parts:
    return sums["pairs"], sums["pred"], "no pred segments"


@_threshold_score(
    symbol=r"R(\gamma)",
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{|TP_\gamma|}{|TP_\gamma|+|FN_\gamma|}",
    summary="Recall of segments that are matched at IoU thresholds, and its mean over them.",
    notes=_NOTES + "Undefined without true segments, or the value of empty.",
    examples=(Example(*_B, 3 / 3, {"thresholds": 0.5}), Example([[0]], [[1]], 0, {"thresholds": 0.5, "empty": 0})),
)
@over_thresholds
def segment_recall(sums: Sums) -> Parts:
    return sums["pairs"], sums["true"], "no true segments"


@_threshold_score(
    symbol=r"\mathrm{PQ}(\gamma)",
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}"
    r"\frac{2\sum_{(t,h)\in TP_\gamma}\mathrm{IoU}(t,h)}{2|TP_\gamma|+|FP_\gamma|+|FN_\gamma|}",
    summary="Panoptic quality of segments that are matched at IoU thresholds, and its mean over them.",
    symmetric=True,
    notes=_NOTES + "None on either side: undefined, or the value of empty. pq is the published number: IoU above 1/2.",
    examples=(Example(*_B, 2 * 2.3 / 7, {"thresholds": 0.5}), Example(*_HALVES, 2 * 1.5 / 5, {"thresholds": 0.5})),
)
@over_thresholds
def segment_pq(sums: Sums) -> Parts:
    return 2 * sums["iou"], sums["true"] + sums["pred"], NO_SEGMENTS


@_threshold_score(
    symbol=r"\overline{\mathrm{IoU}}_{TP}",
    aliases=("mean_matched_score",),
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{1}{|TP_\gamma|}\sum_{(t,h)\in TP_\gamma}\mathrm{IoU}(t,h)",
    summary="The mean IoU of the pairs that are matched at IoU thresholds, and its mean over them.",
    symmetric=True,
    notes=_NOTES + "A threshold without a matched pair is left out, or has the value of empty.",
    examples=(Example(*_B, 2.3 / 3, {"thresholds": 0.5}), Example(*_B, (2.3 / 3 + 1) / 2, {"thresholds": (0.5, 0.9)})),
)
@over_thresholds
def mean_matched_iou(sums: Sums) -> Parts:
    return sums["iou"], sums["pairs"], "no matched pair"


@_threshold_score(
    symbol=r"\overline{\mathrm{IoU}}_{T}",
    aliases=("mean_true_score",),
    formula=r"\frac{1}{|\Gamma|}\sum_{\gamma\in\Gamma}\frac{1}{|T|}\sum_{(t,h)\in TP_\gamma}\mathrm{IoU}(t,h)",
    summary="The sum of the IoUs of the matched pairs over the number of true segments, at IoU thresholds; the mean.",
    notes=_NOTES + "Undefined without true segments, or the value of empty.",
    examples=(Example(*_B, 2.3 / 3, {"thresholds": 0.5}), Example(*_B, 1.8 / 3, {"thresholds": 0.75})),
)
@over_thresholds
def mean_true_iou(sums: Sums) -> Parts:
    return sums["iou"], sums["true"], "no true segments"


LEAST = 0.001
"""The least IoU of a pair in the public program."""
Area = Literal["steps", "trapezoid"]
_HALF = [[1, 1]], [[1, 0]]


def assigned_ious(overlaps: CountedOverlaps) -> dict[str, Column]:
    """Collect the IoUs of the assigned pairs of one item, and the numbers of true and pred segments.

    An assignment of the segments that overlap pairs as many of them as the smaller side has, so some of its pairs may
    share nothing: they have an IoU of 0.
    """
    pairs = overlaps.pairs
    sides = len(overlaps.table.true), len(overlaps.table.pred)
    weights = weigh("iou", pairs.shared, pairs.missed, pairs.spurious)
    kept = np.flatnonzero(weights >= LEAST)
    ious: FloatArray = np.zeros(0)
    matched = np.zeros(0, dtype=np.intp)
    if kept.size:
        matched = kept[assign(pairs.at_true[kept], pairs.at_pred[kept], weights[kept], *sides)]
        most = min(np.unique(pairs.at_true[kept]).size, np.unique(pairs.at_pred[kept]).size)
        ious = np.concatenate((np.zeros(most - matched.size), np.sort(weights[matched])))
    counted = overlaps.counted(marks(pairs.at_true[matched], sides[0]), marks(pairs.at_pred[matched], sides[1]))
    n_true, n_pred = (np.array([np.count_nonzero(side)], dtype=np.int64) for side in counted)
    return {"iou": ious, "true": n_true, "pred": n_pred}


def _curve_area(ious: FloatArray, n_segments: int, area: Area) -> float:
    """Return the area under the curve of pairs with these IoUs, ascending, on sides with so many segments together."""
    if not ious.size:
        return 0.0
    # The height of the curve up to each IoU: one pair less is matched beyond each of them.
    heights = _accuracy_of(np.arange(ious.size, 0, -1), n_segments)
    widths = np.diff(ious, prepend=0.0)
    if area == "trapezoid":
        before = np.concatenate((heights[:1], heights[:-1]))
        return math.fsum((*(widths * (heights + before) / 2).tolist(), (1 - ious[-1]) * heights[-1] / 2))
    return math.fsum((widths * heights).tolist())


def _accuracy_of(matched: IntArray, both: int) -> FloatArray:
    """Return TP/(TP + FP + FN) for numbers of matched pairs, if both sides have so many segments together."""
    accuracy: FloatArray = matched / (both - matched)
    return accuracy


@metric(
    symbol=r"\mathrm{sortedAP}",
    order=140,
    formula=r"\int_0^1\frac{|TP_\gamma|}{|TP_\gamma|+|FP_\gamma|+|FN_\gamma|}\,d\gamma",
    summary="The area under TP/(TP + FP + FN) over all IoU thresholds: every change of a mask changes the value.",
    citation=("chen2023sortedap",),
    symmetric=True,
    notes="area='steps' (default) is the exact area of the step function; 'trapezoid' is what the public program "
    "computes. Pairs are those of the assignment with the largest sum of IoUs; pairs of IoU below 0.001 are not "
    "matched. Over a data set the pairs of all images are put together; by item, it is the mean over images. Segments "
    "on one side only: 0. None on either side: undefined; empty=1 is the value of the program.",
    examples=(
        Example(*_HALF, 1 / 2),
        Example(*_HALF, 1 / 2 + 1 / 4, {"area": "trapezoid"}),
        Example(*_B, 0.5 * 3 / 4 + 0.3 * 2 / 5 + 0.2 * 1 / 6),
    ),
    statistics=Aggregation(assigned_ious, is_ranked=True, average=POOLED, empty=value_if_empty),
)
def sorted_ap(
    statistics: Statistics, times: IntArray, *, area: Area = "steps"
) -> tuple[Quotient, tuple[Hashable, ...]]:
    check_choice("area", area, Area)
    order = np.argsort(statistics.columns["iou"], kind="stable")
    ious, item = statistics.columns["iou"][order], statistics.item_of("iou")[order]
    both = (statistics.columns["true"] + statistics.columns["pred"]) @ times
    areas = [
        _curve_area(np.repeat(ious, drawn[item]), int(number), area) if number else math.nan
        for drawn, number in zip(times.T, both.tolist(), strict=True)
    ]
    return Quotient(np.array([areas]), reason=NO_SEGMENTS), (ALONE,)
