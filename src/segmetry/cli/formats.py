"""``segmetry formats``."""

from __future__ import annotations

import click

from segmetry.cli.writing import console
from segmetry.installation import about
from segmetry.readers.reader import READERS


@click.command(name="formats")
def command() -> None:
    """List the file formats that can be read, those that convert writes, and which kernels count."""
    from rich.table import Table

    table = Table()
    for name in ("format", "files", "what it holds", "written", "needs"):
        table.add_column(name, overflow="fold")
    for reader in READERS.values():
        written = "yes" if reader.writer is not None else ""
        table.add_row(reader.name, " ".join(reader.extensions), reader.words, written, reader.extra or "")
    screen = console()
    screen.print(table)
    facts = about()
    screen.print(f"segmetry {facts['segmetry']} counts with its {facts['kernels']} kernels.")
