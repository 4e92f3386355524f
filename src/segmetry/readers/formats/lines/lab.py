"""Label files of recordings: ``start end label`` per line, separated by white space; labels may be left out.

The line ends with the last interval unless ``--length`` says otherwise. Time between intervals is in no segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.formats.lines.spans_table import span_cells
from segmetry.readers.items import Item
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.line_options import LENGTH, TICK
from segmetry.readers.parts.span_rows import SpanRow, gather
from segmetry.readers.parts.text_file import column_of, read_lines, whole_lines
from segmetry.readers.parts.ticks import is_number, parse_time
from segmetry.readers.reader import Reader, Writer, declare_reader


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    rows = [_row(path, number, line) for number, line in enumerate(read_lines(path), start=1) if line.strip()]
    return gather(rows, path, options)


def _row(path: Path, number: int, line: str) -> SpanRow:
    where = f"{path}, line {number}"
    cells = line.split(maxsplit=2)
    if len(cells) < 2:
        raise FormatError(f"{where}, column {column_of(line, 0)}: expected a start, an end and perhaps a label")
    start, end = (parse_time(cells[at], f"{where}, column {column_of(line, at)}") for at in (0, 1))
    return SpanRow(where, path.stem, span=(start, end), label=cells[2].strip() if len(cells) == 3 else None)


def _sniff(_path: Path, head: bytes) -> bool:
    lines = [line.split(maxsplit=2) for line in whole_lines(head) if line.strip()]
    return bool(lines) and all(len(cells) >= 2 and is_number(cells[0]) and is_number(cells[1]) for cells in lines)


def _write(items: Sequence[Item], path: Path) -> str:
    lines = []
    for start, stop, label in span_cells(items[0]):
        if label != label.strip():
            raise FormatError(
                f"{path}: the class {label!r} starts or ends in white space, which this format cannot represent"
            )
        lines.append("\t".join((start, stop, label) if label else (start, stop)))
    return "\n".join(lines) + "\n"


declare_reader(
    Reader(
        name="lab",
        summary="intervals of a recording: start, end, label",
        extensions=(".lab",),
        sniff=_sniff,
        read=_read,
        options=(LENGTH, TICK),
        writer=Writer(_write, holds=frozenset({"classes", "first gap", "inner gaps", "tick"})),
    )
)
