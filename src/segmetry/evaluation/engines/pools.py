"""Threads and processes: a pool with a bounded window of tasks in flight."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from functools import partial
from typing import Any

from segmetry.errors import EngineError
from segmetry.evaluation.engines.engine import MOST_IN_FLIGHT, WINDOW, Notify, declare_engine


def threads(
    function: Callable[[Any], Any],
    tasks: Iterable[tuple[int, Any]],
    jobs: int,
    told: Notify | None = None,  # noqa: ARG001 - there is nothing to say
) -> Iterator[tuple[int, Any]]:
    """Threads of this process: decoding and counting release the interpreter lock."""
    return _windowed(ThreadPoolExecutor(jobs, thread_name_prefix="segmetry"), function, tasks, jobs)


def processes(
    function: Callable[[Any], Any],
    tasks: Iterable[tuple[int, Any]],
    jobs: int,
    told: Notify | None = None,  # noqa: ARG001 - there is nothing to say
) -> Iterator[tuple[int, Any]]:
    """Other processes, started afresh; tasks and results travel by pickle between processes of this program only."""
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_begin_worker)
    for number, (result, warned) in _windowed(pool, partial(_with_warnings, function), tasks, jobs):
        for found in warned:
            warnings.warn(found, stacklevel=2)
        yield number, result


def _with_warnings(function: Callable[[Any], Any], task: Any) -> tuple[Any, list[Warning | str]]:
    """What a function returns, and what it warned of: nobody reads the warnings of another process."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return function(task), [one.message for one in caught]


def _begin_worker() -> None:
    """Leave interrupts to the parent, and do not outlive it: a parent that is killed cannot end its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # there is nobody left to take a result


def _windowed(
    pool: Executor, function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], jobs: int
) -> Iterator[tuple[int, Any]]:
    remaining = iter(tasks)
    flying: dict[Future[Any], int] = {}
    try:
        while True:
            for number, task in remaining:
                flying[pool.submit(function, task)] = number
                if len(flying) >= min(MOST_IN_FLIGHT, WINDOW * jobs):
                    break
            if not flying:
                return
            for done in wait(flying, return_when=FIRST_COMPLETED).done:
                yield flying.pop(done), _result(done)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _result(done: Future[Any]) -> Any:
    try:
        return done.result()
    except BrokenExecutor:
        raise EngineError(
            "a worker process died, perhaps for want of memory; try fewer jobs, and continue with resume (--resume). "
            "Each of them imports the script that is run: in a script the evaluation must stand under "
            "if __name__ == '__main__':"
        ) from None


declare_engine("threads", threads)
declare_engine("processes", processes)
