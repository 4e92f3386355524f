r"""sortedAP: the area under TP/(TP + FP + FN) as a function of the IoU threshold [chen2023sortedap].

An assignment of the largest sum of IoUs is made once. At a threshold t the pairs of IoU ≥ t are matched, so the curve
falls only at the IoUs of the pairs, and its area is a sum. The public program joins the steps by straight lines
(``area="trapezoid"``), which adds to the area below each fall half of the fall.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Literal

import numpy as np

from segmetry._base import Column, FloatArray, IntArray, check_choice
from segmetry.alignments import CountedOverlaps, marks, weigh
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.instances.segment_scores import ALONE, assign, value_if_empty
from segmetry.metrics.statistics import Quotient, Statistics
from segmetry.metrics.tally_quotient import NO_SEGMENTS
from segmetry.segmentation import Spans

LEAST = 0.001
"""The least IoU of a pair in the public program."""
Area = Literal["steps", "trapezoid"]
_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
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
