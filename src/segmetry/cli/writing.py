"""Where commands write: a rich console for people, whole files or nothing for machines."""

from __future__ import annotations

import errno
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
    """Write a whole file or nothing: into a neighbour first, then renamed; ``-`` is standard output.

    ``check`` sees the neighbour before it is renamed and may refuse it.
    """
    if target == "-":
        if check is not None:
            _check_aside(text, check)
        click.echo(text, nl=False)
        return
    write_bytes(target, text.encode(), check)


def write_bytes(target: str, data: bytes, check: Callable[[Path], None] | None = None) -> None:
    """Write a whole file or nothing, as :func:`write_text` does."""
    check_target(target)
    path = Path(target)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise OptionError(f"{path} cannot be written: {problem.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if check is not None:
            check(Path(temporary))
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except OSError as problem:
        raise OptionError(f"{path} cannot be written: {problem.strerror}") from None
    finally:
        Path(temporary).unlink(missing_ok=True)


def _check_aside(text: str, check: Callable[[Path], None]) -> None:
    """Let a check see what is going to standard output."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "output"
        copy.write_text(text, encoding="utf-8", newline="")
        check(copy)


def check_target(target: str) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    path = Path(target)
    if target == "-":
        return
    if path.is_dir():
        raise OptionError(f"{path} is a folder; expected the name of a file to write")
    if not path.parent.is_dir():
        raise OptionError(f"{path} cannot be written: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise OptionError(f"{path} cannot be written: nothing may be written in {path.parent}")


def new_folder(folder: Path) -> Path:
    """The folder, made if it is not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise OptionError(f"{folder} cannot be made: {problem.strerror}") from None
    return folder


def _umask() -> int:
    """What the user's files may not allow; a temporary file allows less."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
