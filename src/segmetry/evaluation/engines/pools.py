"""Pools of threads and processes, with a bounded window of tasks in flight."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from segmetry.errors import EngineError, SegmetryError
from segmetry.evaluation.engines.engine import MOST_IN_FLIGHT, WINDOW, Notify, declare_engine
from segmetry.kernels import native

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


PATIENCE = 10.0
"""Seconds in which a process without a task ends."""


def in_threads(
    function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], jobs: int
) -> Iterator[tuple[int, Any]]:
    """Run tasks in threads of this process, quick ones in packs."""
    workers: list[int] = []
    pool = ThreadPoolExecutor(
        jobs, thread_name_prefix="segmetry", initializer=lambda: workers.append(threading.get_ident())
    )
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        _stop_threads(pool, workers)

    packs = TaskPacks(tasks)
    with closing(_windowed(pool, partial(run_pack, function, stopped.is_set), packs, jobs, stop)) as finished:
        for _, pack in finished:
            yield from _results(pack, packs, finished)


def processes(
    function: Callable[[Any], Any],
    tasks: Iterable[tuple[int, Any]],
    jobs: int,
    notify: Notify | None = None,  # noqa: ARG001 - there are no messages
) -> Iterator[tuple[int, Any]]:
    """Run tasks in new processes, quick ones in packs; tasks and results are pickled between processes of this program
    only.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_start_worker)
    packs = TaskPacks(tasks)
    with closing(
        _windowed(pool, partial(_in_a_process, function), packs, jobs, stop=lambda: _stop_processes(pool))
    ) as finished:
        for _, (pack, messages) in finished:
            for message in messages:
                warnings.warn(message, stacklevel=2)
            yield from _results(pack, packs, finished)


def _results(pack: FinishedPack, packs: TaskPacks, finished: Generator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yield the results of a pack; its error, if there was one, ends the engine."""
    packs.learn(pack)
    yield from pack.results
    if pack.problem is not None:
        finished.throw(pack.problem)


def _in_a_process(function: Callable[[Any], Any], tasks: Numbered) -> tuple[FinishedPack, list[Warning | str]]:
    """Run a pack; return its warnings too: they would be lost in another process, as would the traceback of a fault."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pack = run_pack(function, lambda: False, tasks)  # a process that is not needed any more is killed
    if pack.problem is not None and not isinstance(pack.problem, SegmetryError):
        pack.problem.add_note("".join(traceback.format_exception(pack.problem)))
    return pack, [warning.message for warning in caught]


def _start_worker() -> None:
    """Leave interrupts to the parent, and exit with it: a parent that is killed cannot end its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # no process is left that would receive a result


def _stop_threads(pool: ThreadPoolExecutor, workers: list[int]) -> None:
    """Stop the kernels of the workers, and do not wait for one that does something else: nobody uses its result."""
    if native is None:
        pool.shutdown(wait=False, cancel_futures=True)
        return
    native.stop_threads(workers, True)

    def let_numbers_be_used_again() -> None:
        pool.shutdown(wait=True)
        native.stop_threads(workers, False)

    pool.shutdown(wait=False, cancel_futures=True)
    threading.Thread(target=let_numbers_be_used_again, daemon=True).start()


def _stop_processes(pool: ProcessPoolExecutor) -> None:
    """End the workers: they ignore interrupts, and nobody uses their results."""
    _kill(list((getattr(pool, "_processes", None) or {}).values()))
    pool.shutdown(wait=True, cancel_futures=True)


def _windowed(
    pool: Executor,
    function: Callable[[Any], Any],
    tasks: Iterable[tuple[int, Any]],
    jobs: int,
    stop: Callable[[], None],
) -> Generator[tuple[int, Any]]:
    remaining = iter(tasks)
    in_flight: dict[Future[Any], int] = {}
    try:
        while True:
            for number, task in remaining:
                in_flight[pool.submit(function, task)] = number
                if len(in_flight) >= min(MOST_IN_FLIGHT, WINDOW * jobs):
                    break
            if not in_flight:
                break
            # In order, so that results before an error are used.
            for future in sorted(wait(in_flight, return_when=FIRST_COMPLETED).done, key=in_flight.__getitem__):
                yield in_flight.pop(future), _result(future)
    except (KeyboardInterrupt, GeneratorExit):  # interrupted while it waited, or while its results were used
        stop()
        raise
    except BaseException:
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    _end(pool)


def _end(pool: Executor) -> None:
    """Wait until the workers of a pool, which have nothing left to do, have ended; processes that do not are killed.

    A worker that is killed while it looks for a task keeps the lock of the queue, and the others would wait for it.
    """
    workers = list((getattr(pool, "_processes", None) or {}).values())
    impatience = threading.Timer(PATIENCE, _kill, [workers])
    impatience.daemon = True
    if workers:
        impatience.start()
    pool.shutdown(wait=True)
    impatience.cancel()


def _kill(workers: Iterable[Any]) -> None:
    for process in workers:
        process.kill()


def _result(future: Future[Any]) -> Any:
    try:
        return future.result()
    except BrokenExecutor:
        raise EngineError(
            "a worker process died, perhaps out of memory; try fewer jobs, and continue with resume (--resume). "
            "Each of them imports the script that is run: in a script the evaluation must stand under "
            "if __name__ == '__main__':"
        ) from None


declare_engine("processes", processes)


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

    Handing one task to a worker and its result back takes as long as reading a small image.
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
