r"""SQ and PQ with another weight of a matched pair than its IoU, such as the Dice coefficient [kofler2023panoptica].

Weights are exact quotients of integers, and a sum of weights is the exactly rounded sum of correctly rounded quotients.
Also errors of the volume of matched pairs, and of the number of segments, whether they match or not [scharr2016leaf].

PQ†: panoptic quality in which stuff classes are scored by plain IoU [porzi2019seamless].

A stuff class has one segment per image, so a threshold of IoU > ½ discards partial overlap.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, FloatArray, ratio
from segmetry.alignments import TVERSKY, WEIGHTS, Alignment, Tally, candidates_of, counted_sizes, weigh
from segmetry.metrics.aggregation import NO_CLASS, Aggregation
from segmetry.metrics.average import checked_undefined, needs_classes
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.tally_quotient import NO_SEGMENTS, SegmentCounts, count_quotient
from segmetry.segmentation import Spans

NO_PAIR = "no matched pair"
_A = Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5])
_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_APART = [[1, 1, 0, 0]], [[0, 0, 1, 1]]
_WEIGHTS = f"weight= takes {', '.join(WEIGHTS)} or {TVERSKY}; curves also weigh by shapes, such as hausdorff95. "
_WITHOUT = (
    "Undefined without a matched pair; without_pair=0 is the value of segments that match nothing, as panoptica counts "
    "it. Without any segment it stays undefined."
)


def _dice_of_pairs(tally: Tally) -> FloatArray:
    return tally.weights("dice")


def _weight_of_pairs(tally: Tally, *, weight: str) -> FloatArray:
    return tally.weights(weight)


def mean_over_pairs(counts: SegmentCounts, without_pair: float | None = None) -> Quotient:
    """Return the mean over the matched pairs; ``without_pair`` where there are segments and none match."""
    substitute = checked_undefined(without_pair)
    if substitute is None:
        return Quotient(counts.total, counts.n_pairs, NO_PAIR)
    unmatched = (counts.n_pairs == 0) & (counts.n_true + counts.n_pred > 0)
    return Quotient(np.where(unmatched, substitute, counts.total), np.where(unmatched, 1, counts.n_pairs), NO_PAIR)


def _over_segments(counts: SegmentCounts) -> Quotient:
    return Quotient(2 * counts.total, counts.n_true + counts.n_pred, NO_SEGMENTS)


@metric(
    order=92,
    aliases=("sq_dsc", "instance_dice"),
    formula=r"\mathrm{SQ}_D = \frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{2|t\cap h|}{|t|+|h|}",
    summary="Instance Dice: the mean Dice coefficient of the matched pairs.",
    citation="kofler2023panoptica",
    symmetric=True,
    notes=_WITHOUT,
    examples=(Example(*_A, (8 / 9 + 6 / 7 + 1) / 3), Example(*_APART, None), Example(*_APART, 0, {"without_pair": 0})),
)
@count_quotient(pairs=_dice_of_pairs)
def sq_dice(counts: SegmentCounts, *, without_pair: float | None = None) -> Quotient:
    return mean_over_pairs(counts, without_pair)


@metric(
    aliases=("pq_dsc",),
    formula=r"\mathrm{PQ}_D = \frac{\sum_{(t,h)\in TP}2|t\cap h|/(|t|+|h|)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Panoptic quality with the Dice coefficient of each pair in place of its IoU.",
    citation="kofler2023panoptica",
    symmetric=True,
    notes="Segments on one side only: 0. None on either side: undefined.",
    examples=(Example(*_A, (8 / 9 + 6 / 7 + 1) / 3), Example(*_B, 2 * (8 / 9 + 1) / 7)),
)
@count_quotient(pairs=_dice_of_pairs)
def pq_dice(counts: SegmentCounts) -> Quotient:
    return _over_segments(counts)


@metric(
    formula=r"\mathrm{SQ}_w = \frac{1}{|TP|}\sum_{(t,h)\in TP}w(t,h)",
    summary="Segmentation quality with a weight of your choice: its mean over the matched pairs.",
    citation=("kirillov2019panoptic", "kofler2023panoptica"),
    notes=f"{_WEIGHTS}iou gives SQ and dice gives sq_dice. {_WITHOUT}",
    examples=(Example(*_B, 1, {"weight": "coverage_true"}), Example(*_B, (4 / 5 + 1) / 2, {"weight": "coverage_pred"})),
    default_in_family=False,
)
@count_quotient(pairs=_weight_of_pairs)
def sq_weighted(counts: SegmentCounts, *, without_pair: float | None = None) -> Quotient:
    return mean_over_pairs(counts, without_pair)


@metric(
    formula=r"\mathrm{PQ}_w = \frac{\sum_{(t,h)\in TP}w(t,h)}{|TP|+\frac12|FP|+\frac12|FN|}",
    summary="Panoptic quality with a weight of your choice in place of the IoU.",
    citation=("kirillov2019panoptic", "kofler2023panoptica"),
    notes=f"{_WEIGHTS}iou gives PQ and dice gives pq_dice. Segments on one side only: 0. None on either side: "
    "undefined.",
    examples=(Example(*_B, 2 * (1 + 1) / 7, {"weight": "coverage_true"}),),
    default_in_family=False,
)
@count_quotient(pairs=_weight_of_pairs)
def pq_weighted(counts: SegmentCounts) -> Quotient:
    return _over_segments(counts)


_EQUAL_FITS = [[1, 1, 2, 2, 3, 3, 3, 3]], [[1, 1, 2, 2, 3, 3, 3, 0]]
_DISTINCT = (
    "The distinct values are averaged: two perfect pairs count as one, so that better pairs can lower the value. "
)


def _distinct_sum(tally: Tally) -> tuple[float, int]:
    """Return the sum of the distinct IoUs of the pairs, and how many they are."""
    values = np.unique(tally.one_to_one().weights("iou"))
    return math.fsum(values.tolist()), values.size


@metric(
    symbol=r"\mathrm{SQ}_{\ne}",
    order=112,
    formula=r"\frac{1}{|I|}\sum_{i\in I} i,\quad I = \{\mathrm{IoU}(t,h) : (t,h)\in TP\}",
    summary="SQ over the distinct IoUs of the matched pairs, as the program of the MapSeg competition computes it.",
    citation="chazalon2021revisiting",
    symmetric=True,
    notes=f"{_DISTINCT}sq is the mean over all pairs. Undefined without a matched pair.",
    examples=(Example(*_EQUAL_FITS, 7 / 8),),
    default_in_family=False,
)
def distinct_sq(alignment: Alignment) -> Score:
    return Score.of("distinct_sq", *_distinct_sum(alignment.tally), NO_PAIR)


@metric(
    symbol=r"\mathrm{PQ}_{\ne}",
    formula=r"\mathrm{SQ}_{\ne}\cdot\mathrm{RQ}",
    summary="PQ over the distinct IoUs of the matched pairs, as the program of the MapSeg competition computes it.",
    citation="chazalon2021revisiting",
    symmetric=True,
    notes=f"{_DISTINCT}pq counts all pairs. Segments on one side only: 0. None on either side: undefined.",
    examples=(Example(*_EQUAL_FITS, 7 / 8),),
    default_in_family=False,
)
def distinct_pq(alignment: Alignment) -> Score:
    tally = alignment.tally
    total, n_values = _distinct_sum(tally)
    top, bottom = 2 * tally.n_pairs * total, (tally.n_true + tally.n_pred) * max(n_values, 1)
    return Score.of("distinct_pq", top, bottom, NO_SEGMENTS)


_LARGER = [[1, 1, 1, 0, 2, 2, 2, 2]], [[1, 1, 1, 1, 2, 2, 2, 0]]


def _volume_differences(tally: Tally) -> FloatArray:
    """Return (|h| − |t|)/|t| of every pair, correctly rounded."""
    return np.asarray(ratio(tally.spurious - tally.missed, tally.shared + tally.missed))


def _volume_errors(tally: Tally) -> FloatArray:
    return np.abs(_volume_differences(tally))


@metric(
    symbol=r"\mathrm{SQ}_{\mathrm{RVD}}",
    order=132,
    formula=r"\frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{|h|-|t|}{|t|}",
    summary="Relative volume difference of the matched pairs: how much larger predicted segments are than the true "
    "ones, on average.",
    citation="kofler2023panoptica",
    bounds=(-1, math.inf),
    better="neither",
    value_if_equal=0,
    notes="Positive where predicted segments are too large, negative where they are too small; errors of opposite sign "
    "cancel. Undefined without a matched pair.",
    examples=(Example(*_LARGER, (1 / 3 - 1 / 4) / 2),),
)
@count_quotient(pairs=_volume_differences)
def sq_rvd(counts: SegmentCounts) -> Quotient:
    return mean_over_pairs(counts)


@metric(
    symbol=r"\mathrm{SQ}_{\mathrm{RVAE}}",
    formula=r"\frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{\bigl||h|-|t|\bigr|}{|t|}",
    summary="Relative absolute volume error of the matched pairs: by how much of its volume a true segment is "
    "predicted too large or too small, on average.",
    citation="kofler2023panoptica",
    bounds=(0, math.inf),
    better="lower",
    notes="Undefined without a matched pair.",
    examples=(Example(*_LARGER, (1 / 3 + 1 / 4) / 2),),
)
@count_quotient(pairs=_volume_errors)
def sq_rvae(counts: SegmentCounts) -> Quotient:
    return mean_over_pairs(counts)


@metric(
    aliases=("dic",),
    formula=r"\mathrm{DiC} = |H|-|T|",
    summary="Difference in count: the number of predicted segments less that of true segments.",
    citation="scharr2016leaf",
    bounds=(-math.inf, math.inf),
    better="neither",
    is_count=True,
    value_if_equal=0,
    notes="Whether segments match does not matter, but the policy does: what it ignores (crowd, void) is not counted. "
    "The CVPPP script counts up to the largest label, so that a gap in the labels is an object there.",
    examples=(Example(*_B, 1),),
)
def count_difference(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pred - counts.n_true)


@metric(
    aliases=("abs_dic",),
    formula=r"|\mathrm{DiC}| = \bigl||H|-|T|\bigr|",
    summary="Absolute difference in count between predicted and true segments.",
    citation="scharr2016leaf",
    better="lower",
    symmetric=True,
    pooled=True,
    is_count=True,
    notes="Taken for each item before it is averaged or added up, so that too many segments in one item do not make up "
    "for too few in another.",
    examples=(Example(*_B, 1), Example(*_B[::-1], 1)),
)
def absolute_count_difference(alignment: Alignment) -> Score:
    tally = alignment.tally.one_to_one()
    return Score.of("absolute_count_difference", abs(tally.n_pred - tally.n_true), 1)


_EXAMPLE = (
    Spans.from_tags(["B-sky", "I-sky", "I-sky", "B-car", "I-car"]),
    Spans.from_tags(["B-sky", "O", "O", "B-car", "I-car"]),
)


def dagger_terms(alignment: Alignment, *, stuff: Collection[Hashable] | None = None) -> dict[str, Column]:
    """Collect the terms of every class: a thing class adds 2 IoU over 2 for a pair and 0 over 1 for a missed or
    spurious segment, which is PQ; a stuff class adds the IoU of every overlapping pair, matched or not, and 1 for every
    true segment that counts.
    """
    table = alignment.table
    if stuff is None:
        return {"class": [], "numerator": np.zeros(0), "denominator": np.zeros(0, dtype=np.int64)}
    if table.class_names is None:
        raise needs_classes("pq_dagger")
    is_stuff = np.array([name in stuff for name in table.class_names], dtype=bool)
    true_codes, pred_codes = table.true.class_codes, table.pred.class_codes
    true_stuff, pred_stuff = is_stuff[true_codes], is_stuff[pred_codes]
    if not true_stuff.all() or not pred_stuff[~alignment.matched_pred].all():
        alignment.tally.one_to_one()
    matched = np.flatnonzero(~true_stuff[alignment.at_true])
    candidates, _ = candidates_of(table, alignment.policy, "match")
    overlapping = candidates.take(np.flatnonzero(true_stuff[candidates.at_true]))
    ious = weigh("iou", overlapping.shared, overlapping.missed, overlapping.spurious)
    stuff_true = np.flatnonzero(true_stuff)
    terms = (
        (true_codes[alignment.at_true[matched]], 2 * alignment.iou[matched], 2),
        (true_codes[alignment.missed_true & ~true_stuff], 0.0, 1),
        (true_codes[overlapping.at_true], ious, 0),
        (true_codes[stuff_true], 0.0, _counted_true(alignment)[stuff_true]),
        (pred_codes[alignment.spurious_pred & ~pred_stuff], 0.0, 1),
        (pred_codes[~alignment.matched_pred & pred_stuff], 0.0, 0),  # only predicted: no penalty
    )
    codes = np.concatenate([code for code, _, _ in terms])
    tops, bottoms = (np.concatenate([np.broadcast_to(term[at], term[0].shape) for term in terms]) for at in (1, 2))
    return {
        "class": [table.class_names[code] for code in codes.tolist()],
        "numerator": tops,
        "denominator": bottoms.astype(np.int64),
    }


def _counted_true(alignment: Alignment) -> NDArray[np.bool_]:
    """Return which true segments count: not crowd, and not removed by the policy."""
    table, policy = alignment.table, alignment.policy
    counts = np.ones(len(table.true), dtype=bool)
    if policy.crowd and table.true.crowd is not None:
        counts &= ~table.true.crowd
    if policy.removes_void:
        counts &= counted_sizes(table, policy)[0] > 0
    return counts


@metric(
    order=150,
    aliases=("pq†", "pqdagger"),
    formula=r"\mathrm{PQ}^\dagger = \frac{1}{|C|}\sum_{c\in C}\begin{cases}"
    r"\frac{1}{|T_c|}\sum_{(t,h):|t\cap h|>0}\mathrm{IoU}(t,h)"
    r" & c\ \text{stuff}\\ \mathrm{PQ}_c & c\ \text{thing}\end{cases}",
    summary="Panoptic quality averaged over classes, with stuff classes scored by their plain IoU.",
    citation="porzi2019seamless",
    notes="stuff= names the stuff classes; without it PQ† is undefined. The mean is over thing classes that "
    "occur and stuff classes that occur in the truth: a stuff class that is only predicted is not penalised, as in the "
    "published definition. Over a data set, the sums of every class are added first.",
    default_in_family=False,
    examples=(Example(*_EXAMPLE, 2 / 3, {"stuff": ["sky"]}), Example(*_EXAMPLE, 0.5, {"stuff": []})),
    statistics=Aggregation(dagger_terms, group_options=("stuff",)),
)
def pq_dagger(sums: Sums, *, stuff: Collection[Hashable] | None = None) -> Quotient:
    if stuff is None:
        return Quotient(sums["numerator"] * np.nan, reason="stuff= is missing: pass the stuff classes")
    reason = "no true segments of this class" if sums["denominator"].any() else NO_CLASS
    return Quotient(sums["numerator"], sums["denominator"], reason)
