"""Warnings on standard error: about data, the first few and the number of others, and about plug-ins left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from segmetry.errors import DataWarning

SHOWN = 10


@contextmanager
def print_warnings(kind: type[Warning] = DataWarning, word: str = "note") -> Iterator[None]:
    """Print warnings of one kind as they occur."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("always", kind)
        show = warnings.showwarning

        def print_message(message: Warning | str, category: type[Warning], *place: object, **more: object) -> None:
            nonlocal count
            if not issubclass(category, kind):
                show(message, category, *place, **more)  # type: ignore[arg-type]
                return
            count += 1
            if count <= SHOWN:
                click.echo(f"segmetry: {word}: {message}", err=True)

        warnings.showwarning = print_message
        yield
    if count > SHOWN:
        click.echo(f"segmetry: {word}: … and {count - SHOWN} more {word}s", err=True)
