"""The argument of a command that reads: a path, or an address, which is kept as it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.storage.remote_path import is_url


class InputPath(click.Path):
    """A path; an address would lose a slash as one.

    >>> InputPath().convert("https://example.org/truth.zarr", None, None)
    'https://example.org/truth.zarr'
    """

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the address, or the path."""
        return value if isinstance(value, str) and is_url(value) else super().convert(value, param, ctx)
