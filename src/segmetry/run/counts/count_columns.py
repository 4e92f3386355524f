"""The counts of many items in flat columns, as they are read from a run file of any version."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray

NO_CLASS = -1


class SegmentColumns(NamedTuple):
    """The segments of one side, item after item, by position.

    ``item`` is the number of the item; ``classes`` are positions in the names of all classes, or NO_CLASS; ``crowd``
    are the codes of the run file.
    """

    item: IntArray
    ids: NDArray[Any]
    sizes: IntArray
    outside: IntArray
    void: IntArray
    classes: IntArray
    crowd: IntArray

    def where(self, chosen: NDArray[np.bool_]) -> SegmentColumns:
        """Return some of the segments."""
        return SegmentColumns(*(column[chosen] for column in self))


class OverlapColumns(NamedTuple):
    """The overlaps, item after item."""

    item: IntArray
    row_true: IntArray
    row_pred: IntArray
    shared: IntArray


class CountColumns(NamedTuple):
    """The names of all classes, the segments of both sides, and their overlaps."""

    class_names: tuple[Hashable, ...]
    true: SegmentColumns
    pred: SegmentColumns
    overlaps: OverlapColumns
