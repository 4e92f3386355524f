"""The boundary edits of many lines at once, and the similarities B and S of every line (see boundary_edit.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segmetry._base import IntArray, products_fit, sum_by
from segmetry.metrics.batches.line_boundaries import LinePairs
from segmetry.metrics.batches.score_column import ScoreColumn
from segmetry.metrics.boundaries.point_matching import Transpositions, largest_distance, only_in, transpositions

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
