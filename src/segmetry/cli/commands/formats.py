"""``segmetry formats``."""

from __future__ import annotations

import click

from segmetry.cli.console import console
from segmetry.installation import about
from segmetry.readers import READERS


@click.command(name="formats")
def command() -> None:
    """List the file formats that can be read and written, and the kernels in use."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("format", no_wrap=True)
    table.add_column("files", overflow="fold", max_width=14)
    table.add_column("", no_wrap=True)
    table.add_column("content", overflow="fold")
    for reader in READERS.values():
        needs = f" [extra {reader.extra}]" if reader.extra else ""
        ways = "rw" if reader.writer is not None else "r"
        options = "".join(f" {option.flag}" for option in reader.options)
        words = reader.summary + needs + (f"\noptions:{options}" if options else "")
        table.add_row(reader.name, " ".join(reader.extensions), ways, Text(words))
    screen = console()
    screen.print(table)
    screen.print(
        "r: read; w: written by 'segmetry convert'; /: a folder. Install extras with pip: 'segmetry[tiff]'.",
        markup=False,
    )
    facts = about()
    screen.print(f"segmetry {facts['segmetry']} uses its {facts['kernels']} kernels.")
