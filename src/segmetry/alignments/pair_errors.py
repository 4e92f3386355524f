r"""Kinds of errors of matched pairs, computed from their counts ([vanheusden2024sharper] labels them by hand).

* ``exact``: nothing missed, nothing spurious;
* ``partial``: missed elements dominate (the prediction covers a part of the segment);
* ``extra``: spurious elements dominate and are mostly outside the truth;
* ``spill``: spurious elements dominate and are mostly inside other true segments;
* ``mixed``: neither dominates.

One side dominates when it is at least ``dominance`` times the other (2 by default); *mostly* means more than half.

Additional pairs and false hits [vanheusden2024sharper].

*Additional* pairs are matched by θ& but not by θ⁺; their IoU is in (1/3, 1/2]. A matched pair (t, h) is a
*false hit* if another true segment t' has π·|t∩h| ≤ |t'∩h| and π·|t∩h| ≤ |t \ h|: h overlaps t'
almost as much as it overlaps t, and almost as much of t is missed. The paper prints |t' \ h|
in the second condition, which contradicts its text and its figure and would let θ⁺ pairs be false hits; with |t
\ h| only additional pairs can be false hits for π ≥ 1/2.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from segmetry._base import (
    IntArray,
    Threshold,
    as_python_ints,
    fraction_in,
    frozen_dataclass,
    is_new,
    products_fit,
    widest,
)
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.rules.local import theta_plus
from segmetry.overlaps import OverlapTable

KINDS = ("exact", "partial", "extra", "spill", "mixed")
SMALL = 1024
"""Segments of fewer elements are small, as in COCO."""


@frozen_dataclass(eq=False)
class ErrorKinds:
    """The kind of every pair (a position in :data:`KINDS`) and whether its true segment is small."""

    kinds: NDArray[np.int8]
    small: NDArray[np.bool_]

    def names(self) -> list[str]:
        return [KINDS[kind] for kind in self.kinds.tolist()]

    def counts(self) -> dict[str, int]:
        """Return the number of pairs of each kind."""
        counts = np.bincount(self.kinds, minlength=len(KINDS))
        return dict(zip(KINDS, counts.tolist(), strict=True))


def error_kinds(alignment: Alignment, *, dominance: Threshold = 2, small: int = SMALL) -> ErrorKinds:
    """Classify every pair of an alignment.

    Parameters
    ----------
    alignment : Alignment
        The alignment whose pairs are classified.
    dominance : number, default 2
        How many times the missed elements must be the spurious ones, or the reverse, to dominate.
    small : int, default 1024
        The number of elements below which a segment is small.

    Returns
    -------
    ErrorKinds
        The kind of each pair, in the order of the alignment.

    Examples
    --------
    >>> import segmetry as sm
    >>> table = sm.overlap([[1, 1, 1, 1, 1, 2, 2]], [[1, 1, 1, 0, 0, 2, 2]])
    >>> error_kinds(sm.align(table)).names()
    ['partial', 'exact']
    """
    factor = fraction_in(dominance, "dominance", 1, None)
    missed, spurious = alignment.missed, alignment.spurious
    if not products_fit(factor.numerator, widest(missed, spurious)):
        missed, spurious = (as_python_ints(a) for a in (missed, spurious))  # type: ignore[assignment]
    mostly_missed = (factor.denominator * missed >= factor.numerator * spurious).astype(bool)
    mostly_spurious = (factor.denominator * spurious >= factor.numerator * missed).astype(bool)
    in_others = _inside_other_truth(alignment)
    kinds = np.full(len(alignment), KINDS.index("mixed"), dtype=np.int8)
    kinds[mostly_spurious] = KINDS.index("extra")
    kinds[mostly_spurious & (2 * in_others > alignment.spurious)] = KINDS.index("spill")
    kinds[mostly_missed & (alignment.missed > 0)] = KINDS.index("partial")
    kinds[(alignment.missed == 0) & (alignment.spurious == 0)] = KINDS.index("exact")
    return ErrorKinds(kinds, alignment.table.true.sizes[alignment.at_true] < small)


def _inside_other_truth(alignment: Alignment) -> IntArray:
    """Return, for every pair (t, h), the elements of h in true segments other than t; the truth must be disjoint."""
    table = alignment.table
    inside = table.pred.sizes - table.pred.outside - table.pred.void
    return inside[alignment.at_pred] - alignment.shared


def additional_pairs(alignment: Alignment) -> NDArray[np.bool_]:
    """Return which pairs of an alignment do not satisfy θ⁺."""
    return ~theta_plus.accepts(alignment.shared, alignment.missed, alignment.spurious)


def false_hits(alignment: Alignment, pi: Threshold = "3/4") -> NDArray[np.bool_]:
    """Return which pairs of an alignment are false hits; π is exact."""
    share = fraction_in(pi, "pi", 0, 1, open_low=True)
    shared, missed, rival = alignment.shared, alignment.missed, largest_rival(alignment.table, alignment.rows)
    if not products_fit(share.denominator, widest(shared, missed, rival)):
        shared, missed, rival = (as_python_ints(a) for a in (shared, missed, rival))  # type: ignore[assignment]
    least = share.numerator * shared
    hit: NDArray[np.bool_] = (least <= share.denominator * rival) & (least <= share.denominator * missed)
    return hit.astype(bool)


def false_hits_up_to(alignment: Alignment) -> list[Fraction]:
    r"""Return for every pair the largest π of which it is a false hit: the smaller of |t'∩h| and |t \ h|, by |t∩h|."""
    least = np.minimum(largest_rival(alignment.table, alignment.rows), alignment.missed)
    return [Fraction(*pair) for pair in zip(least.tolist(), alignment.shared.tolist(), strict=True)]


def largest_rival(table: OverlapTable, rows: NDArray[np.intp]) -> IntArray:
    """Return, for every row (t, h), the largest overlap of h with another true segment of any class."""
    order = np.lexsort((-table.shared, table.row_pred))
    pred = table.row_pred[order]
    first = is_new(pred)
    second = np.zeros(order.size, dtype=bool)
    second[1:] = first[:-1] & ~first[1:]
    best_row = np.full(len(table.pred), -1)
    best_row[pred[first]] = order[first]
    best, runner_up = np.zeros(len(table.pred), dtype=np.int64), np.zeros(len(table.pred), dtype=np.int64)
    best[pred[first]] = table.shared[order[first]]
    runner_up[pred[second]] = table.shared[order[second]]
    at_pred = table.row_pred[rows]
    return np.where(best_row[at_pred] == rows, runner_up[at_pred], best[at_pred])
