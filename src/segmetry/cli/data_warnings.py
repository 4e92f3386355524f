"""Warnings on standard error: about data, the first few and the number of others, and about plug-ins left out."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from segmetry.errors import DataWarning, printable

SHOWN = 10


def note_same_files(true: Path, pred: Path, reading: Mapping[str, Any]) -> None:
    """Warn of files that are compared with themselves, read alike."""
    if os.path.realpath(true) == os.path.realpath(pred) and not any(
        name.startswith(("true_", "pred_")) for name in reading
    ):
        warnings.warn(f"both sides are the same files, {true}", DataWarning, stacklevel=2)


@contextmanager
def print_warnings(kind: type[Warning] = DataWarning, word: str = "note", *, others: bool = False) -> Iterator[None]:
    """Print warnings of one kind as they occur, in one line each; ``others``: those of other packages, too."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("always", kind)
        show = warnings.showwarning

        def print_message(message: Warning | str, category: type[Warning], *place: object, **more: object) -> None:
            nonlocal count
            if not (others or issubclass(category, kind)):
                show(message, category, *place, **more)  # type: ignore[arg-type]
                return
            count += 1
            if count <= SHOWN:
                # On a terminal a line of progress may stand here: the note takes its place.
                start = "\r\x1b[K" if sys.stderr.isatty() else ""
                click.echo(
                    f"{start}segmetry: {word}: {printable(' '.join(str(message).split()))}",
                    err=True,
                    color=True if start else None,
                )

        warnings.showwarning = print_message
        yield
    if count > SHOWN:
        click.echo(f"segmetry: {word}: … and {count - SHOWN} more {word}s", err=True)
