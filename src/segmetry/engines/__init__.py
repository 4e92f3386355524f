"""Engines: how many items are worked on at once. All of them give the same results; only time and memory differ.

An engine takes a function and numbered tasks and yields ``(number, result)`` in whatever order results come. Tasks
are taken from their iterator only when there is room: at most :data:`WINDOW` per worker are in flight, so memory
stays bounded however large the data set is. The first error ends everything: tasks that have not begun are dropped,
those that have are waited for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from segmetry.errors import OptionError
from segmetry.registry import Registry

Given = TypeVar("Given")
Made = TypeVar("Made")

WINDOW = 4
"""Tasks in flight per worker: enough that no worker waits while results are written."""


class Engine(Protocol):
    """A way to run a function over tasks."""

    def __call__(
        self, function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], jobs: int
    ) -> Iterator[tuple[int, Any]]: ...


ENGINES: Registry[Engine] = Registry("engine", package="segmetry.engines", group="segmetry.engines")


def run_tasks(
    function: Callable[[Given], Made],
    tasks: Iterable[tuple[int, Given]],
    engine: str = "threads",
    jobs: int | None = None,
) -> Iterator[tuple[int, Made]]:
    """Apply a function to every task.

    >>> sorted(run_tasks(abs, [(1, -5), (2, 7)], "threads", jobs=2))
    [(1, 5), (2, 7)]
    """
    if jobs is not None and jobs < 1:
        raise OptionError(f"jobs is {jobs!r}; expected how many items to work on at once, 1 or more")
    if engine == "serial" and jobs not in (None, 1):
        raise OptionError(
            f"jobs is {jobs}, but the serial engine does one thing at a time; choose threads or processes"
        )
    return ENGINES[engine](function, tasks, available_cores() if jobs is None else jobs)


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
