"""Which blocks two stored label arrays are counted in.

A block is made of whole chunks, merged along the last axes first until it has :data:`LEAST` elements, so that the
kernel sees long rows. Where the chunks of the two sides end at the same places no chunk is ever decoded twice. Where
they do not, blocks end where chunks of both sides end, if such blocks are not larger than :data:`MOST` elements;
otherwise they are as large as that allows, along each axis they follow the side that makes fewer elements be decoded
altogether, and a chunk of the other side that lies across a border is decoded once for each block it touches.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from segmetry.segmentation.labels import LabelArray
from segmetry.storage.stored_arrays import Edges, Region

LEAST, MOST = 2**21, 2**23
"""Elements of a block: chunks are merged up to the first; the second is exceeded by a single larger chunk only."""
MOST_MIXED_AXES = 5
"""Axes up to which every mixture of the two grids is tried."""


@dataclass(frozen=True)
class BlockPlan:
    """Blocks in rows: the first along the last axis come first."""

    edges: Edges
    decoded: tuple[int, int]
    """Elements of both sides that are decoded in all; as many as there are where no chunk is decoded twice."""

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Blocks along each axis."""
        return tuple(len(cuts) - 1 for cuts in self.edges)

    def __len__(self) -> int:
        return math.prod(self.counts)

    def box(self, number: int) -> Region:
        """Where a block lies.

        >>> BlockPlan(((0, 2, 3), (0, 4, 8)), (24, 24)).box(2)
        (slice(2, 3, None), slice(0, 4, None))
        """
        places = np.unravel_index(number, self.counts)
        return tuple(slice(cuts[at], cuts[at + 1]) for cuts, at in zip(self.edges, map(int, places), strict=True))


def plan_of(true: LabelArray, pred: LabelArray) -> BlockPlan | None:
    """The blocks of a pair; None where both sides lie in memory, or one block is enough.

    >>> import numpy as np
    >>> plan_of(LabelArray(np.zeros((2, 2), int)), LabelArray(np.zeros((2, 2), int))) is None
    True
    """
    stored = [side.stored.edges for side in (true, pred) if side.stored is not None]
    if not stored:
        return None
    plan = plan_blocks(stored[0], stored[-1], LEAST, MOST)
    return plan if len(plan) > 1 else None


def plan_blocks(true: Edges, pred: Edges, least: int = LEAST, most: int = MOST) -> BlockPlan:
    """The blocks of two grids of chunks over one domain.

    >>> plan_blocks(((0, 4, 8),), ((0, 4, 8),), least=1).edges
    ((0, 4, 8),)
    >>> plan_blocks(((0, 2, 4, 6, 8),), ((0, 4, 8),), least=1)
    BlockPlan(edges=((0, 4, 8),), decoded=(8, 8))
    >>> plan_blocks(((0, 3, 6, 9),), ((0, 4, 8, 9),), least=1, most=4)
    BlockPlan(edges=((0, 4, 8, 9),), decoded=(15, 9))
    """
    limit = max(most, _largest(true), _largest(pred))
    fitting = [edges for edges in _candidates(true, pred) if _largest(edges) <= limit]
    merged = [_merged(edges, size, limit) for size in (least, limit) for edges in fitting]
    plans = [BlockPlan(edges, (_decoded(edges, true), _decoded(edges, pred))) for edges in merged]
    return min(plans, key=lambda plan: sum(plan.decoded))  # the first of equals: where both sides end, and small


def _candidates(true: Edges, pred: Edges) -> list[Edges]:
    """Along each axis where chunks of both sides end, where those of the true side end, or those of the pred side."""
    common = tuple(tuple(sorted(set(one) & set(other))) for one, other in zip(true, pred, strict=True))
    if true == pred:
        return [true]
    if len(true) > MOST_MIXED_AXES:
        return [common, true, pred]
    return list(itertools.product(*(dict.fromkeys(three) for three in zip(common, true, pred, strict=True))))


def _largest(edges: Edges) -> int:
    return math.prod(_longest(cuts) for cuts in edges)


def _longest(cuts: Sequence[int]) -> int:
    return max((stop - start for start, stop in itertools.pairwise(cuts)), default=0)


def _merged(edges: Edges, least: int, most: int) -> Edges:
    """Neighbouring blocks put together, along the last axis first, until they are large enough."""
    found = list(edges)
    for axis in reversed(range(len(found))):
        others = math.prod(_longest(cuts) for at, cuts in enumerate(found) if at != axis)
        found[axis] = _joined(found[axis], -(-least // others), most // others)
    return tuple(found)


def _joined(cuts: Sequence[int], least: int, most: int) -> tuple[int, ...]:
    """Fewer cuts: a piece takes in the next until it has the least length, or would be longer than the most."""
    kept = [cuts[0]]
    for cut, following in itertools.pairwise(cuts[1:]):
        if cut - kept[-1] >= least or following - kept[-1] > most:
            kept.append(cut)
    return (*kept, cuts[-1])


def _decoded(blocks: Edges, chunks: Edges) -> int:
    """How many elements are decoded when every block decodes the chunks it touches."""
    total = 1
    for cuts, ends in zip(blocks, chunks, strict=True):
        grid, borders = np.asarray(ends), np.asarray(cuts)
        first = grid[np.searchsorted(grid, borders[:-1], side="right") - 1]
        last = grid[np.searchsorted(grid, borders[1:], side="left")]
        total *= int((last - first).sum())
    return total
