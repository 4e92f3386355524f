"""Standard output for people: lines and tables of text, with bold headings where it is a terminal.

What has more layout, such as the listings of ``segmetry explain``, is printed by :func:`segmetry.cli.console.console`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cached_property
from textwrap import fill
from typing import TYPE_CHECKING

import click

from segmetry.errors import visible
from segmetry.results import TIED, terminal_lines

if TYPE_CHECKING:
    from segmetry.results import ResultTable

FILE_WIDTH = 100
"""The width of what is written to a file or a pipe."""


class Screen:
    """Prints text as it is: what a terminal would act upon is escaped."""

    @cached_property
    def width(self) -> int:
        """The columns of the terminal, those that ``COLUMNS`` names, or 100."""
        if sys.stdout.isatty() or "COLUMNS" in os.environ:
            from shutil import get_terminal_size

            return get_terminal_size().columns
        return FILE_WIDTH

    @cached_property
    def _rule(self) -> str:
        """What a line below headings is drawn with: a hyphen where the encoding of the output has no line."""
        try:
            "─".encode(sys.stdout.encoding or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return "-"
        return "─"

    def line(self, text: str, *, wrap: bool = True, bold: bool = False) -> None:
        """Print text, broken at words, or not at all where it holds paths."""
        whole = fill(text, self.width, break_long_words=False, break_on_hyphens=False) if wrap else text
        for line in whole.replace(TIED, " ").split("\n"):
            self._print(visible(line), bold=bold)

    def table(self, table: ResultTable) -> None:
        """Print a table and its notes."""
        for line in terminal_lines(table, self.width, self._rule):
            self._print(line.text, bold=line.is_heading)
        for note in table.notes:
            self.line(note)

    def show(self, parts: Iterable[str | ResultTable], *, below: bool = False) -> None:
        """Print lines and tables, an empty line between tables and what stands around them.

        ``below``: there are lines above the first part, and perhaps below the last.
        """
        before: str | ResultTable | None = "" if below else None
        for part in parts:
            if before is not None and not (isinstance(part, str) and isinstance(before, str)):
                self._print("", bold=False)
            if isinstance(part, str):
                self.line(part)
            else:
                self.table(part)
            before = part
        if below and before is not None and not isinstance(before, str):
            self._print("", bold=False)

    def _print(self, line: str, *, bold: bool) -> None:
        bold = bold and os.environ.get("TERM") != "dumb"
        click.echo(click.style(line, bold=True) if bold and line else line)  # click leaves styles out of files
