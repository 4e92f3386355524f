"""Sound events as DCASE lists them: a table with the columns ``filename``, ``onset``, ``offset`` and ``event_label``.

A recording is an item, an event a segment and its label the class. Where events overlap, the items of the file are
intervals, else spans. A row with a file name alone declares a recording without events. The line ends with the last
event unless ``--length`` says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.csv_table import header_of, read_table
from segmetry.readers.parts.line_options import LENGTH, TICK
from segmetry.readers.parts.span_rows import SpanRow, gather
from segmetry.readers.parts.ticks import parse_time
from segmetry.readers.reader import Reader, declare_reader

COLUMNS = ("filename", "onset", "offset", "event_label")


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    rows = [_row(path, line, cells) for line, cells in read_table(path, COLUMNS)]
    return gather(rows, path, options, overlaps=True, open_lines=True)


def _row(path: Path, line: int, cells: Mapping[str, str]) -> SpanRow:
    where = f"{path}, line {line}"
    for column in COLUMNS:
        if column not in cells:
            raise FormatError(f"{path}, line 1: no column {column!r}; expected {', '.join(COLUMNS)}")
    name, *event = (cells[column] for column in COLUMNS)
    if not name:
        raise FormatError(f"{where}: the filename is empty")
    if not any(event):
        return SpanRow(where, name)
    for column, cell in zip(COLUMNS[1:], event, strict=True):
        if not cell:
            raise FormatError(f"{where}: {column!r} is empty; expected onset, offset and label, or none of them")
    onset, offset = (parse_time(cells[column], f"{where}, column {column!r}") for column in ("onset", "offset"))
    return SpanRow(where, name, span=(onset, offset), label=event[2])


def _sniff(_path: Path, head: bytes) -> bool:
    return header_of(head) == frozenset(COLUMNS)


declare_reader(
    Reader(
        name="sound-events",
        summary="sound events of recordings: filename, onset, offset, event_label",
        extensions=(".tsv", ".csv"),
        sniff=_sniff,
        read=_read,
        options=(LENGTH, TICK),
        lists_all=False,
    )
)
