r"""The aggregated Jaccard index and its one-to-one form AJI+ [kumar2017dataset, graham2019hovernet].

AJI: each true segment t with its best prediction h_t, Σ|t ∩ h_t| over Σ|t ∪ h_t| plus the sizes of all predictions that
are the best of none; a true segment without overlap adds its size. Four public programs disagree about "best", about
what is used, and about the denominator; ``reading`` names them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IndexArray, IntArray
from segmetry.alignments.alignment import marks
from segmetry.alignments.candidates import Candidates
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.alignments.weights import weigh
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.count_quotient import NO_SEGMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.instances.threshold_counts import value_if_empty
from segmetry.metrics.instances.threshold_matching import admitted, assign
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Column, Quotient, Sums

JaccardReading = Literal["hover_net", "monuseg", "sortedap", "cellpose"]
READINGS = ("hover_net", "monuseg", "sortedap", "cellpose")
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


def _details(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, int]:
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
    statistics=Aggregation(jaccard_parts, average=POOLED, empty=value_if_empty, describe=_details),
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
    gains = pairs.shared / (_union(pairs) + EPSILON)
    chosen = assign(pairs.at_true, pairs.at_pred, gains, *sides) if len(pairs) else np.zeros(0, dtype=np.intp)
    return _aggregated("aji_plus", overlaps, chosen, marks(pairs.at_pred[chosen], sides[1])).filled(empty)


def _aggregated_sums(overlaps: CountedOverlaps, reading: JaccardReading) -> Score:
    """Return the index of one item in one of its readings."""
    if reading not in READINGS:
        raise OptionError(f"reading is {reading!r}; expected one of {', '.join(READINGS)}")
    if reading == "cellpose":
        return _over_foreground(overlaps)
    chosen, ties = _best(overlaps.pairs, len(overlaps.table.true), reading)
    used = marks(overlaps.pairs.at_pred[chosen], len(overlaps.table.pred))
    if reading == "sortedap" and np.unique(overlaps.pairs.at_true).size < len(overlaps.table.true):
        used[:1] = True
    return _aggregated("aji", overlaps, chosen, used, ties)


def _union(pairs: Candidates) -> IntArray:
    return pairs.shared + pairs.missed + pairs.spurious


def _best(pairs: Candidates, n_true: int, reading: str) -> tuple[IndexArray, int]:
    """Return the position of the best pair of every true segment that has one, and how many were chosen by id."""
    union = _union(pairs)
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


def _aggregated(
    key: str, overlaps: CountedOverlaps, chosen: IndexArray, used: NDArray[np.bool_], ties: int | None = None
) -> Score:
    """Return Σ∩ over Σ∪, the true segments without a pair and the predictions that are not used."""
    pairs = overlaps.pairs.take(chosen)
    counts_true, counts_pred = overlaps.counted(*overlaps.touched)
    alone = counts_true & ~marks(pairs.at_true, counts_true.size)
    union = _union(pairs).sum() + overlaps.true_sizes[alone].sum() + overlaps.pred_sizes[counts_pred & ~used].sum()
    details = {} if ties is None else {"ties": ties}
    return Score.of(key, int(pairs.shared.sum()), int(union), NO_SEGMENTS, **details)


def _over_foreground(overlaps: CountedOverlaps) -> Score:
    """Return Σ∩ of a one-to-one assignment over the elements in a segment of either side."""
    pairs, sides = overlaps.pairs, (len(overlaps.table.true), len(overlaps.table.pred))
    shared = 0
    if len(pairs):
        weights = weigh("iou", pairs.shared, pairs.missed, pairs.spurious)
        hits = admitted(pairs.shared, _union(pairs), "1/2").astype(np.float64)
        chosen = assign(pairs.at_true, pairs.at_pred, hits + weights / (2 * min(sides)), *sides)
        shared = int(pairs.shared[chosen].sum())
    return Score.of("aji", shared, _foreground(overlaps), NO_SEGMENTS, ties=0)


def _foreground(overlaps: CountedOverlaps) -> int:
    """Return how many elements that count are in a segment of either side."""
    background, policy = overlaps.table.background, overlaps.policy
    left = background.outside_outside
    left += 0 if policy.true_void else background.outside_void
    left += 0 if policy.pred_void else background.void_outside
    left += 0 if policy.true_void or policy.pred_void else background.void_void
    return overlaps.n_elements - left
