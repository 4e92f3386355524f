"""The tasks that are on a dask cluster, and what becomes of their results.

Results come back as they finish; those that are parts of a sum are added up on the workers first. A result that comes
twice is taken once. Dask arrays among the ``inputs`` of a task are computed by the worker that needs them, or lie on
the cluster already.
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
from typing import Any, NamedTuple

from segmetry import __version__
from segmetry.errors import EngineError, SegmetryError
from segmetry.evaluation.engines.dask.tree_sums import DistributedSum
from segmetry.evaluation.engines.engine import MOST_IN_FLIGHT, WINDOW, SummedResult

WORKER_SECONDS = 30.0
"""How long to wait for the first worker, and for one to come back when all have gone."""
LOOK_SECONDS = 2.0
RESUMABLE = "what is done is kept in the run file, if one was named: continue it with resume (--resume)"


class _Sent(NamedTuple):
    """Tasks on the cluster: their numbers, more than one where results are added up, and the result to be."""

    numbers: tuple[int, ...]
    future: Any
    sum: DistributedSum | None = None


class Flight:
    """The tasks that are on the cluster, and results that are added up there."""

    def __init__(self, client: Any, function: Callable[[Any], Any]) -> None:
        self.client, self.function = client, partial(_same_version, function, _versions())
        self.flying: dict[str, _Sent] = {}
        self._sums: dict[Hashable, DistributedSum] = {}
        self._finished: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._name = f"segmetry-{uuid.uuid4().hex}"
        self._submitted = itertools.count()
        self._looked, self._window = 0.0, 0

    @property
    def room(self) -> int:
        """How many more tasks may go; the cluster may grow and shrink."""
        if time.monotonic() - self._looked > LOOK_SECONDS:
            self._looked = time.monotonic()
            with suppress(OSError, TimeoutError):  # a scheduler that has gone is met where results are waited for
                self._window = min(MOST_IN_FLIGHT, WINDOW * max(1, sum(self.client.nthreads().values())))
        return max(0 if self.flying else 1, self._window - len(self.flying))

    @property
    def is_over(self) -> bool:
        """Whether nothing is left on the cluster."""
        return not self.flying and not self._sums

    def submit(self, number: int, task: Any) -> None:
        """Send one task."""
        inputs = getattr(task, "inputs", ())
        if any(_is_lazy(one) for one in inputs):
            given = [self._sent(one) if _is_lazy(one) else one for one in inputs]
            bare = replace(task, inputs=[])
            future = self._send(_with_inputs, self.function, bare, given)
        else:
            future = self._send(self.function, task)
        self._await(_Sent((number,), future, self._sum_of(task)))

    def _send(self, function: Callable[..., Any], *given: Any, **facts: Any) -> Any:
        """Send one call; its key is new, so that nothing of an earlier run is taken for it."""
        key = f"{self._name}-{next(self._submitted)}"
        with warnings.catch_warnings():
            # The table of a large item must travel to the worker that scores it; the advice is for authors of graphs.
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            return self.client.submit(function, *given, key=key, pure=False, **facts)

    def _await(self, sent: _Sent) -> None:
        self.flying[sent.future.key] = sent
        sent.future.add_done_callback(lambda future: self._finished.put(future.key))

    def _sum_of(self, task: Any) -> DistributedSum | None:
        """The sum that the result of a task is a part of."""
        if not hasattr(task, "part_of"):
            return None
        if task.part_of not in self._sums:
            add = partial(_same_version, type(task).added, _versions())
            # Before tasks that wait: what is added up makes room.
            self._sums[task.part_of] = DistributedSum(partial(self._send, add, priority=1))
        found = self._sums[task.part_of]
        found.expect()
        return found

    def _fetch_sums(self) -> None:
        """Have the sums come back that are due."""
        for name, one in list(self._sums.items()):
            taken = one.take() if one.is_due else None
            if taken is not None:
                self._await(_Sent(*taken))
            if not one.awaited:
                del self._sums[name]

    def _sent(self, lazy: Any) -> Any:
        """A lazy input as the part of its graph it needs; what lies on the cluster already is computed there."""
        if importlib.import_module("distributed").client.futures_of(lazy):
            return self.client.compute(lazy)
        return importlib.import_module("dask").optimize(lazy)[0]

    def next_result(self) -> tuple[int, Any] | None:
        """The number and the result of a task that has finished, waited for as long as somebody works on it.

        None if there is room for another task, and the result stays on the cluster for its sum.
        """
        alone_since: float | None = None
        while True:
            self._fetch_sums()
            try:
                key = self._finished.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                alone_since = self._alone_since(alone_since)
                continue
            if key not in self.flying:
                continue
            sent = self.flying.pop(key)
            if sent.sum is None or sent.future.status in ("error", "cancelled"):
                result = _result(sent.future)
                return sent.numbers[0], result if len(sent.numbers) == 1 else SummedResult(sent.numbers, result)
            sent.sum.put(sent.numbers[0], sent.future)
            return None

    def _alone_since(self, before: float | None) -> float | None:
        """Since when there is no worker; for too long is an error."""
        with suppress(OSError, TimeoutError):
            if self.client.nthreads():
                return None
        now = time.monotonic()
        if before is not None and now - before > WORKER_SECONDS:
            raise EngineError(f"the dask cluster has had no worker for {WORKER_SECONDS:.0f} s; {RESUMABLE}")
        return now if before is None else before

    def cancel(self) -> None:
        """Give up what has not finished."""
        futures = [sent.future for sent in self.flying.values()]
        futures += [future for one in self._sums.values() for future in one.futures]
        self.flying.clear()
        if futures:
            with suppress(Exception):  # the cluster may be gone
                self.client.cancel(futures, force=True)


def _result(future: Any) -> Any:
    """The result of a task, or what its end means to the user."""
    try:
        return future.result()
    except (SegmetryError, KeyboardInterrupt):
        raise
    except ModuleNotFoundError as problem:
        raise EngineError(
            f"a dask worker cannot do the work: {first_line(problem)}; install the same segmetry, with the same "
            "extras, on all workers"
        ) from None
    except Exception as problem:
        name = type(problem).__name__
        if name == "KilledWorker":
            raise EngineError(
                f"dask workers died again and again at one task, perhaps for want of memory ({first_line(problem)}); "
                f"give workers more memory or fewer threads; {RESUMABLE}"
            ) from None
        if "Cancelled" in name or "Closed" in name or isinstance(problem, OSError):
            raise EngineError(
                f"the connection to the dask cluster was lost ({name}: {first_line(problem)}); {RESUMABLE}"
            ) from None
        if isinstance(problem, MemoryError):
            raise EngineError(f"a dask worker ran out of memory; give workers more of it; {RESUMABLE}") from None
        raise


def _is_lazy(found: Any) -> bool:
    return hasattr(found, "__dask_graph__")


def _with_inputs(function: Callable[[Any], Any], task: Any, inputs: list[Any]) -> Any:
    """Called by a worker. It computes lazy inputs itself: asked for them, its cluster might wait for this very task."""
    here = [one.compute(scheduler="synchronous") if _is_lazy(one) else one for one in inputs]
    return function(replace(task, inputs=here))


def _same_version(function: Callable[[Any], Any], expected: dict[str, str], task: Any) -> Any:
    """Called by a worker: other versions might give other numbers."""
    found = _versions()
    for name, version in expected.items():
        if found[name] != version:
            raise EngineError(
                f"a dask worker runs {name} {found[name]}, this is {version}; install the same version on all workers"
            )
    return function(task)


def _versions() -> dict[str, str]:
    return {"segmetry": __version__, "Python": f"{sys.version_info.major}.{sys.version_info.minor}"}


def first_line(problem: BaseException) -> str:
    """What a problem says, in one line."""
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0][:200]
