r"""The aggregated Jaccard index and its one-to-one form AJI+ [kumar2017dataset, graham2019hovernet].

AJI: each true segment t with its best prediction h_t, Σ|t ∩ h_t| over Σ|t ∪ h_t| plus the sizes of all predictions that
are the best of none; a true segment without overlap adds its size. Four public programs disagree about "best", about
what is used, and about the denominator; ``reading`` names them.

Panoptic quality of nuclei: binary PQ and multi-class PQ per image [gamper2020pannuke, graham2021conic].

bPQ ignores the classes. mPQ is the mean over the classes of an image, and PanNuke leaves out the classes of which the
truth of the image has no nucleus, whatever was predicted. The mean of both over images is the published value. mPQ+
[graham2021conic] is another number: counts are added up over all images for each class first, which is ``pq`` by class.

Symmetric best Dice of leaves and the ensemble Dice of nuclei [scharr2016leaf, vu2019methods] take best partners, too.

SEG and DET of the Cell Tracking Challenge [maska2014benchmark, matula2015cell].

A predicted cell is the match of a true cell if it covers more than half of it. SEG is the mean IoU of all true cells
with their matches, 0 for those without one. DET compares the work of correcting the detections, 5 for each split, 10
for each missed and 1 for each spurious cell, with that of adding all true cells: 1 − min(D, D₀)/D₀.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, FloatArray, IndexArray, IntArray, check_choice
from segmetry.alignments import Candidates, CountedOverlaps, marks, weigh
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.instances.segment_scores import ALONE, admitted, assign, match_most, value_if_empty
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.tally_quotient import NO_SEGMENTS
from segmetry.segmentation import LabelArray, Spans

JaccardReading = Literal["hover_net", "monuseg", "sortedap", "cellpose"]
EPSILON = 1e-6
"""What hover_net adds to every union: of two predictions of equal IoU, the one with the larger union is the best."""
_MERGED = [[1, 1, 1, 2, 2, 0]], [[7, 7, 7, 7, 7, 7]]
_EQUAL = [[1, 1, 1, 1, 0, 0, 0, 0]], [[7, 8, 8, 0, 8, 8, 8, 8]]
"""Two predictions of IoU 1/4."""
_TIED = [[1, 1, 1, 1, 0, 0]], [[7, 8, 8, 8, 8, 8]]


def jaccard_parts(overlaps: CountedOverlaps, *, reading: JaccardReading = "hover_net") -> dict[str, Column]:
    """Collect the numerator and the denominator of the index of one item."""
    score = _aggregated_sums(overlaps, reading)
    counts = {"shared": score.numerator, "union": score.denominator, "ties": score.details.get("ties", 0)}
    return {name: np.array([count]) for name, count in counts.items()}


def _tie_details(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, int]:
    ties = int(sums["ties"].sum())
    return {"ties": ties} if ties else {}


@metric(
    symbol=r"\mathrm{AJI}",
    order=80,
    aliases=("aggregated_jaccard_index",),
    formula=r"\frac{\sum_t|t\cap h_t|}{\sum_t|t\cup h_t|+\sum_{h\ne h_t\forall t}|h|}",
    summary="The aggregated Jaccard index: the intersections of true segments with their best predictions, over the "
    "unions and all unused predictions.",
    citation=("kumar2017dataset", "graham2019hovernet"),
    pooled=True,
    ties_by_id=True,
    notes="reading='hover_net' (default): the prediction of largest IoU, which may serve several true segments; of "
    "equal IoUs the one with the larger union, as the 1e-6 that this program adds decides, then the smaller id. "
    "'monuseg', the script of the challenge: of equal IoUs the smaller id. 'sortedap': the prediction of largest "
    "intersection, of equal ones the smaller id; where a true segment overlaps nothing, the first prediction counts as "
    "used, as in that program. 'cellpose': one-to-one, most pairs of IoU at least 1/2, then the largest sum of IoUs; "
    "the denominator is the number of elements in a segment of either side, so a prediction merged with another "
    "counts once. Segments on one side only: 0. None on either side: undefined; empty=1 is the value of sortedAP. "
    "Where segments carry classes, partners have the same class.",
    statistics=Aggregation(jaccard_parts, average=POOLED, empty=value_if_empty, describe=_tie_details),
    examples=(
        Example(*_MERGED, 5 / 12),
        Example(*_MERGED, 3 / 6, {"reading": "cellpose"}),
        Example(*_EQUAL, 2 / 9),
        Example(*_EQUAL, 1 / 10, {"reading": "monuseg"}),
        Example([[1, 1, 0]], [[1, 0, 2]], 1 / 3),
        Example([[0]], [[0]], 1, {"empty": 1}),
    ),
)
def aji(sums: Sums) -> Quotient:
    return Quotient(sums["shared"], sums["union"], NO_SEGMENTS)


@metric(
    symbol=r"\mathrm{AJI}^+",
    formula=r"\frac{\sum_{(t,h)\in A}|t\cap h|}{\sum_{(t,h)\in A}|t\cup h|+\sum_{t\notin A}|t|+\sum_{h\notin A}|h|}",
    summary="The aggregated Jaccard index with one-to-one pairs, those of the largest sum of IoUs.",
    citation=("graham2019hovernet", "kumar2017dataset"),
    symmetric=True,
    pooled=True,
    notes="Of assignments with equal sums the one with larger unions, as the 1e-6 that hover_net adds to each union "
    "decides. Segments on one side only: 0. None on either side: undefined, or the value of empty.",
    examples=(Example(*_MERGED, 3 / 8), Example(*_TIED, 3 / 7)),
)
def aji_plus(overlaps: CountedOverlaps, *, empty: float | None = None) -> Score:
    pairs, sides = overlaps.pairs, (len(overlaps.table.true), len(overlaps.table.pred))
    gains = pairs.shared / (_unions(pairs) + EPSILON)
    chosen = assign(pairs.at_true, pairs.at_pred, gains, *sides) if len(pairs) else np.zeros(0, dtype=np.intp)
    return _aggregated_score("aji_plus", overlaps, chosen, marks(pairs.at_pred[chosen], sides[1])).filled(empty)


def _aggregated_sums(overlaps: CountedOverlaps, reading: JaccardReading) -> Score:
    check_choice("reading", reading, JaccardReading)
    if reading == "cellpose":
        return _over_foreground(overlaps)
    chosen, ties = _best_pairs(overlaps.pairs, len(overlaps.table.true), reading)
    used = marks(overlaps.pairs.at_pred[chosen], len(overlaps.table.pred))
    if reading == "sortedap" and np.unique(overlaps.pairs.at_true).size < len(overlaps.table.true):
        # That program takes argmax over the intersections of a true segment: without any it is the first prediction.
        used[:1] = True
    return _aggregated_score("aji", overlaps, chosen, used, ties)


def _unions(pairs: Candidates) -> IntArray:
    return pairs.shared + pairs.missed + pairs.spurious


def _best_pairs(pairs: Candidates, n_true: int, reading: str) -> tuple[IndexArray, int]:
    """Return the position of the best pair of every true segment that has one, and how many were chosen by id."""
    union = _unions(pairs)
    if reading == "sortedap":
        quality = pairs.shared.astype(np.float64)
    elif reading == "monuseg":
        quality = weigh("iou", pairs.shared, pairs.missed, pairs.spurious)
    else:
        quality = pairs.shared / (union + EPSILON)
    best = np.full(n_true, -1.0)
    np.maximum.at(best, pairs.at_true, quality)
    level = np.flatnonzero(quality == best[pairs.at_true])
    _, first, count = np.unique(pairs.at_true[level], return_index=True, return_counts=True)
    return level[first], int(np.count_nonzero(count > 1))


def _aggregated_score(
    key: str, overlaps: CountedOverlaps, chosen: IndexArray, used: NDArray[np.bool_], ties: int | None = None
) -> Score:
    """Return Σ∩ over Σ∪, the true segments without a pair and the predictions that are not used."""
    pairs = overlaps.pairs.take(chosen)
    counts_true, counts_pred = overlaps.counted(*overlaps.touched)
    alone = counts_true & ~marks(pairs.at_true, counts_true.size)
    union = _unions(pairs).sum() + overlaps.true_sizes[alone].sum() + overlaps.pred_sizes[counts_pred & ~used].sum()
    details = {} if ties is None else {"ties": ties}
    return Score.of(key, int(pairs.shared.sum()), int(union), NO_SEGMENTS, **details)


def _over_foreground(overlaps: CountedOverlaps) -> Score:
    """Return Σ∩ of a one-to-one assignment over the elements in a segment of either side."""
    pairs, sides = overlaps.pairs, (len(overlaps.table.true), len(overlaps.table.pred))
    shared = 0
    if len(pairs):
        weights = weigh("iou", pairs.shared, pairs.missed, pairs.spurious)
        hits = admitted(pairs.shared, _unions(pairs), "1/2").astype(np.float64)
        chosen = assign(pairs.at_true, pairs.at_pred, hits + weights / (2 * min(sides)), *sides)
        shared = int(pairs.shared[chosen].sum())
    # Cellpose divides by the foreground of both sides together, not by Σ∪ and the unused predictions.
    return Score.of("aji", shared, _foreground_size(overlaps), NO_SEGMENTS, ties=0)


def _foreground_size(overlaps: CountedOverlaps) -> int:
    """Return how many elements that count are in a segment of either side."""
    background, policy = overlaps.table.background, overlaps.policy
    left = background.outside_outside
    left += 0 if policy.true_void else background.outside_void
    left += 0 if policy.pred_void else background.void_outside
    left += 0 if policy.true_void or policy.pred_void else background.void_void
    return overlaps.n_elements - left


NO_TRUTH = "no true segments"
_TYPES = {1: "neoplastic", 2: "dead", 3: "dead"}
_IMAGE = (
    LabelArray([[1, 1, 1, 0, 2, 2, 0]], classes=_TYPES),
    LabelArray([[1, 1, 0, 0, 3, 3, 3]], classes={1: "neoplastic", 3: "inflammatory"}),
)


@metric(
    symbol=r"\mathrm{bPQ}",
    order=150,
    aliases=("binary_pq",),
    formula=r"\frac{\sum_{(t,h)\in TP}\mathrm{IoU}(t,h)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Binary panoptic quality: PQ of all segments, whatever their classes.",
    citation=("gamper2020pannuke", "graham2021conic"),
    symmetric=True,
    pooled=True,
    notes="Pairs of IoU above 1/2. skip_without_truth=True leaves items without a true segment undefined even where "
    "something is predicted, as PanNuke does. None on either side: undefined; empty=0 is the value of CoNIC. Where "
    "segments overlap each other, pairs are one-to-one: as many as possible, then the largest sum of IoUs.",
    examples=(Example(*_IMAGE, (2 / 3 + 2 / 3) / 2), Example([[0]], [[1]], None, {"skip_without_truth": True})),
)
def bpq(overlaps: CountedOverlaps, *, skip_without_truth: bool = False, empty: float | None = None) -> Score:
    (sum_of_ious, n_true, n_pred) = _class_counts(overlaps.regardless_of_class())[0]
    if skip_without_truth and not n_true:
        return Score.of("bpq", 0, 0, NO_TRUTH)
    return Score.of("bpq", 2 * sum_of_ious, n_true + n_pred, NO_SEGMENTS).filled(empty)


def class_ious(overlaps: CountedOverlaps) -> dict[str, Column]:
    """Collect Σ IoU over the pairs of IoU above 1/2, |T| and |H| of each class of one image."""
    by_class = overlaps.classes == "match" and overlaps.table.class_names
    names = list(by_class or (ALONE,))
    iou, true, pred = zip(*_class_counts(overlaps), strict=True)
    return {"class": names, "iou": np.array(iou, dtype=np.float64), "true": np.array(true), "pred": np.array(pred)}


@metric(
    symbol=r"\mathrm{mPQ}",
    aliases=("multiclass_pq",),
    formula=r"\frac{1}{|C|}\sum_{c\in C}\mathrm{PQ}_c",
    summary="Multi-class panoptic quality of an image: the mean of PQ over the classes that its truth contains.",
    citation=("gamper2020pannuke",),
    notes="Segments of the same class match at IoU above 1/2. A class without a true segment in the item is left out, "
    "so predictions of it cost nothing there; pq counts them. Over a data set, by class, counts are added first; the "
    "published value is the mean over images (by item). Segments without classes are of one class. "
    "Undefined without true segments.",
    examples=(Example(*_IMAGE, (2 / 3 + 0) / 2), Example([[1, 1]], [[1, 1]], 1)),
    statistics=Aggregation(class_ious, no_class=NO_TRUTH),
)
def mpq(sums: Sums) -> Quotient:
    has_truth = sums["true"] > 0
    bottom = np.where(has_truth, sums["true"] + sums["pred"], 0)
    return Quotient(2 * sums["iou"], bottom, NO_TRUTH, occurs=has_truth)


def _class_counts(overlaps: CountedOverlaps) -> list[tuple[float, int, int]]:
    """Return Σ IoU over the pairs of IoU above 1/2, |T| and |H|: by class, or of all segments."""
    table, pairs = overlaps.table, overlaps.pairs
    by_class = overlaps.classes == "match" and bool(table.class_names)
    n_classes, sides = len(table.class_names or ()) if by_class else 1, (table.true, table.pred)
    true, pred = (side.class_codes if by_class else np.zeros(len(side), dtype=np.int64) for side in sides)
    weights = weigh("iou", pairs.shared, pairs.missed, pairs.spurious)
    hits = pairs.shared > pairs.missed + pairs.spurious
    matched = match_most(pairs, hits, weights, true.size, pred.size)
    chosen, ious = pairs.take(matched), weights[matched]
    counted = overlaps.counted(marks(chosen.at_true, true.size), marks(chosen.at_pred, pred.size))
    return [
        (
            math.fsum(ious[true[chosen.at_true] == code].tolist()),
            int(np.count_nonzero(counted[0] & (true == code))),
            int(np.count_nonzero(counted[1] & (pred == code))),
        )
        for code in range(n_classes)
    ]


_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])


@metric(
    symbol=r"\mathrm{SBD}",
    order=100,
    aliases=("symmetric_best_dice",),
    formula=r"\min\left(\frac{1}{|T|}\sum_t\max_h D(t,h),\ \frac{1}{|H|}\sum_h\max_t D(t,h)\right)",
    summary="Symmetric best Dice: the mean best Dice coefficient of the segments of a side, of the lower side.",
    citation=("scharr2016leaf",),
    symmetric=True,
    notes="A segment may be the best of several others, and one without overlap has 0. Segments on one side only: 0. "
    "None on either side: undefined; empty=0 is the value of the CVPPP script, empty=1 that of sortedAP. details give "
    "both directions.",
    examples=(
        Example(*_B, (8 / 9 + 2 / 5 + 4 / 6 + 1) / 4),
        Example([[1, 1]], [[0, 0]], 0),
        Example([[0]], [[0]], 0, {"empty": 0}),
    ),
)
def sbd(overlaps: CountedOverlaps, *, empty: float | None = None) -> Score:
    (true, n_true), (pred, n_pred) = best_dice(overlaps)
    if not n_true or not n_pred:
        return Score.of("sbd", 0, n_true + n_pred, NO_SEGMENTS).filled(empty)
    directions = {"true": true / n_true, "pred": pred / n_pred}
    return Score.number("sbd", min(directions.values()), **directions)


@metric(
    symbol=r"D_2",
    aliases=("dice2", "dice_2"),
    formula=r"\frac{2\sum_{t\cap h\ne\emptyset}|t\cap h|}{\sum_{t\cap h\ne\emptyset}(|t|+|h|)}",
    summary="Ensemble Dice: intersections and sizes added up over all overlapping pairs of segments.",
    citation=("vu2019methods", "graham2019hovernet"),
    symmetric=True,
    pooled=True,
    notes="A pair that shares a single element counts with both its sizes, so small errors cost much; segments without "
    "overlap do not count at all. Undefined without an overlapping pair, or the value of empty.",
    examples=(Example([[1, 1, 1, 2]], [[1, 1, 2, 2]], 2 * 4 / (5 + 5 + 3)), Example([[1, 0]], [[0, 1]], None)),
)
def ensemble_dice(overlaps: CountedOverlaps, *, empty: float | None = None) -> Score:
    pairs = overlaps.pairs
    sizes = 2 * pairs.shared + pairs.missed + pairs.spurious
    top, bottom = 2 * int(pairs.shared.sum()), int(sizes.sum())
    return Score.of("ensemble_dice", top, bottom, "no segments overlap").filled(empty)


def best_dice(overlaps: CountedOverlaps) -> tuple[tuple[float, int], tuple[float, int]]:
    """Return the sum of the best Dice coefficients and the number of segments, of the truth and of the prediction."""
    pairs = overlaps.pairs
    dice = weigh("dice", pairs.shared, pairs.missed, pairs.spurious)
    sums = []
    for at, counts in zip((pairs.at_true, pairs.at_pred), overlaps.counted(*overlaps.touched), strict=True):
        best: FloatArray = np.zeros(counts.size)
        np.maximum.at(best, at, dice)
        sums.append((math.fsum(best[counts].tolist()), int(np.count_nonzero(counts))))
    return sums[0], sums[1]


SPLIT, MISSED, SPURIOUS = 5, 10, 1
"""The costs of splitting a prediction, of adding a missed cell, and of deleting a spurious one [matula2015cell]."""
_MERGED_CELLS = [[1, 1, 1, 2, 2, 0]], [[7, 7, 7, 7, 7, 8]]


def majority_matches(overlaps: CountedOverlaps) -> IndexArray:
    """Return the positions of the pairs in which the prediction covers more than half of the true segment."""
    # More than half: at most one of several disjoint predictions covers so much of a true segment.
    return np.flatnonzero(overlaps.pairs.shared > overlaps.pairs.missed)


@metric(
    symbol=r"\mathrm{SEG}",
    order=120,
    formula=r"\frac{1}{|T|}\sum_{t:\,2|t\cap h_t|>|t|}\mathrm{IoU}(t,h_t)",
    summary="The mean IoU of true segments with the prediction that covers more than half of them, 0 without one.",
    citation=("maska2014benchmark",),
    pooled=True,
    notes="Spurious predictions cost nothing, so read it together with det. A prediction may cover several true "
    "segments. Where predictions overlap and several cover one true segment, the largest IoU counts. Over a data set "
    "all true segments of all frames count alike ('all segments'). It is the weighted recall of the rule "
    "tversky(alpha=0, beta=1, above=1/2) with all pairs kept. Undefined without true segments.",
    examples=(Example(*_MERGED_CELLS, (3 / 5 + 2 / 5) / 2), Example([[1, 1]], [[1, 0]], 0)),
)
def seg(overlaps: CountedOverlaps) -> Score:
    chosen = overlaps.pairs.take(majority_matches(overlaps))
    best: FloatArray = np.zeros(len(overlaps.table.true))
    np.maximum.at(best, chosen.at_true, weigh("iou", chosen.shared, chosen.missed, chosen.spurious))
    counts = overlaps.counted(*overlaps.touched)[0]
    return Score.of("seg", math.fsum(best[counts].tolist()), int(np.count_nonzero(counts)), NO_TRUTH)


def detection_operations(overlaps: CountedOverlaps) -> dict[str, Column]:
    """Collect the numbers of splits, missed, spurious and true segments of one frame."""
    chosen = overlaps.pairs.take(majority_matches(overlaps))
    covered = np.bincount(chosen.at_pred, minlength=len(overlaps.table.pred))
    found = np.bincount(chosen.at_true, minlength=len(overlaps.table.true)) > 0
    counts_true, counts_pred = overlaps.counted(*overlaps.touched)
    numbers = {
        "splits": np.maximum(covered - 1, 0).sum(),
        "missed": np.count_nonzero(counts_true & ~found),
        "spurious": np.count_nonzero(counts_pred & (covered == 0)),
        "true": np.count_nonzero(counts_true),
    }
    return {name: np.array([number], dtype=np.int64) for name, number in numbers.items()}


def _operation_details(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, int]:
    return {name: int(sums[name][0, 0]) for name in ("splits", "missed", "spurious", "true")}


@metric(
    symbol=r"\mathrm{DET}",
    formula=r"1-\frac{\min(D,D_0)}{D_0},\quad D=5\,\mathrm{NS}+10\,\mathrm{FN}+\mathrm{FP},\quad D_0=10\,|T|",
    summary="Detection accuracy: the cost of correcting the detections, relative to adding all true segments by hand.",
    citation=("matula2015cell",),
    notes="A prediction matches the true segments of which it covers more than half; with k of them it needs k − 1 "
    "splits. Over a data set the operations of all frames are added first. Never below 0. Undefined without true "
    "segments.",
    examples=(Example(*_MERGED_CELLS, 1 - (5 + 1) / 20), Example([[1, 1]], [[0, 0]], 0)),
    statistics=Aggregation(detection_operations, average=POOLED, describe=_operation_details),
)
def det(sums: Sums) -> Quotient:
    cost = SPLIT * sums["splits"] + MISSED * sums["missed"] + SPURIOUS * sums["spurious"]
    all_missed = MISSED * sums["true"]
    return Quotient(all_missed - np.minimum(cost, all_missed), all_missed, NO_TRUTH)
