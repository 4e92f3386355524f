"""One task after the other, in this thread: for debugging, and as the yardstick of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from segmetry.evaluation.engines.engine import Notify, declare_engine


def serial(
    function: Callable[[Any], Any],
    tasks: Iterable[tuple[int, Any]],
    jobs: int,  # noqa: ARG001 - the signature of an engine; run_tasks refuses more than one
    told: Notify | None = None,  # noqa: ARG001 - there is nothing to say
) -> Iterator[tuple[int, Any]]:
    """Tasks in their order."""
    for number, task in tasks:
        yield number, function(task)


declare_engine("serial", serial)
