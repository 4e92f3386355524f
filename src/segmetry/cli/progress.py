"""How far a run is: a bar with rate and remaining time on a terminal, a plain line now and then otherwise."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from segmetry.evaluation.schedule import ProgressState

SECONDS_BETWEEN_LINES = 5.0
MEGABYTE = 10**6


@contextmanager
def progress() -> Iterator[Report]:
    """Something to hand to :func:`segmetry.evaluate`; it writes to standard error."""
    if sys.stderr.isatty():
        with _bar() as report:
            yield report
    else:
        yield Lines()


class Report(ABC):
    """Told after every job how far the run is."""

    def __init__(self) -> None:
        self.begun = self.last = time.monotonic()
        self.first: ProgressState | None = None  # opening the inputs and what an earlier sitting did count for no rate

    def __call__(self, done: int, total: int) -> None:
        """Items alone, from somebody who knows no blocks."""
        self.watch(ProgressState(done, total))

    def tell(self, words: str) -> None:
        """What an engine has to say."""
        click.echo(words, err=True)

    def watch(self, standing: ProgressState) -> None:
        """How far the run is now."""
        now = time.monotonic()
        if self.first is None:
            self.first, self.begun = standing, now
        self.show(standing, now - self.begun)

    @abstractmethod
    def show(self, standing: ProgressState, seconds: float) -> None:
        """Show it."""

    def words(self, standing: ProgressState, seconds: float) -> str:
        """Rate, blocks and remaining time."""
        before = self.first or standing
        rate = (standing.items - before.items) / max(seconds, 1e-9)
        told = [f"{rate:.1f} items/s"] if rate or not standing.n_blocks else []
        if standing.n_blocks:
            speed = (standing.read_bytes - before.read_bytes) / max(seconds, 1e-9) / MEGABYTE
            done, total = standing.read_bytes / MEGABYTE, standing.n_bytes / MEGABYTE
            told.append(f"block {standing.blocks} of {standing.n_blocks}")
            told.append(f"{done:.0f} of {total:.0f} MB, {speed:.0f} MB/s")
        left = seconds_left(standing, before, seconds)
        return ", ".join([*told, *([] if left is None else [f"{left:.0f} s left"])])


def share(standing: ProgressState) -> float:
    """How much of a run is done: items, and parts of items.

    >>> share(ProgressState(3, 8)), share(ProgressState(0, 2, parts=0.5))
    (0.375, 0.25)
    """
    return (standing.items + standing.parts) / max(1, standing.n_items)


def seconds_left(standing: ProgressState, before: ProgressState, seconds: float) -> float | None:
    """The time the rest takes at the present rate; None while nothing is known.

    >>> first, now = ProgressState(2, 8), ProgressState(6, 8)
    >>> seconds_left(now, first, 10.0), seconds_left(first, first, 10.0)
    (5.0, None)
    """
    gained = share(standing) - share(before)
    return (1 - share(standing)) * seconds / gained if gained > 0 else None


@contextmanager
def _bar() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = BarColumn(bar_width=20), MofNCompleteColumn(), TextColumn("{task.fields[words]}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Bar(bar)


class _Bar(Report):
    """A bar on the terminal."""

    def __init__(self, bar: Any) -> None:
        super().__init__()
        self.bar = bar
        self.task = bar.add_task("items", total=None, words="")

    def tell(self, words: str) -> None:
        """Above the bar."""
        self.bar.console.print(words, highlight=False)

    def show(self, standing: ProgressState, seconds: float) -> None:
        """Move the bar."""
        words = self.words(standing, seconds)
        self.bar.update(self.task, completed=standing.items + standing.parts, total=standing.n_items, words=words)


class Lines(Report):
    """At most one line every few seconds, so that short runs say nothing."""

    def show(self, standing: ProgressState, seconds: float) -> None:
        """Say how far the run is, if it is time to."""
        now = time.monotonic()
        if now - self.last < SECONDS_BETWEEN_LINES:
            return
        self.last = now
        words = self.words(standing, seconds)
        click.echo(f"{standing.items} of {standing.n_items} items{', ' if words else ''}{words}", err=True)
