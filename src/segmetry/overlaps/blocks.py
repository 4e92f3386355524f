"""The blocks in which two stored label arrays are counted.

A block consists of complete chunks, merged along the last axes first until it has :data:`LEAST` elements, so that the
kernel gets long rows. Where the chunks of the two sides have the same boundaries, no chunk is decoded twice. Where
they do not, blocks end where chunks of both sides end, if such blocks are not larger than :data:`MOST` elements;
otherwise they are as large as that allows, along each axis they follow the side for which fewer elements are decoded in
total, and a chunk of the other side that crosses a boundary is decoded once for each block it overlaps.

A few blocks and the counts so far are in memory. Counts are integers and blocks are disjoint, so the sum is the same
for any blocks in any order."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.kernels import PairCounts, add_up, count_pairs
from segmetry.overlaps.build import table_from_pairs
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation import LabelArray
from segmetry.storage import Edges, Region

LEAST, MOST = 2**21, 2**23
"""Elements of a block: chunks are merged up to the first number; only a single larger chunk exceeds the second."""
MOST_MIXED_AXES = 5
"""Number of axes up to which all combinations of the two grids are tried."""


@frozen_dataclass()
class BlockPlan:
    """A grid of blocks, numbered in row-major order."""

    edges: Edges
    decoded: tuple[int, int]
    """Elements of each side that are decoded in total; the size of the array if no chunk is decoded twice."""

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Number of blocks along each axis."""
        return tuple(len(cuts) - 1 for cuts in self.edges)

    def __len__(self) -> int:
        return math.prod(self.counts)

    def box(self, number: int) -> Region:
        """Return the region of a block."""
        position = np.unravel_index(number, self.counts)
        return tuple(slice(cuts[at], cuts[at + 1]) for cuts, at in zip(self.edges, map(int, position), strict=True))


def plan_of(true: LabelArray, pred: LabelArray) -> BlockPlan | None:
    """Return the blocks of a pair; None if both sides are in memory, or one block is enough."""
    stored = [side.stored.edges for side in (true, pred) if side.stored is not None]
    if not stored:
        return None
    plan = plan_blocks(stored[0], stored[-1], LEAST, MOST)
    return plan if len(plan) > 1 else None


def plan_blocks(true: Edges, pred: Edges, least: int = LEAST, most: int = MOST) -> BlockPlan:
    """Return the blocks of two grids of chunks over one domain."""
    limit = max(most, _largest(true), _largest(pred))
    fitting = [edges for edges in _candidates(true, pred) if _largest(edges) <= limit]
    merged = [_merged(edges, size, limit) for size in (least, limit) for edges in fitting]
    plans = [BlockPlan(edges, (_decoded(edges, true), _decoded(edges, pred))) for edges in merged]
    return min(plans, key=lambda plan: sum(plan.decoded))  # the first of equals: boundaries of both sides, and small


def _candidates(true: Edges, pred: Edges) -> list[Edges]:
    """Return grids that use, along each axis, the boundaries of both sides, of the true side or of the pred side."""
    common = tuple(
        tuple(sorted(set(true_cuts) & set(pred_cuts))) for true_cuts, pred_cuts in zip(true, pred, strict=True)
    )
    if true == pred:
        return [true]
    if len(true) > MOST_MIXED_AXES:
        return [common, true, pred]
    return list(itertools.product(*(dict.fromkeys(choices) for choices in zip(common, true, pred, strict=True))))


def _largest(edges: Edges) -> int:
    return math.prod(_longest(cuts) for cuts in edges)


def _longest(cuts: Sequence[int]) -> int:
    return max((stop - start for start, stop in itertools.pairwise(cuts)), default=0)


def _merged(edges: Edges, least: int, most: int) -> Edges:
    """Merge neighbouring blocks, along the last axis first, until they are large enough."""
    merged = list(edges)
    for axis in reversed(range(len(merged))):
        others = math.prod(_longest(cuts) for at, cuts in enumerate(merged) if at != axis)
        merged[axis] = _joined(merged[axis], -(-least // others), most // others)
    return tuple(merged)


def _joined(cuts: Sequence[int], least: int, most: int) -> tuple[int, ...]:
    """Remove cuts: merge pieces until they have the least length, or would exceed the most."""
    kept = [cuts[0]]
    for cut, following in itertools.pairwise(cuts[1:]):
        if cut - kept[-1] >= least or following - kept[-1] > most:
            kept.append(cut)
    return (*kept, cuts[-1])


def _decoded(blocks: Edges, chunks: Edges) -> int:
    """Count the elements that are decoded when every block decodes the chunks it overlaps."""
    total = 1
    for cuts, ends in zip(blocks, chunks, strict=True):
        grid, borders = np.asarray(ends), np.asarray(cuts)
        first = grid[np.searchsorted(grid, borders[:-1], side="right") - 1]
        last = grid[np.searchsorted(grid, borders[1:], side="left")]
        total *= int((last - first).sum())
    return total


BlockT = TypeVar("BlockT")
CountT = TypeVar("CountT")


class PairSum:
    """A sum of counted blocks; parts of similar size are added first, as in a tree."""

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
