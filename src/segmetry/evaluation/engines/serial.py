"""One task after the other, in this thread: for debugging, and as the reference of the other engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from segmetry.evaluation.engines.engine import Notify, declare_engine


def serial(
    function: Callable[[Any], Any],
    tasks: Iterable[tuple[int, Any]],
    jobs: int,  # noqa: ARG001 - the signature of an engine; run_tasks refuses more than one
    notify: Notify | None = None,  # noqa: ARG001 - there are no messages
) -> Iterator[tuple[int, Any]]:
    """Run tasks in order."""
    for number, task in tasks:
        yield number, function(task)


declare_engine("serial", serial)
