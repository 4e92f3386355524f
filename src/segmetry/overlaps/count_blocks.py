"""Counting a pair of stored label arrays block by block: memory holds a few blocks and the rows found so far.

Counts are integers and blocks are disjoint, so the sum is the same for any blocks in any order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from numpy.typing import NDArray

from segmetry.kernels.pairs import PairCounts, add_up, count_pairs
from segmetry.overlaps.blocks import BlockPlan
from segmetry.overlaps.build import table_from_pairs
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray
from segmetry.storage.stored_arrays import Region

BlockT = TypeVar("BlockT")
CountT = TypeVar("CountT")


class PairSum:
    """A sum of counted blocks, added up as in a tree: a part is added to one that is not much larger.

    >>> import numpy as np
    >>> total = PairSum()
    >>> for label in (1, 2, 1):
    ...     total.add(count_pairs(np.array([label, label]), np.array([7, 8])))
    >>> total.counted.counts.tolist()
    [2, 2, 1, 1]
    """

    def __init__(self, parts: Iterable[PairCounts] = ()) -> None:
        self._parts: list[PairCounts] = []
        for part in parts:
            self.add(part)

    def add(self, part: PairCounts) -> None:
        """Put one more block in."""
        while self._parts and len(self._parts[-1].counts) <= 2 * len(part.counts):
            part = add_up([self._parts.pop(), part])
        self._parts.append(part)

    @property
    def counted(self) -> PairCounts:
        """The sum of all blocks."""
        return add_up(self._parts)


def count_part(true: LabelArray, pred: LabelArray, true_part: NDArray[Any], pred_part: NDArray[Any]) -> PairCounts:
    """The label pairs of one part of a pair, whose labels are checked at once."""
    counted = count_pairs(true_part, pred_part)
    true.check_labels(counted.true_labels, "true")
    pred.check_labels(counted.pred_labels, "pred")
    return counted


def count_blocks(true: LabelArray, pred: LabelArray, boxes: Iterable[Region], *, threads: int = 1) -> PairCounts:
    """The label pairs of some blocks of a pair, ``threads`` of them at once."""

    def one(box: Region) -> PairCounts:
        return count_part(true, pred, true.read(box), pred.read(box))

    return PairSum(_windowed(one, boxes, threads)).counted


def count_by_blocks(true: LabelArray, pred: LabelArray, plan: BlockPlan, *, threads: int = 1) -> OverlapTable:
    """The overlap table of a pair."""
    boxes = (plan.box(number) for number in range(len(plan)))
    return table_from_pairs(true, pred, count_blocks(true, pred, boxes, threads=threads))


def _windowed(function: Callable[[BlockT], CountT], given: Iterable[BlockT], threads: int) -> Iterator[CountT]:
    """Results in order; no more than two for each thread wait."""
    if threads == 1:
        yield from map(function, given)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[CountT]] = deque()
        try:
            for one in given:
                waiting.append(pool.submit(function, one))
                if len(waiting) >= 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
