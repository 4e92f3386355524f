"""The partner of a true segment: the pred with the largest overlap. Region metrics compare each true segment with its
partner.

Ties in the number of shared elements go to the larger IoU, then to the smaller pred id; ``ties`` is the number
of segments where that was needed. A true segment without overlap has no partner (``untouched`` counts them); each
metric documents what it then contributes. Masks without elements are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, frozen_dataclass
from segmetry.alignments import CountedOverlaps

TIES = (
    "Ties for the largest intersection go to the larger IoU, then to the smaller pred id; details count them as ties, "
    "and true segments without a partner as untouched. "
)
"""The first sentence of the notes of every partner metric."""
NO_TRUTH = "no true segments"


@frozen_dataclass(eq=False)
class Partners:
    """One entry per counted true segment; without overlap the partner is -1, and its size and the shared size are 0."""

    at_true: NDArray[np.intp]
    at_pred: NDArray[np.intp]
    true_sizes: IntArray
    pred_sizes: IntArray
    shared: IntArray
    ties: int

    def __len__(self) -> int:
        return int(self.at_true.size)

    @property
    def has_partner(self) -> NDArray[np.bool_]:
        """Which true segments have a partner."""
        return self.at_pred >= 0

    @property
    def missed(self) -> IntArray:
        r"""|t \ h| of every true segment; |t| where there is no partner."""
        return self.true_sizes - self.shared

    @property
    def spurious(self) -> IntArray:
        r"""|h \ t| of every true segment; 0 where there is no partner."""
        return self.pred_sizes - self.shared

    @property
    def details(self) -> dict[str, Any]:
        """The details that every partner metric reports with its value."""
        return {"ties": self.ties, "untouched": int(np.count_nonzero(~self.has_partner))}


def partners(overlaps: CountedOverlaps) -> Partners:
    """Return the partner of every true segment that counts.

    >>> import segmetry as sm
    >>> pairing = partners(CountedOverlaps.of(sm.overlap([[1, 1, 1, 2, 3]], [[7, 8, 8, 8, 0]])))
    >>> pairing.at_pred.tolist(), pairing.details
    ([1, 1, -1], {'ties': 0, 'untouched': 1})
    """
    selection = overlaps.partners
    chosen = overlaps.pairs.take(selection.chosen)
    at_pred = np.full(len(overlaps.table.true), -1, dtype=np.intp)
    shared = np.zeros(len(overlaps.table.true), dtype=np.int64)
    at_pred[chosen.at_true] = chosen.at_pred
    shared[chosen.at_true] = chosen.shared
    counted = np.flatnonzero(overlaps.counted(*overlaps.touched)[0] & (overlaps.true_sizes > 0))
    at_pred, shared = at_pred[counted], shared[counted]
    pred_sizes = np.zeros(counted.size, dtype=np.int64)
    pred_sizes[at_pred >= 0] = overlaps.pred_sizes[at_pred[at_pred >= 0]]
    return Partners(counted, at_pred, overlaps.true_sizes[counted], pred_sizes, shared, selection.ties)
