"""Quick tasks in packs: handing one task to a worker and its result back takes as long as reading a small image."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

SECONDS = 0.01
"""How long a pack may take, judged by the last one: so short that no worker waits long for the end of another."""
MOST_TASKS = 32

Numbered = list[tuple[int, Any]]


class FinishedPack(NamedTuple):
    """The results of a pack up to the first error, the kind of its tasks, the seconds they took, and the tasks that
    were not started as the others had taken too long."""

    results: Numbered
    problem: BaseException | None
    kind: type
    seconds: float
    rest: Numbered


class TaskPacks(Iterator[tuple[int, Numbered]]):
    """Packs of numbered tasks of one kind, as many as finish quickly. Like the tasks it may go on after its end.

    >>> packs = TaskPacks(enumerate([1, 2, 3, 4]))
    >>> next(packs)
    (0, [(0, 1)])
    >>> packs.learn(FinishedPack([(0, 1)], None, int, seconds=1e-4, rest=[]))
    >>> next(packs), next(packs)
    ((1, [(1, 2), (2, 3)]), (2, [(3, 4)]))
    """

    def __init__(self, tasks: Iterable[tuple[int, Any]]) -> None:
        self._tasks = iter(tasks)
        self._waiting: deque[tuple[int, Any]] = deque()
        self._sizes: dict[type, int] = {}
        self._number = -1

    def __next__(self) -> tuple[int, Numbered]:
        pack = [self._waiting.popleft() if self._waiting else next(self._tasks)]
        kind = type(pack[0][1])
        while len(pack) < self._sizes.get(kind, 1):
            following = self._waiting.popleft() if self._waiting else next(self._tasks, None)
            if following is None:
                break
            if type(following[1]) is not kind:
                self._waiting.appendleft(following)
                break
            pack.append(following)
        self._number += 1
        return self._number, pack

    def learn(self, pack: FinishedPack) -> None:
        """Take the time of a pack into account: packs of its kind become twice as large at most. What it left undone
        comes next."""
        self._waiting.extendleft(reversed(pack.rest))
        if pack.results:
            size = int(SECONDS * len(pack.results) / max(pack.seconds, 1e-9))
            self._sizes[pack.kind] = max(1, min(size, 2 * self._sizes.get(pack.kind, 1), MOST_TASKS))


def run_pack(function: Callable[[Any], Any], is_stopped: Callable[[], bool], pack: Numbered) -> FinishedPack:
    """Run the tasks of a pack one after the other, until one fails, they take too long or the engine is stopped."""
    results: Numbered = []
    problem: BaseException | None = None
    start = time.perf_counter()
    seconds = 0.0
    try:
        for number, task in pack:
            if is_stopped() or seconds > SECONDS:
                break
            results.append((number, function(task)))
            seconds = time.perf_counter() - start
    except BaseException as error:  # noqa: BLE001 - raised again where the results are used
        problem = error
    return FinishedPack(results, problem, type(pack[0][1]), seconds, pack[len(results) :])
