"""Warnings on standard error: about data, the first few and the number of others, and about plug-ins left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from segmetry.errors import DataWarning, PluginWarning

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


@contextmanager
def print_plugin_warnings() -> Iterator[None]:
    """Print in one line each plug-in that cannot be used."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", PluginWarning)
        show = warnings.showwarning

        def print_message(message: Warning | str, category: type[Warning], *place: object, **more: object) -> None:
            if issubclass(category, PluginWarning):
                click.echo(f"segmetry: warning: {message}", err=True)
            else:
                show(message, category, *place, **more)  # type: ignore[arg-type]

        warnings.showwarning = print_message
        yield
