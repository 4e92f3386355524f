r"""SEG and DET of the Cell Tracking Challenge [maska2014benchmark, matula2015cell].

A predicted cell is the match of a true cell if it covers more than half of it. SEG is the mean IoU of all true cells
with their matches, 0 for those without one. DET compares the work of correcting the detections, 5 for each split, 10
for each missed and 1 for each spurious cell, with that of adding all true cells: 1 − min(D, D₀)/D₀.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from segmetry._base import Column, FloatArray, IndexArray
from segmetry.alignments import CountedOverlaps, weigh
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Quotient, Sums

SPLIT, MISSED, SPURIOUS = 5, 10, 1
"""The costs of splitting a prediction, of adding a missed cell, and of deleting a spurious one [matula2015cell]."""
NO_TRUTH = "no true segments"
_MERGED = [[1, 1, 1, 2, 2, 0]], [[7, 7, 7, 7, 7, 8]]


def majority_matches(overlaps: CountedOverlaps) -> IndexArray:
    """Return the positions of the pairs in which the prediction covers more than half of the true segment.

    >>> import segmetry as sm
    >>> majority_matches(CountedOverlaps.of(sm.overlap([[1, 1, 1, 2, 2]], [[7, 7, 8, 8, 0]]))).tolist()
    [0]
    """
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
    examples=(Example(*_MERGED, (3 / 5 + 2 / 5) / 2), Example([[1, 1]], [[1, 0]], 0)),
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
    examples=(Example(*_MERGED, 1 - (5 + 1) / 20), Example([[1, 1]], [[0, 0]], 0)),
    statistics=Aggregation(detection_operations, average=POOLED, describe=_operation_details),
)
def det(sums: Sums) -> Quotient:
    cost = SPLIT * sums["splits"] + MISSED * sums["missed"] + SPURIOUS * sums["spurious"]
    all_missed = MISSED * sums["true"]
    return Quotient(all_missed - np.minimum(cost, all_missed), all_missed, NO_TRUTH)
