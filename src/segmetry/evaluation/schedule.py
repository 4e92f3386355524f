"""The jobs of an evaluation as they become known: items in order, the blocks of large items before further items."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from segmetry._base import frozen_dataclass
from segmetry.errors import SegmetryError
from segmetry.evaluation.engines.engine import SummedResult
from segmetry.evaluation.inputs import ItemTask
from segmetry.evaluation.item_scores import EvaluatedGroup, EvaluatedItem
from segmetry.evaluation.stages import (
    BlockedItem,
    CountBlocks,
    CountDaskBlocks,
    InspectItem,
    ScoreCounts,
    ScoredItem,
    ScoredItems,
    ScoreItems,
    Stage,
    has_dask_arrays,
    size_in_group,
)
from segmetry.overlaps import PairSum
from segmetry.runfile import CountedBlocks, Shard
from segmetry.segmentation import Spans

GROUP_ITEMS, GROUP_SEGMENTS = 256, 2**14
"""The most small items in one job, and how many segments they may have together."""
LABEL_ITEMS, LABEL_ELEMENTS = 1024, 2**22
"""The same of label arrays, and how many elements they may have together: more are not faster."""
MAX_JOBS_PER_ITEM = 4096
"""The most jobs the blocks of one item are divided into; each job sends one sum."""


@frozen_dataclass()
class ProgressState:
    """Finished items, and of the large items started so far the counted blocks and the bytes of their labels."""

    items: int
    n_items: int
    blocks: int = 0
    n_blocks: int = 0
    read_bytes: int = 0
    n_bytes: int = 0
    partial_items: float = 0.0
    """The counted fractions of all unfinished items, summed."""


@dataclass(eq=False)
class _OpenItem:
    """A large item whose blocks are being counted; ``wanted`` are those of this part of the run."""

    item: BlockedItem
    wanted: range
    blocks: set[int] = field(default_factory=set)
    total: PairSum = field(default_factory=PairSum)

    @property
    def fraction(self) -> float:
        """The fraction of the wanted blocks that is counted."""
        return len(self.blocks) / len(self.wanted) if self.wanted else 1.0

    @property
    def is_counted(self) -> bool:
        """Whether all of its blocks are counted, so that it can be scored."""
        return len(self.blocks) == len(self.item.plan)


class FinishedGroup(NamedTuple):
    """Items that were finished together: their numbers and results."""

    items: tuple[int, ...]
    results: EvaluatedGroup


Finished = list[tuple[int, EvaluatedItem]] | FinishedGroup
"""Items with their results."""


class Schedule(Iterator[tuple[int, Stage]]):
    """Numbered jobs for an engine; :meth:`receive` takes their results, which may lead to further jobs.

    ``tasks`` are by the number of the item, ``execute`` runs a job in this process, ``blocks_per_job`` is the least
    number of blocks in a job, ``n_done`` the number of items finished earlier, ``counted`` the blocks counted
    earlier of unfinished items, and ``slab`` the part of a run of which only a slab of each large item is counted.
    """

    def __init__(
        self,
        tasks: Mapping[int, ItemTask],
        execute: Callable[[Stage], Any],
        *,
        blocks_per_job: int = 1,
        n_done: int = 0,
        counted: Mapping[int, CountedBlocks] | None = None,
        slab: Shard | None = None,
    ) -> None:
        self._tasks, self._execute, self._blocks_per_job = tasks, execute, blocks_per_job
        self._counted_earlier, self._slab = counted or {}, slab
        self._items = deque(tasks)
        self._ready: deque[tuple[tuple[int, ...], range, Callable[[], Stage]]] = deque()
        self._numbers = itertools.count()
        self._issued: dict[int, tuple[tuple[int, ...], range]] = {}
        self.problem: SegmetryError | None = None
        self._open: dict[int, _OpenItem] = {}
        self._n_finished = n_done
        self._blocks_state = ProgressState(n_done, n_done + len(tasks))

    @property
    def state(self) -> ProgressState:
        """How far the evaluation is."""
        return replace(self._blocks_state, items=self._n_finished)

    def __next__(self) -> tuple[int, Stage]:
        while not self._ready:
            if not self._items:
                raise StopIteration
            group = self._next_group()
            if len(group) > 1:
                tasks = tuple(self._tasks[item] for item in group)
                self._ready.append((group, range(0), partial(ScoreItems, tasks)))
            else:
                self._start(group[0])
        items, blocks, make_job = self._ready.popleft()
        number = next(self._numbers)
        self._issued[number] = items, blocks
        return number, make_job()

    def _next_group(self) -> tuple[int, ...]:
        """Take the next item; if it is small, with the small items that follow it."""
        group = [self._items.popleft()]
        found = size_in_group(self._tasks[group[0]]) if self._slab is None else None
        if found is None:
            return tuple(group)
        key, total = found
        most_items, most = (GROUP_ITEMS, GROUP_SEGMENTS) if key is Spans else (LABEL_ITEMS, LABEL_ELEMENTS)
        while len(group) < most_items and self._items:
            found = size_in_group(self._tasks[self._items[0]])
            if found is None or found[0] != key or total + found[1] > most:
                break
            total += found[1]
            group.append(self._items.popleft())
        return tuple(group)

    def _start(self, item: int) -> None:
        task, only_plan = self._tasks[item], self._slab is not None and not self._slab.takes(item)
        if not has_dask_arrays(task):
            self._ready.append(((item,), range(0), partial(InspectItem, task, only_plan)))
            return
        # In this process: a worker that asks its own cluster for a result may wait for itself.
        result = self._execute(InspectItem(task, only_plan))
        if result is None:
            return
        if isinstance(result, BlockedItem):
            self._open_item(item, result)
            if not self._open[item].is_counted:
                return
            result = self._execute(ScoreCounts(task, self._open[item].total.counted))
        self._ready.append(((item,), range(0), partial(ScoredItem, task, result)))

    def _open_item(self, item: int, blocked: BlockedItem) -> None:
        """Divide the blocks of an item into jobs, except those that were counted earlier."""
        task, plan = self._tasks[item], blocked.plan
        make_job: Callable[..., Stage] = CountDaskBlocks.of if has_dask_arrays(task) else CountBlocks
        wanted = range(len(plan)) if self._slab is None else self._slab.slab(len(plan))
        open_item = self._open[item] = _OpenItem(blocked, wanted)
        earlier = self._counted_earlier.get(item)
        if earlier is not None and earlier.edges == plan.edges:
            open_item.blocks |= earlier.blocks
            open_item.total.add(earlier.counts)
        step = max(self._blocks_per_job, -(-len(plan) // MAX_JOBS_PER_ITEM))
        for blocks in _ranges(set(wanted) - open_item.blocks, step):
            self._ready.append(((item,), blocks, partial(make_job, task, plan, blocks.start, blocks.stop)))
        state = self._blocks_state
        n_bytes = blocked.n_bytes * len(wanted) // len(plan)
        self._blocks_state = replace(state, n_blocks=state.n_blocks + len(wanted), n_bytes=state.n_bytes + n_bytes)
        self._add_progress(open_item, len(open_item.blocks))

    def _add_progress(self, open_item: _OpenItem, n_blocks: int) -> None:
        state, n_bytes = self._blocks_state, open_item.item.n_bytes * n_blocks // len(open_item.item.plan)
        self._blocks_state = replace(
            state,
            blocks=state.blocks + n_blocks,
            read_bytes=state.read_bytes + n_bytes,
            partial_items=sum(unfinished.fraction for unfinished in self._open.values() if unfinished.fraction < 1),
        )

    def counted_blocks(self) -> dict[int, CountedBlocks]:
        """Return the counted blocks of every unfinished item."""
        return {
            number: CountedBlocks(unfinished.item.plan.edges, frozenset(unfinished.blocks), unfinished.total.counted)
            for number, unfinished in self._open.items()
            if unfinished.blocks
        }

    def receive(self, number: int, result: Any) -> Finished:
        """Take the result of a job, or the sum of several; return the items that it finished, with their results.

        ``problem`` is then the error of the item after them, if there was one.
        """
        numbers, result = result if isinstance(result, SummedResult) else ((number,), result)
        issued = [self._issued.pop(number) for number in numbers]
        items, blocks = issued[0][0], {block for _, block_range in issued for block in block_range}
        if isinstance(result, ScoredItems):
            self.problem = result.problem
            return self._close(
                items[: len(result.results)],
                result.results,
            )
        item = items[0]
        if isinstance(result, BlockedItem):
            self._open_item(item, result)
            return self._score_if_counted(item)
        if isinstance(result, EvaluatedItem):
            return self._close((item,), [result])
        if result is None:
            return []
        open_item = self._open[item]
        open_item.blocks.update(blocks)
        open_item.total.add(result)
        self._add_progress(open_item, len(blocks))
        return self._score_if_counted(item)

    def _score_if_counted(self, item: int) -> Finished:
        """Score an item, or add the job that does, once its last block is counted."""
        open_item, task = self._open[item], self._tasks[item]
        if not open_item.is_counted:
            return []
        make_job = partial(ScoreCounts, task, open_item.total.counted)
        if has_dask_arrays(task):
            return self._close((item,), [self._execute(make_job())])
        self._ready.append(((item,), range(0), make_job))
        return []

    def _close(self, items: tuple[int, ...], results: list[EvaluatedItem] | EvaluatedGroup) -> Finished:
        for item in items:
            self._open.pop(item, None)
        self._n_finished += len(items)
        return (
            FinishedGroup(items, results)
            if isinstance(results, EvaluatedGroup)
            else list(zip(items, results, strict=True))
        )


def _ranges(numbers: set[int], max_length: int) -> Iterator[range]:
    """Yield ranges of consecutive numbers, each of at most ``max_length``."""
    start = previous = None
    for number in sorted(numbers):
        if start is not None and previous is not None and (number != previous + 1 or number - start >= max_length):
            yield range(start, previous + 1)
            start = number
        start = number if start is None else start
        previous = number
    if start is not None and previous is not None:
        yield range(start, previous + 1)
