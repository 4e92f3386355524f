"""Results that are parts of a sum stay on the workers of a dask cluster and are added up there, as in a tree.

Some neighbours are added up by one task, and so are the sums: the process that started the run receives one table every
few seconds instead of one for every block. A part that is lost with its worker is made again by dask. What has come
back is what an interrupted run keeps, so nothing stays away for long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple

FAN_IN = 8
"""Parts that one task adds up at most."""
AWAY_SECONDS = 2.0
"""How long a result may stay on the cluster while others of its sum are awaited."""


class _PendingSum(NamedTuple):
    level: int
    numbers: tuple[int, ...]
    future: Any


class DistributedSum:
    """The parts of one sum that have not come back; ``add`` sends a task that adds up some of them.

    >>> held = DistributedSum(add=sum)
    >>> for number in range(20):
    ...     held.expect()
    ...     held.put(number, 10)
    >>> held.is_due, held.take()[1], held.take()
    (True, 200, None)
    """

    def __init__(self, add: Callable[[list[Any]], Any]) -> None:
        self._add = add
        self._parts: list[_PendingSum] = []  # levels fall: a part was made of as many as any behind it, or more
        self._since = 0.0
        self.awaited = 0

    def expect(self) -> None:
        """One more task will have a result."""
        self.awaited += 1

    def put(self, number: int, future: Any) -> None:
        """The result of a task."""
        self.awaited -= 1
        if not self._parts:
            self._since = time.monotonic()
        self._parts.append(_PendingSum(0, (number,), future))
        while len(self._parts) >= FAN_IN and self._parts[-FAN_IN].level == self._parts[-1].level:
            self._join(FAN_IN)

    @property
    def is_due(self) -> bool:
        """Whether it is time for the sum of what is there: nothing more is awaited, or the first part is old."""
        return bool(self._parts) and (not self.awaited or time.monotonic() - self._since >= AWAY_SECONDS)

    def take(self) -> tuple[tuple[int, ...], Any] | None:
        """The numbers of all tasks whose results are there, and their sum; they are forgotten."""
        while len(self._parts) > 1:
            self._join(min(FAN_IN, len(self._parts)))
        if not self._parts:
            return None
        _, numbers, future = self._parts.pop()
        return numbers, future

    @property
    def futures(self) -> list[Any]:
        """All that is there."""
        return [part.future for part in self._parts]

    def _join(self, count: int) -> None:
        """Have the last parts added up."""
        last = self._parts[-count:]
        del self._parts[-count:]
        numbers = tuple(chain.from_iterable(part.numbers for part in last))
        self._parts.append(_PendingSum(last[0].level + 1, numbers, self._add([part.future for part in last])))
