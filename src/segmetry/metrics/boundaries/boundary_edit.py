r"""Boundary edit distance and the similarities B and S based on it [fournier2012segmentation, fournier2013evaluating].

Boundaries at the same gap match (M). A boundary left over on one side may be *transposed* with one left over on the
other at a distance d = 1 … n_t - 1, at the cost d/n_t; what remains is an *addition* (A), at the cost 1. With Tr the
transpositions,

    B = 1 - (|A| + Σ d/n_t) / (|A| + |Tr| + |M|)          S = 1 - (|A| + Σ d/n_t) / (n - 1)

The transpositions are those of least total cost; ties go to the fewest edits. segeval selects them
greedily, nearest first, then from left to right; for n_t ≥ 3 that can cost more (T = (4,1,1), H = (1,2,3), n_t = 4:
B = 1/4 instead of 3/8). ``match="greedy"`` reproduces this.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from segmetry._base import IntArray, frozen_dataclass, products_fit, sum_by
from segmetry.metrics.batches.partition_formula import ScoreColumn
from segmetry.metrics.boundaries.point_matching import Transpositions, largest_distance, only_in, transpositions
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.windows.sliding_windows import LinePairs
from segmetry.segmentation import Spans

NO_BOUNDARY = "no boundary on either side"
NO_GAP = "fewer than two elements have no gap between them"
DETAILS = ("matched", "missed", "spurious", "transposed")


class LineEdits(NamedTuple):
    """The edits of every line: matches, additions on either side, transpositions and the sum of their distances."""

    matched: IntArray
    missed: IntArray
    spurious: IntArray
    transposed: IntArray
    distance: IntArray

    @property
    def compared(self) -> IntArray:
        """The number of edits and matches."""
        return self.missed + self.spurious + self.transposed + self.matched

    def costs(self, n_t: int) -> IntArray:
        """Return the edit distance of every line, in units of 1/n_t."""
        return n_t * (self.missed + self.spurious) + self.distance

    @property
    def details(self) -> dict[str, IntArray]:
        return {name: getattr(self, name) for name in DETAILS}


def edits_of_lines(lines: LinePairs, *, n_t: int = 2, match: Transpositions = "optimal") -> LineEdits | None:
    """Return the edits of many lines at once; None where their positions do not fit into 64 bits.

    The lines are put one after the other, too far apart for a transposition between two of them.
    """
    largest_distance(n_t, match)
    key = ("edits", n_t, match)
    if key not in lines.memo:
        lines.memo[key] = _line_edits(lines, n_t, match)
    edits: LineEdits | None = lines.memo[key]
    return edits


def _line_edits(lines: LinePairs, n_t: int, match: Transpositions) -> LineEdits | None:
    lengths, reach = lines.true.lengths, largest_distance(n_t, match)
    if sum(lengths.tolist()) + (reach + 1) * len(lines) >= 2**62:
        return None
    begins = np.concatenate(([0], np.cumsum(lengths + reach + 1)))[:-1].astype(np.int64)

    def per_line(points: IntArray) -> IntArray:
        return np.bincount(np.searchsorted(begins, points, side="right") - 1, minlength=len(lines)).astype(np.int64)

    true, pred = (side.positions + begins[side.lines] for side in (lines.true, lines.pred))
    missed, spurious, _ = only_in(true, pred)
    pairs = transpositions(missed, spurious, n_t, match)
    transposed = per_line(pairs[:, 0])
    at = np.searchsorted(begins, pairs[:, 0], side="right") - 1
    distance = sum_by(at, np.abs(pairs[:, 0] - pairs[:, 1]), len(lines))
    alone = per_line(missed)
    return LineEdits(
        lines.true.counts - alone, alone - transposed, per_line(spurious) - transposed, transposed, distance
    )


def boundary_similarities(lines: LinePairs, *, n_t: int = 2, match: Transpositions = "optimal") -> ScoreColumn | None:
    """B of every line."""
    edits = edits_of_lines(lines, n_t=n_t, match=match)
    return None if edits is None else _quotients(edits, edits.compared, n_t, NO_BOUNDARY)


def segmentation_similarities(
    lines: LinePairs, *, n_t: int = 2, match: Transpositions = "optimal"
) -> ScoreColumn | None:
    """S of every line."""
    edits = edits_of_lines(lines, n_t=n_t, match=match)
    return None if edits is None else _quotients(edits, np.maximum(lines.true.lengths - 1, 0), n_t, NO_GAP)


def _quotients(edits: LineEdits, compared: IntArray, n_t: int, reason: str) -> ScoreColumn | None:
    """Return one minus the cost per compared place; None where a numerator might not fit into 64 bits."""
    if not products_fit(n_t, int(max(compared.max(initial=0), edits.compared.max(initial=0)))):
        return None
    return ScoreColumn.of_quotients(
        n_t * compared - edits.costs(n_t), compared, lambda _line: reason, edits.details, n_t
    )


_NEAR = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_GREEDY_LOSES = Spans.from_masses([4, 1, 1]), Spans.from_masses([1, 2, 3])
_DECISIONS = (
    "Transpositions have the least total cost; ties go to the fewest edits (boundaries 1, 4, 7 and 5, 8, 11 with n_t = "
    "5: three transpositions, B = 1/5, not two and two additions, B = 2/5); match='greedy' gives those of segeval. "
    "Boundaries have no types. In a partial segmentation every maximal gap is read as a segment (P*)."
)


@frozen_dataclass()
class BoundaryEdits:
    """The edits between two segmentations: matches, additions on either side, transposed pairs (true, pred)."""

    n_t: int
    matched: int
    missed: int
    spurious: int
    transposed: IntArray

    @property
    def spans(self) -> IntArray:
        """The distance of every transposition, in ascending order."""
        return np.sort(np.abs(self.transposed[:, 0] - self.transposed[:, 1]))

    @property
    def additions(self) -> int:
        return self.missed + self.spurious

    @property
    def n_edits(self) -> int:
        return self.additions + len(self.transposed)

    @property
    def cost(self) -> Fraction:
        """The edit distance: 1 for an addition, d/n_t for a transposition."""
        distance = sum(abs(first - second) for first, second in self.transposed.tolist())
        return Fraction(self.additions * self.n_t + distance, self.n_t)

    @property
    def true_positives(self) -> Fraction:
        """Matches, plus one minus its cost for every transposition; FN is ``missed`` and FP ``spurious``."""
        return self.matched + len(self.transposed) - (self.cost - self.additions)


def boundary_edits(true: Spans, pred: Spans, *, n_t: int = 2, match: Transpositions = "optimal") -> BoundaryEdits:
    """Return the boundary edit distance with its parts.

    Parameters
    ----------
    true : Spans
        The true segments.
    pred : Spans
        The predicted segments.
    n_t : int, default 2
        The largest distance, plus one, over which a boundary may be transposed.
    match : {'optimal', 'greedy'}, default 'optimal'
        ``'optimal'`` takes the transpositions of least total cost, ``'greedy'`` those that segeval takes.

    Returns
    -------
    BoundaryEdits
        Matches, additions, transpositions and their cost.

    Examples
    --------
    >>> edits = boundary_edits(Spans.from_masses([4, 1, 1]), Spans.from_masses([1, 2, 3]), n_t=4)
    >>> edits.spans.tolist(), edits.additions, edits.cost
    ([2, 3], 0, Fraction(5, 4))
    """
    missed, spurious, matched = only_in(true.boundaries, pred.boundaries)
    pairs = transpositions(missed, spurious, n_t, match)
    return BoundaryEdits(n_t, matched, missed.size - len(pairs), spurious.size - len(pairs), pairs)


@metric(
    order=40,
    formula=r"B = 1-\frac{|A|+\sum_{Tr} d/n_t}{|A|+|Tr|+|M|}",
    summary="Boundary similarity: one minus the cost per boundary of editing one segmentation into the other, near "
    "misses at a discount.",
    citation=("fournier2013evaluating",),
    symmetric=True,
    pooled=True,
    of_lines=boundary_similarities,
    notes=f"Undefined without a boundary on either side (segeval raises an error). {_DECISIONS}",
    examples=(
        Example(*_NEAR, 1 / 2),
        Example(*_GREEDY_LOSES, 3 / 8, {"n_t": 4}),
        Example(*_GREEDY_LOSES, 1 / 4, {"n_t": 4, "match": "greedy"}),
    ),
)
def boundary_similarity(true: Spans, pred: Spans, *, n_t: int = 2, match: Transpositions = "optimal") -> Score:
    edits = boundary_edits(true, pred, n_t=n_t, match=match)
    # segeval raises ValueError where there is no boundary on either side (0/0).
    compared = edits.n_edits + edits.matched
    return Score.of("boundary_similarity", compared - edits.cost, compared, NO_BOUNDARY, **_edit_details(edits))


@metric(
    formula=r"S = 1-\frac{|A|+\sum_{Tr} d/n_t}{n-1}",
    summary="Segmentation similarity: one minus the cost per gap of editing one segmentation into the other.",
    citation=("fournier2012segmentation",),
    symmetric=True,
    pooled=True,
    of_lines=segmentation_similarities,
    notes="Long texts with few boundaries always score near 1: prefer B. Undefined for fewer than two elements. "
    + _DECISIONS,
    examples=(Example(*_NEAR, 7 / 8), Example(*_NEAR, 8 / 9, {"n_t": 3})),
)
def segmentation_similarity(true: Spans, pred: Spans, *, n_t: int = 2, match: Transpositions = "optimal") -> Score:
    edits = boundary_edits(true, pred, n_t=n_t, match=match)
    gaps = max(true.n - 1, 0)
    return Score.of("segmentation_similarity", gaps - edits.cost, gaps, NO_GAP, **_edit_details(edits))


def _edit_details(edits: BoundaryEdits) -> dict[str, int]:
    counts = {name: getattr(edits, name) for name in ("matched", "missed", "spurious")}
    return {**counts, "transposed": len(edits.transposed)}
