"""Engines: where tasks run, and how many at once. All of them give the same results; only time and memory differ.

An engine takes a function and numbered tasks and yields ``(number, result)`` in the order in which tasks finish. It
takes tasks from their iterator only when a worker can run them soon: at most :data:`WINDOW` per worker are in flight
(or packs of quick tasks), and never more than :data:`MOST_IN_FLIGHT`, so memory stays bounded however large the data
set is. An exhausted iterator is asked again after every result, so results may lead to further tasks. The first error
ends the evaluation: tasks that have not started are dropped, running ones are waited for.

The result of a task may be a term of a sum (:class:`SummableTask`). An engine with remote workers may add up such
results there and yield their sum once, as a :class:`SummedResult` under the number of one of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol, TypeVar

from segmetry._base import ENGINE_MODULES, Registry
from segmetry.errors import OptionError

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")
Notify = Callable[[str], None]
"""Called with messages of an engine to the user, such as the address of its dashboard."""

WINDOW = 4
"""Tasks in flight per worker: enough that no worker waits while results are written."""
MOST_IN_FLIGHT = 10**4


class SummableTask(Protocol):
    """A task whose result is a term of a sum."""

    @property
    def part_of(self) -> Hashable:
        """The key of the sum."""

    @staticmethod
    def sum_results(results: list[Any]) -> Any:
        """Return the sum of some results, which does not depend on their order or grouping."""


class SummedResult(NamedTuple):
    """The sum of the results of some tasks."""

    numbers: tuple[int, ...]
    result: Any


class Engine(Protocol):
    """A way to run a function over tasks."""

    def __call__(
        self, function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], jobs: int, notify: Notify | None = None
    ) -> Iterator[tuple[int, Any]]: ...


ENGINES: Registry[Engine] = Registry(
    "engine", package="segmetry.evaluation.engines", group="segmetry.engines", index=ENGINE_MODULES
)


def declare_engine(name: str, engine: Engine) -> None:
    """Register an engine under a name."""
    ENGINES.declare(name, engine)


def run_tasks(
    function: Callable[[TaskT], ResultT],
    tasks: Iterable[tuple[int, TaskT]],
    engine: Any = "threads",
    jobs: int | None = None,
    notify: Notify | None = None,
) -> Iterator[tuple[int, ResultT]]:
    """Apply a function to every task; ``engine`` is a name, the address of a dask scheduler, or a dask client."""
    check_engine(engine, jobs)
    if isinstance(engine, str) and "://" not in engine:
        return ENGINES[engine](function, tasks, available_cores() if jobs is None else jobs, notify)
    from segmetry.evaluation.engines.dask import cluster as dask_cluster

    if isinstance(engine, str):
        return dask_cluster.on_address(engine, function, tasks, notify)
    return dask_cluster.on_client(engine, function, tasks, notify)


def check_engine(engine: Any, jobs: int | None = None) -> None:
    """Raise for an unknown engine, or a number of jobs it cannot have, before anything starts."""
    if jobs is not None and jobs < 1:
        raise OptionError(f"jobs is {jobs!r}; expected the number of items to process at once, 1 or more")
    if engine == "serial" and jobs not in (None, 1):
        raise OptionError(
            f"jobs is {jobs}, but the serial engine does one thing at a time; choose threads or processes"
        )
    if isinstance(engine, str) and "://" not in engine:
        _ = ENGINES[engine]
        return
    if jobs is not None:
        raise OptionError(f"jobs is {jobs}, but a dask cluster that runs already has its own workers; leave jobs out")
    if isinstance(engine, str):
        from segmetry.evaluation.engines.dask import cluster as dask_cluster

        dask_cluster.check_address(engine)
    elif type(engine).__module__.partition(".")[0] != "distributed" or not hasattr(engine, "submit"):
        raise OptionError(
            f"engine is a {type(engine).__name__}; expected a name ({', '.join(sorted(ENGINES))}), the address of a "
            "dask scheduler, or a distributed.Client"
        )
    elif engine.asynchronous or engine.status in ("closing", "closed"):
        state = "asynchronous" if engine.asynchronous else "closed"
        raise OptionError(f"engine is a distributed.Client that is {state}; expected one that is open and synchronous")


def leaves_process(engine: Any) -> bool:
    """Return whether tasks go to other processes, which may run in another folder or on another machine."""
    return engine not in ("serial", "threads")


def available_cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def serial(
    function: Callable[[Any], Any],
    tasks: Iterable[tuple[int, Any]],
    jobs: int,  # noqa: ARG001 - the signature of an engine; run_tasks rejects more than one
    notify: Notify | None = None,  # noqa: ARG001 - there are no messages
) -> Iterator[tuple[int, Any]]:
    """Run tasks in order, in this thread: for debugging, and as the reference of the other engines."""
    for number, task in tasks:
        yield number, function(task)


def threads(
    function: Callable[[Any], Any],
    tasks: Iterable[tuple[int, Any]],
    jobs: int,
    notify: Notify | None = None,  # noqa: ARG001 - there are no messages
) -> Iterator[tuple[int, Any]]:
    """Run tasks in threads; a first one that is alone in the thread of the caller, as it needs no other."""
    remaining = iter(tasks)
    before = [task for _, task in zip(range(2), remaining, strict=False)]
    if len(before) == 1:
        number, task = before.pop()
        yield number, function(task)
        following = next(remaining, None)  # the result may lead to further tasks
        before = [] if following is None else [following]
    if before:
        from segmetry.evaluation.engines.pools import in_threads

        yield from in_threads(function, _Resumed(before[::-1], remaining), jobs)


class _Resumed:
    """An iterator with some values before it, the last one first. Like the iterator it may go on after its end."""

    def __init__(self, before: list[tuple[int, Any]], remaining: Iterator[tuple[int, Any]]) -> None:
        self._before, self._remaining = before, remaining

    def __iter__(self) -> _Resumed:
        return self

    def __next__(self) -> tuple[int, Any]:
        return self._before.pop() if self._before else next(self._remaining)


declare_engine("serial", serial)
declare_engine("threads", threads)
