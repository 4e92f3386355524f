"""The table of a protocol as it is printed: in the community's number format, with the reasons of undefined values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmetry._base.number_text import UNDEFINED
from segmetry._base.small_table import counted
from segmetry.outputs.tables.number_format import styled
from segmetry.outputs.tables.plain_table import WIDTH, PlainTable

if TYPE_CHECKING:
    from segmetry.protocols.protocol_table import ProtocolCell, ProtocolTable
    from segmetry.protocols.table_layout import NumberStyle


def protocol_output(table: ProtocolTable, numbers: NumberStyle | None = None) -> PlainTable:
    """Return a protocol's table with formatted numbers; ``numbers`` is another style than the protocol's own."""
    style = numbers or table.numbers
    reasons: dict[str, list[str]] = {}
    for row in table.rows:
        for heading, cell in zip(table.headings, row.cells, strict=True):
            if cell is not None and cell.reason is not None:
                reasons.setdefault(cell.reason, []).append(f"{heading} of {row.heading}")
    return PlainTable(
        "",
        (table.corner, *table.headings),
        [[row.heading, *(_printed(cell, style) for cell in row.cells)] for row in table.rows],
        [_note(reason, places) for reason, places in reasons.items()],
        [[row.heading, *(None if cell is None else cell.value for cell in row.cells)] for row in table.rows],
        has_headings=bool(table.corner) or table.headings != ("value",),
    )


def _note(reason: str, places: list[str]) -> str:
    """Return why values are undefined, and which, if that is one line: the table shows where they are."""
    line = f"{UNDEFINED} {reason}: {', '.join(places)}"
    return line if len(line) <= WIDTH else f"{UNDEFINED} {reason}: {counted(len(places), 'value')}"


def _printed(cell: ProtocolCell | None, style: NumberStyle) -> str:
    if cell is None:
        return ""
    value: Any = cell.value
    return f"{value}" if isinstance(value, int) else styled(value, cell.key, style)
