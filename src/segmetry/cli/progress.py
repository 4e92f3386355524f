"""Progress on standard error.

Of an evaluation: a bar with rate and remaining time on a terminal, otherwise plain lines. Of a report: what is being
computed, and how many pictures are drawn.
"""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from segmetry._base import OnStage
from segmetry.evaluation import ProgressState
from segmetry.run import Run

SECONDS_BETWEEN_LINES = 5.0
MEGABYTE = 10**6


@contextmanager
def progress() -> Iterator[Report]:
    """Yield a progress report for :func:`segmetry.evaluate` that writes to standard error."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = BarColumn(bar_width=20), MofNCompleteColumn(), TextColumn("{task.fields[text]}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Bar(bar)


class Report(ABC):
    """Shows the progress of an evaluation."""

    interval = 0.1
    """Seconds between two calls."""

    def __init__(self) -> None:
        self.start = self.last = time.monotonic()
        self.first: ProgressState | None = None  # the rate leaves out opening the inputs and items finished earlier

    def __call__(self, done: int, total: int) -> None:
        """Report items only, without blocks."""
        self.update(ProgressState(done, total))

    def notify(self, message: str) -> None:
        """Print a message of the engine."""
        click.echo(message, err=True)

    def update(self, state: ProgressState) -> None:
        """Report the present state."""
        now = time.monotonic()
        if self.first is None:
            self.first, self.start = state, now
        self.show(state, now - self.start)

    @abstractmethod
    def show(self, state: ProgressState, seconds: float) -> None:
        """Show the state after so many seconds."""

    def text(self, state: ProgressState, seconds: float) -> str:
        """Return rate, blocks and remaining time."""
        first = self.first or state
        rate = (state.items - first.items) / max(seconds, 1e-9)
        parts = [f"{rate:.1f} items/s"] if rate or not state.n_blocks else []
        if state.n_blocks:
            speed = (state.read_bytes - first.read_bytes) / max(seconds, 1e-9) / MEGABYTE
            done, total = state.read_bytes / MEGABYTE, state.n_bytes / MEGABYTE
            parts.append(f"block {state.blocks} of {state.n_blocks}")
            parts.append(f"{done:.0f} of {total:.0f} MB, {speed:.0f} MB/s")
        left = seconds_left(state, first, seconds)
        return ", ".join([*parts, *([] if left is None else [f"{left:.0f} s left"])])


def fraction_done(state: ProgressState) -> float:
    """Return the fraction of the items that is done, partly counted ones included."""
    return (state.items + state.partial_items) / max(1, state.n_items)


def seconds_left(state: ProgressState, first: ProgressState, seconds: float) -> float | None:
    """Return the remaining time at the present rate; None before there is a rate."""
    gained = fraction_done(state) - fraction_done(first)
    return (1 - fraction_done(state)) * seconds / gained if gained > 0 else None


class _Bar(Report):
    def __init__(self, bar: Any) -> None:
        super().__init__()
        self.bar = bar
        self.task = bar.add_task("items", total=None, text="")

    def notify(self, message: str) -> None:
        """Print a message above the bar."""
        self.bar.console.print(message, highlight=False)

    def show(self, state: ProgressState, seconds: float) -> None:
        """Move the bar."""
        completed = state.items + state.partial_items
        self.bar.update(self.task, completed=completed, total=state.n_items, text=self.text(state, seconds))


class Lines(Report):
    """At most one line every few seconds, so that short evaluations print nothing."""

    def show(self, state: ProgressState, seconds: float) -> None:
        """Print a line, unless the last one is recent."""
        now = time.monotonic()
        if now - self.last < SECONDS_BETWEEN_LINES:
            return
        self.last = now
        text = self.text(state, seconds)
        click.echo(f"{state.items} of {state.n_items} items{', ' if text else ''}{text}", err=True)


def progress_words(run: Run) -> str:
    """Say how much of a run is done: items, and blocks of volumes that its parts divide."""
    words = [f"{run.n_done} of {len(run.names)} items"]
    words += [f"{counted} of {total} blocks of {name}" for name, (counted, total) in run.counted_blocks.items()]
    return ", ".join(words)


@contextmanager
def report_progress() -> Iterator[OnStage]:
    """Yield what :func:`segmetry.report.page_data.report_data` calls with every stage.

    On a terminal one line is rewritten; elsewhere a line every few seconds, so that short reports print nothing.
    """
    is_terminal, last = sys.stderr.isatty(), time.monotonic()

    def show(stage: str, done: int = 0, total: int = 0) -> None:
        nonlocal last
        if is_terminal:
            click.echo(f"\r\x1b[K{stage_text(stage, done, total)} …", nl=False, err=True)
        elif time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            click.echo(f"report: {stage_text(stage, done, total)}", err=True)

    try:
        yield show
    finally:
        if is_terminal:
            click.echo("\r\x1b[K", nl=False, err=True)


def stage_text(stage: str, done: int, total: int) -> str:
    """Describe a stage."""
    return f"{stage}, {done} of {total}" if total else stage
