r"""Symmetric best Dice of leaves, and the ensemble Dice of nuclei [scharr2016leaf, vu2019methods]."""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.alignments.weights import weigh
from segmetry.metrics.count_quotient import NO_SEGMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation.spans import Spans

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
