"""One task after the other, or in threads of this process: decoding and counting release the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from segmetry.evaluation.engines.engine import Notify, declare_engine


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
