"""How far a run is: a bar with rate and remaining time on a terminal, a plain line now and then otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Report = Callable[[int, int], None]
SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def progress() -> Iterator[Report]:
    """Something to call with the number of finished items and of all items; it writes to standard error."""
    if sys.stderr.isatty():
        with _bar() as report:
            yield report
    else:
        yield _Lines().report


@contextmanager
def _bar() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("items", total=None, rate="")
        pace = _Pace()

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, rate=f"{pace.rate(done):.1f} items/s")

        yield report


class _Pace:
    """Items per second since the first one: neither opening the inputs nor items of an earlier sitting count."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.begun = 0.0

    def rate(self, done: int) -> float:
        """The rate so far."""
        now = time.monotonic()
        if self.first is None:
            self.first, self.begun = done, now
        return (done - self.first) / max(now - self.begun, 1e-9)


class _Lines:
    """At most one line every few seconds, so that short runs say nothing."""

    def __init__(self) -> None:
        self.last = time.monotonic()
        self.pace = _Pace()

    def report(self, done: int, total: int) -> None:
        """Say how far the run is, if it is time to."""
        now = time.monotonic()
        rate = self.pace.rate(done)
        if now - self.last < SECONDS_BETWEEN_LINES:
            return
        self.last = now
        left = f", {(total - done) / rate:.0f} s left" if rate else ""
        click.echo(f"{done} of {total} items, {rate:.1f} items/s{left}", err=True)
