"""Sums over results that stay on the workers of a dask cluster: they are added up there, as a tree.

A few neighbours are added up by one task, and so are their sums: the process that started the evaluation receives one
table every few seconds instead of one per block. A term that is lost with its worker is computed again by dask. An
interrupted run keeps the sums it has received, so no result stays on the cluster for long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple

FAN_IN = 8
"""The most terms that one task adds up."""
AWAY_SECONDS = 2.0
"""How long a result may stay on the cluster while other terms of its sum are expected."""


class _PendingSum(NamedTuple):
    level: int
    numbers: tuple[int, ...]
    future: Any


class DistributedSum:
    """The terms of one sum that are on the cluster; ``add`` submits a task that adds up some of them.

    >>> total = DistributedSum(add=sum)
    >>> for number in range(20):
    ...     total.expect()
    ...     total.put(number, 10)
    >>> total.is_due, total.take()[1], total.take()
    (True, 200, None)
    """

    def __init__(self, add: Callable[[list[Any]], Any]) -> None:
        self._add = add
        self._terms: list[_PendingSum] = []  # by descending level: no term sums fewer results than a later one
        self._since = 0.0
        self.n_expected = 0

    def expect(self) -> None:
        """Expect one more result."""
        self.n_expected += 1

    def put(self, number: int, future: Any) -> None:
        """Add the result of a task."""
        self.n_expected -= 1
        if not self._terms:
            self._since = time.monotonic()
        self._terms.append(_PendingSum(0, (number,), future))
        while len(self._terms) >= FAN_IN and self._terms[-FAN_IN].level == self._terms[-1].level:
            self._join(FAN_IN)

    @property
    def is_due(self) -> bool:
        """Whether the sum should be taken now: no further result is expected, or the first term is old."""
        return bool(self._terms) and (not self.n_expected or time.monotonic() - self._since >= AWAY_SECONDS)

    def take(self) -> tuple[tuple[int, ...], Any] | None:
        """Remove all terms and return the numbers of their tasks and the sum; None without terms."""
        while len(self._terms) > 1:
            self._join(min(FAN_IN, len(self._terms)))
        if not self._terms:
            return None
        _, numbers, future = self._terms.pop()
        return numbers, future

    @property
    def futures(self) -> list[Any]:
        """The futures of all terms."""
        return [term.future for term in self._terms]

    def _join(self, count: int) -> None:
        last = self._terms[-count:]
        del self._terms[-count:]
        numbers = tuple(chain.from_iterable(term.numbers for term in last))
        self._terms.append(_PendingSum(last[0].level + 1, numbers, self._add([term.future for term in last])))
