"""The style of all terminal tables: a bold title, a line below the heading, numbers on the right and never cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


def new_table(title: str, gap: int = 1, *, edge: bool = True, header: bool = True) -> Table:
    """Return an empty table, at least as wide as its title; ``gap`` columns of space follow each column."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    return Table(
        title=Text(title) if title else None,
        min_width=cell_len(title) + 1,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, gap, 0, 0),
        pad_edge=edge,
        show_header=header,
    )


def columns_table(title: str, columns: Sequence[str], gap: int = 1) -> Table:
    """Return a table with these columns, the first on the left; without a heading if all names are empty."""
    table = new_table(title, gap, edge=False, header=any(columns))
    for at, name in enumerate(columns):
        table.add_column(escaped(name), justify="left" if at == 0 else "right", no_wrap=at > 0, overflow="fold")
    return table


def escaped(name: object) -> str:
    """Return a name with its rich markup escaped."""
    from rich.markup import escape

    return escape(str(name))


def name_cell(name: object) -> Text:
    """Return a name as a cell that is shortened where the table is too narrow; markup in it is plain text."""
    from rich.text import Text

    return Text(str(name), overflow="ellipsis", no_wrap=True)
