"""The jobs of a run as they become known: items in their order, and the blocks of large items before further items."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from segmetry.item_work import Count, CountInputs, Done, Finish, Job, Look, Planned, holds_dask_arrays
from segmetry.kernels.pairs import PairCounts
from segmetry.overlaps.by_blocks import PairSum
from segmetry.run.result import ItemResult
from segmetry.work import Task

MOST_JOBS = 4096
"""Jobs into which the blocks of one item are put at most; each sends its sum once."""


@dataclass(frozen=True)
class Standing:
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
class _Open:
    """A large item that is being counted."""

    planned: Planned
    n_jobs: int
    waiting: int
    total: PairSum = field(default_factory=PairSum)


class Jobs(Iterator[tuple[int, Job]]):
    """Numbered jobs for an engine; :meth:`answer` takes their results. It may run dry and have more jobs after that.

    ``tasks`` are by the number of the item, ``together`` is how many blocks a job has at least, and ``done`` how many
    items were done before.
    """

    def __init__(
        self, tasks: Mapping[int, Task], work: Callable[[Job], Any], *, together: int = 1, done: int = 0
    ) -> None:
        self._tasks, self._work, self._together = tasks, work, together
        self._items = iter(tasks)
        self._ready: deque[tuple[int, int, Callable[[], Job]]] = deque()
        self._numbers = itertools.count()
        self._given: dict[int, tuple[int, int]] = {}
        self._open: dict[int, _Open] = {}
        self.standing = Standing(done, done + len(tasks))

    def __next__(self) -> tuple[int, Job]:
        if not self._ready:
            self._begin(next(self._items))
        item, n_blocks, make = self._ready.popleft()
        number = next(self._numbers)
        self._given[number] = item, n_blocks
        return number, make()

    def _begin(self, item: int) -> None:
        task = self._tasks[item]
        if not holds_dask_arrays(task):
            self._ready.append((item, 0, partial(Look, task)))
            return
        found = self._work(Look(task))  # here, for a worker that asks its own cluster for a result may wait for itself
        if isinstance(found, Planned):
            self._cut(item, found)
        else:
            self._ready.append((item, 0, partial(Done, task, found)))

    def _cut(self, item: int, found: Planned) -> None:
        """Put the blocks of an item into jobs."""
        task, plan = self._tasks[item], found.plan
        kind: Callable[..., Job] = CountInputs.of if holds_dask_arrays(task) else Count
        step = max(self._together, -(-len(plan) // MOST_JOBS))
        starts = range(0, len(plan), step)
        self._open[item] = _Open(found, len(starts), len(starts))
        for start in starts:
            stop = min(start + step, len(plan))
            self._ready.append((item, stop - start, partial(kind, task, plan, start, stop)))
        now = self.standing
        self.standing = replace(now, n_blocks=now.n_blocks + len(plan), n_bytes=now.n_bytes + found.n_bytes)

    def answer(self, number: int, found: ItemResult | Planned | PairCounts) -> tuple[int, ItemResult] | None:
        """Take the result of a job; the item and its result if that finished it."""
        item, n_blocks = self._given.pop(number)
        if isinstance(found, Planned):
            self._cut(item, found)
            return None
        if isinstance(found, ItemResult):
            self.standing = replace(self.standing, items=self.standing.items + 1)
            return item, found
        return self._counted(item, n_blocks, found)

    def _counted(self, item: int, n_blocks: int, found: PairCounts) -> tuple[int, ItemResult] | None:
        being, now = self._open[item], self.standing
        being.total.add(found)
        being.waiting -= 1
        share = being.planned.n_bytes * n_blocks // len(being.planned.plan)
        if not being.waiting:
            self._open.pop(item)
        parts = sum(1 - one.waiting / one.n_jobs for one in self._open.values())
        self.standing = replace(now, blocks=now.blocks + n_blocks, read_bytes=now.read_bytes + share, parts=parts)
        if being.waiting:
            return None
        task, counted = self._tasks[item], being.total.counted
        if not holds_dask_arrays(task):
            self._ready.append((item, 0, partial(Finish, task, counted)))
            return None
        self.standing = replace(self.standing, items=self.standing.items + 1)
        return item, self._work(Finish(task, counted))
