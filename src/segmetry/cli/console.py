"""Output of commands: a screen and a rich console for people, files that are written atomically for machines."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from segmetry._base import check_target as atomic_write_check_target, json_text, write_atomically
from segmetry.errors import OptionError, visible
from segmetry.results import TIED, terminal_lines

if TYPE_CHECKING:
    from rich.console import Console

    from segmetry.results import ResultTable, Table


def console() -> Console:
    """Return a console on standard output: colours if it is a terminal, its width or 100 columns."""
    from rich.console import Console

    class Pipe(Console):
        """Leaves a broken pipe to the command line, where rich would exit with an error."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError(errno.EPIPE, "broken pipe")

    return Pipe(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 100, highlight=False)


def as_json(data: Any, schema: str | None = None) -> str:
    """Return indented JSON without NaN, with the name of its format (``schema``) and the version of it."""
    named = {} if schema is None else {"schema": schema, "version": 1}
    return json_text({**named, **data}, indent=2, ensure_ascii=False) + "\n"


def as_listing(name: str, rows: Any) -> str:
    """Return a listing as JSON, under its name, with the name and the version of its format."""
    return as_json({name: rows}, name)


def write_text(target: str, text: str, check: Callable[[Path], None] | None = None) -> None:
    """Write a file atomically; ``-`` is standard output. ``check`` reads the text from a file and may reject it."""
    if target == "-":
        if check is not None:
            import tempfile

            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / "output"
                copy.write_text(text, encoding="utf-8", newline="")
                check(copy)
        click.echo(text, nl=False)
        return
    write_atomically(Path(target), text, check)


def write_outputs(
    options: Mapping[str, Any],
    data: Callable[[], Any],
    rows: Callable[[], Sequence[Mapping[str, Any]] | Table],
    schema: str | None = None,
) -> None:
    """Write data as JSON and rows as CSV to the files that the user names."""
    if options["json_to"]:
        write_text(options["json_to"], as_json(data(), schema))
    if options["csv_to"]:
        from segmetry.results import as_csv

        write_text(options["csv_to"], as_csv(rows()))


def check_target(target: str) -> None:
    """Raise an error for a file that cannot be written, before any work is done."""
    if target != "-":
        atomic_write_check_target(Path(target))


def check_outputs(inputs: Iterable[Path], targets: Mapping[str, str | None]) -> None:
    """Raise an error for targets that cannot be written, that clash with inputs or each other; - is one at most."""
    on_output = [f"{option} -" for option, target in targets.items() if target == "-"]
    if len(on_output) > 1:
        raise OptionError(f"{' and '.join(on_output[:2])} both want standard output; give one of them a file")
    for target in targets.values():
        if target:
            check_target(target)
    check_apart(inputs, targets)


def check_apart(inputs: Iterable[Path], targets: Mapping[str, str | Path | None]) -> None:
    """Raise for a target (by option) that would replace an input or is inside its folder, or is named twice."""
    named: dict[Path, str] = {}
    for option, path in targets.items():
        if path is None or str(path) == "-":
            continue
        target = _real_path(path)
        if target.exists() and not target.is_file():
            continue
        for source in inputs:
            if target == _real_path(source):
                raise OptionError(f"{option} {path} is an input and would be overwritten; choose another name")
            if source.is_dir() and target.is_relative_to(_real_path(source)):
                raise OptionError(
                    f"{option} {path} is inside the input {source} and would change it; choose another folder"
                )
        if target in named:
            raise OptionError(f"{named[target]} and {option} both name {path}; choose another file for one of them")
        named[target] = option


def _real_path(path: str | Path) -> Path:
    """Return the real path; an invalid name is returned as it is and reported when it is opened."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:
        return Path(path)


def new_folder(folder: Path) -> Path:
    """Create a folder if it does not exist, and return it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise OptionError(f"{folder} cannot be created: {problem.strerror}") from None
    return folder


FILE_WIDTH = 100
"""The width of what is written to a file or a pipe."""


class Screen:
    """Prints lines and tables of text as they are: what a terminal would act upon is escaped.

    The answer is bold, what stands around it dim, and green and red are better and worse, nothing else.

    What has more layout, such as the listings of ``segmetry explain``, is printed by :func:`console`.
    """

    @cached_property
    def width(self) -> int:
        """The columns of the terminal, those that ``COLUMNS`` names, or 100."""
        if sys.stdout.isatty() or "COLUMNS" in os.environ:
            from shutil import get_terminal_size

            return get_terminal_size().columns
        return FILE_WIDTH

    @cached_property
    def _line_mark(self) -> str:
        """What a line below headings is drawn with: a hyphen where the encoding of the output has no line."""
        try:
            "─".encode(sys.stdout.encoding or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return "-"
        return "─"

    def line(self, text: str, *, wrap: bool = True, bold: bool = False, dim: bool | int = False) -> None:
        """Print text, broken at words, or not at all where it holds paths; ``dim`` may be the length of a beginning."""
        whole = fill(text, self.width, break_long_words=False, break_on_hyphens=False) if wrap else text
        for line in whole.replace(TIED, " ").split("\n"):
            shown = visible(line)
            if dim is not False and dim is not True:
                shown = click.style(shown[:dim], dim=True) + shown[dim:]
            self._print_line(shown, bold=bold, dim=dim is True)

    def table(self, table: ResultTable) -> None:
        """Print a table and its notes."""
        for line in terminal_lines(table, self.width, self._line_mark):
            self._print_line(line.text, bold=line.is_heading)
        for note in table.notes:
            self.line(note, dim=True)

    def show(self, parts: Iterable[str | ResultTable], *, below: bool = False) -> None:
        """Print lines and tables, an empty line between tables and what stands around them.

        ``below``: there are lines above the first part, and perhaps below the last.
        """
        before: str | ResultTable | None = "" if below else None
        for part in parts:
            if before is not None and not (isinstance(part, str) and isinstance(before, str)):
                self._print_line("", bold=False)
            if isinstance(part, str):
                self.line(part)
            else:
                self.table(part)
            before = part
        if below and before is not None and not isinstance(before, str):
            self._print_line("", bold=False)

    def _print_line(self, line: str, *, bold: bool, dim: bool = False) -> None:
        click.echo(click.style(line, bold=bold or None, dim=dim or None) if (bold or dim) and line else line)
