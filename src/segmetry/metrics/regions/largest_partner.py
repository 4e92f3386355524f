"""The partner of a true segment: the pred that shares most with it. Region metrics compare each true segment with its
partner.

Ties in the number of shared elements go to the larger IoU, then to the smaller pred id; ``ties`` says for how many
segments that was needed. A true segment that nothing touches has no partner (``untouched`` counts them); each metric
says what it then contributes. A mask without elements is no segment here: nothing can be a share of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.alignments.counted_overlaps import CountedOverlaps

TIES = (
    "Ties for the largest intersection go to the larger IoU, then to the smaller pred id; details count them as ties, "
    "and true segments without a partner as untouched. "
)
"""The sentence every partner metric's decisions begin with."""
NO_TRUTH = "no true segments"


@dataclass(frozen=True, eq=False)
class Partners:
    """One entry per counted true segment; an untouched one has partner -1, shares nothing and its partner's size is
    0.
    """

    at_true: NDArray[np.intp]
    at_pred: NDArray[np.intp]
    true_sizes: IntArray
    pred_sizes: IntArray
    shared: IntArray
    ties: int

    def __len__(self) -> int:
        return int(self.at_true.size)

    @property
    def found(self) -> NDArray[np.bool_]:
        """Which true segments have a partner."""
        return self.at_pred >= 0

    @property
    def missed(self) -> IntArray:
        r"""|t \ h| of every true segment; all of it where there is no partner."""
        return self.true_sizes - self.shared

    @property
    def spurious(self) -> IntArray:
        r"""|h \ t| of every true segment; 0 where there is no partner."""
        return self.pred_sizes - self.shared

    @property
    def details(self) -> dict[str, Any]:
        """What every partner metric reports beside its value."""
        return {"ties": self.ties, "untouched": int(np.count_nonzero(~self.found))}


def partners(overlaps: CountedOverlaps) -> Partners:
    """The partner of every true segment that counts.

    >>> import segmetry as sm
    >>> found = partners(CountedOverlaps.of(sm.overlap([[1, 1, 1, 2, 3]], [[7, 8, 8, 8, 0]])))
    >>> found.at_pred.tolist(), found.details
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
