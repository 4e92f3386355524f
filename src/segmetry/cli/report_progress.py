"""Progress of writing a report, on standard error: what is being computed, and how many pictures are drawn."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from segmetry._base.on_stage import OnStage
from segmetry.cli.progress import SECONDS_BETWEEN_LINES


@contextmanager
def report_progress() -> Iterator[OnStage]:
    """Yield what :func:`segmetry.report.page_data.report_data` calls with every stage.

    On a terminal one line is rewritten and removed at the end; elsewhere a line is printed every few seconds, so that
    short reports print nothing.
    """
    if not sys.stderr.isatty():
        yield _Lines()
        return
    try:
        yield _rewrite
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)


def _rewrite(stage: str, done: int = 0, total: int = 0) -> None:
    click.echo(f"\r\x1b[K{stage_text(stage, done, total)} …", nl=False, err=True)


class _Lines:
    """Prints a stage if the last line is not recent."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        now = time.monotonic()
        if now - self.last >= SECONDS_BETWEEN_LINES:
            self.last = now
            click.echo(f"report: {stage_text(stage, done, total)}", err=True)


def stage_text(stage: str, done: int, total: int) -> str:
    """Return a stage in words.

    >>> stage_text("pictures", 3, 8), stage_text("intervals", 0, 0)
    ('pictures, 3 of 8', 'intervals')
    """
    return f"{stage}, {done} of {total}" if total else stage
