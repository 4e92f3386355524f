"""The tasks in flight on a dask cluster, and their results.

Results come back as tasks finish; the terms of a sum are added up on the workers first. A result that arrives twice is
used once. Dask arrays among the ``inputs`` of a task are computed by the worker that needs them, or are already in the
memory of the cluster.

Sums over results are added up as a tree: a few neighbours by one task, and so are their sums. The process that started
the evaluation receives one table every few seconds instead of one per block. A term that is lost with its worker is
computed again by dask. An interrupted run keeps the sums it has received, so no result stays on the cluster for long.
"""

from __future__ import annotations

import importlib
import itertools
import queue
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from segmetry import __version__
from segmetry.errors import EngineError, SegmetryError
from segmetry.evaluation.engines.engine import MOST_IN_FLIGHT, WINDOW, SummedResult

WORKER_SECONDS = 30.0
"""How long to wait for the first worker, and for a new one when all have gone."""
POLL_SECONDS = 2.0
RESUMABLE = "finished items are in the run file, if one was named: continue it with resume (--resume)"


class _Submitted(NamedTuple):
    """A future on the cluster and the numbers of its tasks, more than one where results are added up."""

    numbers: tuple[int, ...]
    future: Any
    sum: DistributedSum | None = None


class ClusterTasks:
    """The tasks that are on the cluster, and the results that are added up there."""

    def __init__(self, client: Any, function: Callable[[Any], Any]) -> None:
        self.client, self.function = client, partial(_same_version, function, _versions())
        self.in_flight: dict[str, _Submitted] = {}
        self._sums: dict[Hashable, DistributedSum] = {}
        self._finished: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._name = f"segmetry-{uuid.uuid4().hex}"
        self._submitted = itertools.count()
        self._polled, self._window = 0.0, 0

    @property
    def free_slots(self) -> int:
        """The number of tasks that may be submitted now; the cluster may grow and shrink."""
        if time.monotonic() - self._polled > POLL_SECONDS:
            self._polled = time.monotonic()
            with suppress(OSError, TimeoutError):  # next_result reports a scheduler that has gone
                self._window = min(MOST_IN_FLIGHT, WINDOW * max(1, sum(self.client.nthreads().values())))
        return max(0 if self.in_flight else 1, self._window - len(self.in_flight))

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left on the cluster."""
        return not self.in_flight and not self._sums

    def submit(self, number: int, task: Any) -> None:
        """Send a task."""
        inputs = getattr(task, "inputs", ())
        if any(_is_lazy(block) for block in inputs):
            blocks = [self._prepared(block) if _is_lazy(block) else block for block in inputs]
            future = self._send(_with_inputs, self.function, replace(task, inputs=[]), blocks)
        else:
            future = self._send(self.function, task)
        self._track(_Submitted((number,), future, self._sum_of(task)))

    def _send(self, function: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
        """Send one call under a new key, so that no earlier result is used for it."""
        key = f"{self._name}-{next(self._submitted)}"
        with warnings.catch_warnings():
            # The table of a large item must be sent to the worker that scores it; the warning is for authors of graphs.
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            return self.client.submit(function, *arguments, key=key, pure=False, **settings)

    def _track(self, submitted: _Submitted) -> None:
        self.in_flight[submitted.future.key] = submitted
        submitted.future.add_done_callback(lambda future: self._finished.put(future.key))

    def _sum_of(self, task: Any) -> DistributedSum | None:
        if not hasattr(task, "part_of"):
            return None
        if task.part_of not in self._sums:
            add = partial(_same_version, type(task).sum_results, _versions())
            # Before waiting tasks: adding up frees memory.
            self._sums[task.part_of] = DistributedSum(partial(self._send, add, priority=1))
        total = self._sums[task.part_of]
        total.expect()
        return total

    def _fetch_sums(self) -> None:
        for key, total in list(self._sums.items()):
            partial_sum = total.take() if total.is_due else None
            if partial_sum is not None:
                self._track(_Submitted(*partial_sum))
            if not total.n_expected:
                del self._sums[key]

    def _prepared(self, lazy: Any) -> Any:
        """Return a lazy input with only the graph it needs; an input in the memory of the cluster is computed there."""
        if importlib.import_module("distributed").client.futures_of(lazy):
            return self.client.compute(lazy)
        return importlib.import_module("dask").optimize(lazy)[0]

    def next_result(self) -> tuple[int, Any] | None:
        """Wait for a task to finish, as long as there are workers, and return its number and result.

        None if the result stays on the cluster for its sum, so that another task may be submitted.
        """
        idle_since: float | None = None
        while True:
            self._fetch_sums()
            try:
                key = self._finished.get(timeout=POLL_SECONDS)
            except queue.Empty:
                idle_since = self._without_workers_since(idle_since)
                continue
            if key not in self.in_flight:
                continue
            submitted = self.in_flight.pop(key)
            if submitted.sum is None or submitted.future.status in ("error", "cancelled"):
                numbers, result = submitted.numbers, _result(submitted.future)
                return numbers[0], result if len(numbers) == 1 else SummedResult(numbers, result)
            submitted.sum.put(submitted.numbers[0], submitted.future)
            return None

    def _without_workers_since(self, since: float | None) -> float | None:
        """Return the time since which there is no worker; too long is an error."""
        with suppress(OSError, TimeoutError):
            if self.client.nthreads():
                return None
        now = time.monotonic()
        if since is not None and now - since > WORKER_SECONDS:
            raise EngineError(f"the dask cluster has had no worker for {WORKER_SECONDS:.0f} s; {RESUMABLE}")
        return now if since is None else since

    def cancel(self) -> None:
        """Cancel all tasks that have not finished."""
        futures = [submitted.future for submitted in self.in_flight.values()]
        futures += [future for total in self._sums.values() for future in total.futures]
        self.in_flight.clear()
        if futures:
            with suppress(Exception):  # the cluster may be gone
                self.client.cancel(futures, force=True)


def _result(future: Any) -> Any:
    """Return the result of a task, or raise its failure in words for the user."""
    try:
        return future.result()
    except (SegmetryError, KeyboardInterrupt):
        raise
    except ModuleNotFoundError as problem:
        raise EngineError(
            f"a dask worker cannot run the task: {first_line(problem)}; install the same segmetry, with the same "
            "extras, on all workers"
        ) from None
    except Exception as problem:
        name = type(problem).__name__
        if name == "KilledWorker":
            raise EngineError(
                f"dask workers died repeatedly at one task, perhaps out of memory ({first_line(problem)}); "
                f"give workers more memory or fewer threads; {RESUMABLE}"
            ) from None
        if "Cancelled" in name or "Closed" in name or isinstance(problem, OSError):
            raise EngineError(
                f"the connection to the dask cluster was lost ({name}: {first_line(problem)}); {RESUMABLE}"
            ) from None
        if isinstance(problem, MemoryError):
            raise EngineError(f"a dask worker ran out of memory; give workers more of it; {RESUMABLE}") from None
        raise


def _is_lazy(value: Any) -> bool:
    return hasattr(value, "__dask_graph__")


def _with_inputs(function: Callable[[Any], Any], task: Any, inputs: list[Any]) -> Any:
    """Run a task on a worker, which computes lazy inputs itself: its cluster might wait for this very task."""
    blocks = [block.compute(scheduler="synchronous") if _is_lazy(block) else block for block in inputs]
    return function(replace(task, inputs=blocks))


def _same_version(function: Callable[[Any], Any], expected: dict[str, str], task: Any) -> Any:
    """Run a task on a worker of the same version: another version might give other numbers."""
    here = _versions()
    for name, version in expected.items():
        if here[name] != version:
            raise EngineError(
                f"a dask worker runs {name} {here[name]}, this is {version}; install the same version on all workers"
            )
    return function(task)


def _versions() -> dict[str, str]:
    return {"segmetry": __version__, "Python": f"{sys.version_info.major}.{sys.version_info.minor}"}


def first_line(problem: BaseException) -> str:
    """Return the first line of an error message."""
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0][:200]


FAN_IN = 8
"""The most terms that one task adds up."""
AWAY_SECONDS = 2.0
"""How long a result may stay on the cluster while other terms of its sum are expected."""


class _PendingSum(NamedTuple):
    level: int
    numbers: tuple[int, ...]
    future: Any


class DistributedSum:
    """The terms of one sum that are on the cluster; ``add`` submits a task that adds up some of them."""

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
