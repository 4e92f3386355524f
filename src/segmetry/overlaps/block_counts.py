"""Count the overlaps of stored label arrays block by block, with a few blocks and the counts so far in memory.

Counts are integers and blocks are disjoint, so the sum is the same for any blocks in any order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from numpy.typing import NDArray

from segmetry.kernels import PairCounts, add_up, count_pairs
from segmetry.overlaps.blocks import BlockPlan
from segmetry.overlaps.build import table_from_pairs
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation import LabelArray
from segmetry.storage import Region

BlockT = TypeVar("BlockT")
CountT = TypeVar("CountT")


class PairSum:
    """A sum of counted blocks; parts of similar size are added first, as in a tree.

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
        """Add the counts of a block."""
        while self._parts and len(self._parts[-1].counts) <= 2 * len(part.counts):
            part = add_up([self._parts.pop(), part])
        self._parts.append(part)

    @property
    def counted(self) -> PairCounts:
        """The sum of all blocks."""
        return add_up(self._parts)


def count_part(true: LabelArray, pred: LabelArray, true_part: NDArray[Any], pred_part: NDArray[Any]) -> PairCounts:
    """Count and check the label pairs of a part of two label arrays."""
    counted = count_pairs(true_part, pred_part)
    true.check_labels(counted.true_labels, "true")
    pred.check_labels(counted.pred_labels, "pred")
    return counted


def count_blocks(true: LabelArray, pred: LabelArray, boxes: Iterable[Region], *, threads: int = 1) -> PairCounts:
    """Count the label pairs of some blocks, ``threads`` blocks at a time."""

    def count_box(box: Region) -> PairCounts:
        return count_part(true, pred, true.read(box), pred.read(box))

    return PairSum(_windowed(count_box, boxes, threads)).counted


def count_by_blocks(true: LabelArray, pred: LabelArray, plan: BlockPlan, *, threads: int = 1) -> OverlapTable:
    """Return the overlap table of two stored label arrays."""
    boxes = (plan.box(number) for number in range(len(plan)))
    return table_from_pairs(true, pred, count_blocks(true, pred, boxes, threads=threads))


def _windowed(function: Callable[[BlockT], CountT], blocks: Iterable[BlockT], threads: int) -> Iterator[CountT]:
    """Yield results in order; at most two per thread are pending."""
    if threads == 1:
        yield from map(function, blocks)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Future[CountT]] = deque()
        try:
            for block in blocks:
                pending.append(pool.submit(function, block))
                if len(pending) >= 2 * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
