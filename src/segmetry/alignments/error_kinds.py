"""What is wrong with a matched pair, computed from its integers [vanheusden2024sharper label them by hand].

* ``exact``: nothing missed, nothing spurious;
* ``partial``: missed elements dominate (the prediction covers a part of the segment);
* ``extra``: spurious elements dominate and lie mostly outside the truth;
* ``crowd``: spurious elements dominate and lie mostly inside other true segments;
* ``mixed``: neither dominates.

One side dominates when it is at least ``dominance`` times the other (2 by default); *mostly* means more than half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray, Threshold, as_python_ints, fraction_in, products_fit, widest
from segmetry.alignments.alignment import Alignment

KINDS = ("exact", "partial", "extra", "crowd", "mixed")
SMALL = 1024
"""COCO calls a segment of fewer elements small."""


@dataclass(frozen=True, eq=False)
class ErrorKinds:
    """The kind of every pair (a position in :data:`KINDS`) and whether its true segment is small."""

    kinds: NDArray[np.int8]
    small: NDArray[np.bool_]

    def names(self) -> list[str]:
        return [KINDS[kind] for kind in self.kinds.tolist()]

    def counts(self) -> dict[str, int]:
        """How many pairs are of each kind."""
        found = np.bincount(self.kinds, minlength=len(KINDS))
        return {name: int(found[at]) for at, name in enumerate(KINDS)}


def error_kinds(alignment: Alignment, *, dominance: Threshold = 2, small: int = SMALL) -> ErrorKinds:
    """Classify every pair of an alignment.

    >>> import segmetry as sm
    >>> table = sm.overlap([[1, 1, 1, 1, 1, 2, 2]], [[1, 1, 1, 0, 0, 2, 2]])
    >>> error_kinds(sm.align(table)).names()
    ['partial', 'exact']
    """
    factor = fraction_in(dominance, "dominance", 1, None)
    missed, spurious = alignment.missed, alignment.spurious
    if not products_fit(factor.numerator, widest(missed, spurious)):
        missed, spurious = (as_python_ints(a) for a in (missed, spurious))  # type: ignore[assignment]
    misses = (factor.denominator * missed >= factor.numerator * spurious).astype(bool)
    adds = (factor.denominator * spurious >= factor.numerator * missed).astype(bool)
    in_others = _inside_other_truth(alignment)
    kinds = np.full(len(alignment), KINDS.index("mixed"), dtype=np.int8)
    kinds[adds] = KINDS.index("extra")
    kinds[adds & (2 * in_others > alignment.spurious)] = KINDS.index("crowd")
    kinds[misses & (alignment.missed > 0)] = KINDS.index("partial")
    kinds[(alignment.missed == 0) & (alignment.spurious == 0)] = KINDS.index("exact")
    return ErrorKinds(kinds, alignment.table.true.sizes[alignment.at_true] < small)


def _inside_other_truth(alignment: Alignment) -> IntArray:
    """For every pair (t, h) of disjoint truth: the elements of h in true segments other than t."""
    table = alignment.table
    inside = table.pred.sizes - table.pred.outside - table.pred.void
    return inside[alignment.at_pred] - alignment.shared
