"""What is odd in the data and changes no score is told on standard error: the first few cases, then how many more."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from segmetry.errors import DataWarning

SHOWN = 10


@contextmanager
def told_at_once() -> Iterator[None]:
    """Print warnings about the data as lines while the work goes on."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        show = warnings.showwarning

        def tell(message: Warning | str, category: type[Warning], *place: object, **more: object) -> None:
            nonlocal count
            if not issubclass(category, DataWarning):
                show(message, category, *place, **more)  # type: ignore[arg-type]
                return
            count += 1
            if count <= SHOWN:
                click.echo(f"segmetry: note: {message}", err=True)

        warnings.showwarning = tell
        yield
    if count > SHOWN:
        click.echo(f"segmetry: note: … and {count - SHOWN} more notes", err=True)
