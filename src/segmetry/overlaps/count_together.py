"""Count the overlaps of many short lines in one walk: the lines are put one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from segmetry.overlaps.build import with_classes
from segmetry.overlaps.count import count_overlaps
from segmetry.overlaps.line_tables import FARTHEST, LineTables
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.pair import SegmentationPair
from segmetry.segmentation.spans import Spans


def count_together(pairs: Sequence[SegmentationPair]) -> list[OverlapTable]:
    """Return the overlap table of every checked pair; pairs of spans are counted together, others one by one.

    >>> pairs = [SegmentationPair.of(Spans.from_masses([2, 1]), Spans([0], [2], 3)), SegmentationPair.of([[1]], [[2]])]
    >>> [table.shared.tolist() for table in count_together(pairs)]
    [[2], [1]]
    """
    lines = [(pair.true, pair.pred) for pair in pairs if type(pair.true) is Spans and type(pair.pred) is Spans]
    if not lines or len(lines) < len(pairs) or sum(true.n for true, _ in lines) >= FARTHEST:
        return [count_overlaps(pair) for pair in pairs]
    counted = LineTables.of([true for true, _ in lines], [pred for _, pred in lines])
    return [
        with_classes(table, first.classes, second.classes)
        for table, (first, second) in zip(counted.tables(), lines, strict=True)
    ]
