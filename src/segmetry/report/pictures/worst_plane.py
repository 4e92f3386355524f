"""Where the errors of a volume or a video are: the plane with most wrong elements, and the fullest plane of a segment.

An element is wrong if its true and its predicted segment do not share more than half of each (θ&), or differ in class;
elements outside on both sides, and those in the void, are not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from segmetry.overlaps.table import OverlapTable
from segmetry.report.label_planes import Codes
from segmetry.report.pictures.segment_colours import partners


class PlaneErrors:
    """Count wrong elements plane by plane, and remember where each segment is largest."""

    def __init__(self, table: OverlapTable) -> None:
        self._counts = (table.true.ids.size, table.pred.ids.size)
        self._expected = _expected(table)
        self._most = [np.zeros(count, dtype=np.int64) for count in self._counts]
        self.peaks = [np.zeros(count, dtype=np.int64) for count in self._counts]
        self.wrong: list[int] = []

    def add(self, codes: Sequence[Codes]) -> None:
        """Add the next plane: the codes of both sides."""
        true, pred = codes
        n_true, n_pred = self._counts
        counted = (true <= n_true) & (pred <= n_pred)
        self.wrong.append(int(np.count_nonzero(counted & (self._expected[pred] != true))))
        for side, (plane, count) in enumerate(zip(codes, self._counts, strict=True)):
            sizes = np.bincount(plane.ravel(), minlength=count + 2)[1 : count + 1]
            larger = sizes > self._most[side]
            self.peaks[side][larger] = len(self.wrong) - 1
            self._most[side][larger] = sizes[larger]

    @property
    def worst(self) -> int:
        """The plane with most wrong elements, the first of several."""
        return self.wrong.index(max(self.wrong))


def _expected(table: OverlapTable) -> NDArray[np.int64]:
    """Return the code that the truth has where the code of the prediction is right; -1 for none."""
    own = partners(table)
    if table.true.classes is not None and table.pred.classes is not None:
        differ = (own >= 0) & (table.true.classes[own] != table.pred.classes)
        own = np.where(differ, -1, own)
    return np.concatenate(([0], np.where(own >= 0, own + 1, -1), [-1]))
