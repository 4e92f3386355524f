"""Where commands write: a rich console for people, whole files or nothing for machines."""

from __future__ import annotations

import errno
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from segmetry._base import atomic_write as whole_file
from segmetry._base.atomic_write import write_atomically
from segmetry.errors import OptionError

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Standard output with colours where it is a terminal; as wide as the terminal, or 100 columns."""
    from rich.console import Console

    class Pipe(Console):
        """Leaves a pipe that nobody reads to the command line, where rich would exit with an error."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError(errno.EPIPE, "nobody reads the output")

    return Pipe(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 100, highlight=False)


def as_json(data: Any) -> str:
    """Readable JSON that holds no NaN."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_text(target: str, text: str, check: Callable[[Path], None] | None = None) -> None:
    """Write a whole file or nothing; ``-`` is standard output. ``check`` sees the text in a file and may refuse it."""
    if target == "-":
        if check is not None:
            _check_aside(text, check)
        click.echo(text, nl=False)
        return
    write_atomically(Path(target), text, check)


def _check_aside(text: str, check: Callable[[Path], None]) -> None:
    """Let a check see what is going to standard output."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "output"
        copy.write_text(text, encoding="utf-8", newline="")
        check(copy)


def check_target(target: str) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    if target != "-":
        whole_file.check_target(Path(target))


def check_apart(inputs: Iterable[Path], targets: Mapping[str, str | Path | None]) -> None:
    """Refuse a target that would replace an input or lie in its folder, and one that two options name.

    ``targets`` are by the option that names them. Devices and pipes replace nothing.
    """
    named: dict[Path, str] = {}
    for option, given in targets.items():
        if given is None or str(given) == "-":
            continue
        target = _place(given)
        if target.exists() and not target.is_file():
            continue
        for one in inputs:
            if target == _place(one):
                raise OptionError(f"{option} {given} is an input, which would be lost; give it another name")
            if one.is_dir() and target.is_relative_to(_place(one)):
                raise OptionError(
                    f"{option} {given} lies in {one}, an input, which it would change; write it elsewhere"
                )
        if target in named:
            raise OptionError(f"{named[target]} and {option} both name {given}; give one of them another file")
        named[target] = option


def _place(path: str | Path) -> Path:
    """Where a path leads; a name that no file can have leads nowhere, and whoever opens it says so."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:
        return Path(path)


def new_folder(folder: Path) -> Path:
    """The folder, made if it is not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise OptionError(f"{folder} cannot be made: {problem.strerror}") from None
    return folder
