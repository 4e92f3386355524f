"""Warnings about the data that change no score: the first few on standard error, then the number of others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from segmetry.errors import DataWarning

SHOWN = 10


@contextmanager
def print_warnings() -> Iterator[None]:
    """Print warnings about the data as they occur."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        show = warnings.showwarning

        def print_message(message: Warning | str, category: type[Warning], *place: object, **more: object) -> None:
            nonlocal count
            if not issubclass(category, DataWarning):
                show(message, category, *place, **more)  # type: ignore[arg-type]
                return
            count += 1
            if count <= SHOWN:
                click.echo(f"segmetry: note: {message}", err=True)

        warnings.showwarning = print_message
        yield
    if count > SHOWN:
        click.echo(f"segmetry: note: … and {count - SHOWN} more notes", err=True)
