"""The jobs of a run as they become known: items in their order, and the blocks of large items before further items."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from segmetry.evaluation.block_checkpoint import CountedBlocks
from segmetry.evaluation.engines.engine import SummedResult
from segmetry.evaluation.inputs import ItemTask
from segmetry.evaluation.stages import (
    BlockedItem,
    CountBlocks,
    CountDaskBlocks,
    InspectItem,
    ScoreCounts,
    ScoredItem,
    Stage,
    holds_dask_arrays,
)
from segmetry.overlaps.count_blocks import PairSum
from segmetry.run.item_result import ItemResult

MOST_JOBS = 4096
"""Jobs into which the blocks of one item are put at most; each sends its sum once."""


@dataclass(frozen=True)
class ProgressState:
    """How far a run is: items; and of the large items begun so far the blocks, and the bytes of their labels."""

    items: int
    n_items: int
    blocks: int = 0
    n_blocks: int = 0
    read_bytes: int = 0
    n_bytes: int = 0
    parts: float = 0.0
    """How much of the items that are not finished is counted, as a number of items."""


@dataclass(eq=False)
class _OpenItem:
    """A large item that is being counted."""

    planned: BlockedItem
    blocks: set[int] = field(default_factory=set)
    total: PairSum = field(default_factory=PairSum)

    @property
    def share(self) -> float:
        """How much of it is counted."""
        return len(self.blocks) / len(self.planned.plan)


class Schedule(Iterator[tuple[int, Stage]]):
    """Numbered jobs for an engine; :meth:`answer` takes their results. It may run dry and have more jobs after that.

    ``tasks`` are by the number of the item, ``together`` is how many blocks a job has at least, ``done`` how many
    items were done before, and ``kept`` the blocks of others that were.
    """

    def __init__(
        self,
        tasks: Mapping[int, ItemTask],
        work: Callable[[Stage], Any],
        *,
        together: int = 1,
        done: int = 0,
        kept: Mapping[int, CountedBlocks] | None = None,
    ) -> None:
        self._tasks, self._work, self._together = tasks, work, together
        self._before = kept or {}
        self._items = iter(tasks)
        self._ready: deque[tuple[int, range, Callable[[], Stage]]] = deque()
        self._numbers = itertools.count()
        self._given: dict[int, tuple[int, range]] = {}
        self._open: dict[int, _OpenItem] = {}
        self.standing = ProgressState(done, done + len(tasks))

    def __next__(self) -> tuple[int, Stage]:
        if not self._ready:
            self._begin(next(self._items))
        item, blocks, make = self._ready.popleft()
        number = next(self._numbers)
        self._given[number] = item, blocks
        return number, make()

    def _begin(self, item: int) -> None:
        task = self._tasks[item]
        if not holds_dask_arrays(task):
            self._ready.append((item, range(0), partial(InspectItem, task)))
            return
        found = self._work(
            InspectItem(task)
        )  # here, for a worker that asks its own cluster for a result may wait for itself
        if isinstance(found, BlockedItem):
            self._cut(item, found)
            if self._open[item].share < 1:
                return
            found = self._work(ScoreCounts(task, self._open[item].total.counted))
        self._ready.append((item, range(0), partial(ScoredItem, task, found)))

    def _cut(self, item: int, found: BlockedItem) -> None:
        """Put the blocks of an item into jobs, but for those that were counted before."""
        task, plan = self._tasks[item], found.plan
        kind: Callable[..., Stage] = CountDaskBlocks.of if holds_dask_arrays(task) else CountBlocks
        being = self._open[item] = _OpenItem(found)
        before = self._before.get(item)
        if before is not None and before.edges == plan.edges:
            being.blocks |= before.blocks
            being.total.add(before.counted)
        step = max(self._together, -(-len(plan) // MOST_JOBS))
        for blocks in _runs(set(range(len(plan))) - being.blocks, step):
            self._ready.append((item, blocks, partial(kind, task, plan, blocks.start, blocks.stop)))
        now = self.standing
        self.standing = replace(now, n_blocks=now.n_blocks + len(plan), n_bytes=now.n_bytes + found.n_bytes)
        self._note(being, len(being.blocks))

    def _note(self, being: _OpenItem, n_blocks: int) -> None:
        """Count blocks as done."""
        now, share = self.standing, being.planned.n_bytes * n_blocks // len(being.planned.plan)
        parts = sum(one.share for one in self._open.values() if one.share < 1)
        self.standing = replace(now, blocks=now.blocks + n_blocks, read_bytes=now.read_bytes + share, parts=parts)

    def kept(self) -> dict[int, CountedBlocks]:
        """The blocks of unfinished items that are counted."""
        return {
            item: CountedBlocks(being.planned.plan.edges, frozenset(being.blocks), being.total.counted)
            for item, being in self._open.items()
            if being.blocks
        }

    def answer(self, number: int, found: Any) -> tuple[int, ItemResult] | None:
        """Take the result of a job, or the sum of several; the item and its result if that finished it."""
        numbers, found = found if isinstance(found, SummedResult) else ((number,), found)
        given = [self._given.pop(number) for number in numbers]
        item, blocks = given[0][0], {block for _, run in given for block in run}
        if isinstance(found, BlockedItem):
            self._cut(item, found)
            return self._finish(item)
        if isinstance(found, ItemResult):
            return self._finished(item, found)
        being = self._open[item]
        being.blocks.update(blocks)
        being.total.add(found)
        self._note(being, len(blocks))
        return self._finish(item)

    def _finish(self, item: int) -> tuple[int, ItemResult] | None:
        """Have an item scored when its last block is counted."""
        being, task = self._open[item], self._tasks[item]
        if being.share < 1:
            return None
        job = partial(ScoreCounts, task, being.total.counted)
        if holds_dask_arrays(task):
            return self._finished(item, self._work(job()))
        self._ready.append((item, range(0), job))
        return None

    def _finished(self, item: int, found: ItemResult) -> tuple[int, ItemResult]:
        self._open.pop(item, None)
        self.standing = replace(self.standing, items=self.standing.items + 1)
        return item, found


def _runs(numbers: set[int], longest: int) -> Iterator[range]:
    """Numbers as runs of neighbours, none too long.

    >>> list(_runs({1, 2, 3, 4, 7}, 3))
    [range(1, 4), range(4, 5), range(7, 8)]
    """
    start = previous = None
    for number in sorted(numbers):
        if start is not None and previous is not None and (number != previous + 1 or number - start >= longest):
            yield range(start, previous + 1)
            start = number
        start = number if start is None else start
        previous = number
    if start is not None and previous is not None:
        yield range(start, previous + 1)
