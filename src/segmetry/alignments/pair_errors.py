"""Kinds of errors of matched pairs, computed from their counts ([vanheusden2024sharper] labels them by hand).

* ``exact``: nothing missed, nothing spurious;
* ``partial``: missed elements dominate (the prediction covers a part of the segment);
* ``extra``: spurious elements dominate and are mostly outside the truth;
* ``spill``: spurious elements dominate and are mostly inside other true segments;
* ``mixed``: neither dominates.

One side dominates when it is at least ``dominance`` times the other (2 by default); *mostly* means more than half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, Threshold, as_python_ints, fraction_in, frozen_dataclass, products_fit, widest
from segmetry.alignments.alignment import Alignment

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
