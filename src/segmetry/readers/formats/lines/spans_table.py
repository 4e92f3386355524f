"""Spans in CSV or TSV: a row per span with the columns ``start`` and ``stop``, perhaps ``item``, ``coder``, …

``stop`` is the first element after the span, ``last`` its last element; a column ``end`` can be either, so ``--ends``
must say which. ``n`` is the length of the line, ``class`` the class of the span; a row with an item and ``n`` but no
span declares that the item exists. Numbers may have decimals, except with ``last``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from segmetry.errors import FormatError, OptionError
from segmetry.readers.items import Item
from segmetry.readers.option import Choice, Option
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.csv_table import header_of, read_table, write_table
from segmetry.readers.parts.line_options import CODER, LENGTH, TICK
from segmetry.readers.parts.span_rows import SpanRow, gather
from segmetry.readers.parts.ticks import parse_time, time_text
from segmetry.readers.reader import Reader, Writer, declare_reader

ENDS: Option[str | None] = Option(
    "ends",
    "Spans: whether a column 'end' is the last element or the one after it.",
    Choice(("half-open", "closed")),
    None,
)

KNOWN = ("item", "coder", "n", "start", "stop", "last", "end", "class")
END_COLUMNS = ("stop", "last", "end")
HOLDS = frozenset(
    {"several items", "coders", "classes", "first gap", "inner gaps", "last gap", "no spans", "no elements", "tick"}
)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    rows = [_row(path, line, cells, options) for line, cells in read_table(path, KNOWN)]
    return gather(rows, path, options)


def _row(path: Path, line: int, cells: Mapping[str, str], options: ReadOptions) -> SpanRow:
    where = f"{path}, line {line}"
    end = end_column(cells, where)

    def number(column: str) -> Fraction | None:
        return parse_time(cells[column], f"{where}, column {column!r}") if cells.get(column) else None

    return SpanRow(
        where,
        cells.get("item", path.stem),
        cells.get("coder") or None,
        number("n"),
        span_of(number("start"), number(end), end, where, options),
        cells.get("class") or None,
    )


def end_column(cells: Mapping[str, object], where: str) -> str:
    """Return the column or key that contains the end of a span."""
    columns = [name for name in END_COLUMNS if name in cells]
    if "start" not in cells or len(columns) != 1:
        raise FormatError(f"{where}: expected 'start' and one of 'stop', 'last' and 'end'")
    return columns[0]


def span_of(
    start: Fraction | None, end: Fraction | None, column: str, where: str, options: ReadOptions
) -> tuple[Fraction, Fraction] | None:
    """Return a half-open span for any kind of end; None if both ends are empty."""
    if start is None and end is None:
        return None
    if start is None or end is None:
        raise FormatError(f"{where}: {'start' if start is None else column!r} is empty; expected a number")
    ends = {"stop": "half-open", "last": "closed"}.get(column, options[ENDS])
    if ends is None:
        raise OptionError(
            f"{where}: 'end' may be the last element or the one after it; pass --ends closed or half-open"
        )
    if options[ENDS] not in (None, ends):
        raise OptionError(f"{where}: the column {column!r} is {ends}; omit --ends {options[ENDS]}")
    if ends == "half-open":
        return start, end
    if start.denominator != 1 or end.denominator != 1:
        raise FormatError(f"{where}: closed ends are elements; expected integers")
    return start, end + 1


def _write(items: Sequence[Item], path: Path) -> str:
    coders = any(item.coder is not None for item in items)
    classes = any(item.spans.classes for item in items)
    names = ["item", *(["coder"] if coders else []), "n", "start", "stop", *(["class"] if classes else [])]
    rows = [names]
    for item in items:
        before = [item.name, *([item.coder or ""] if coders else []), time_text(item.spans.n, item.tick)]
        spans = list(span_cells(item))
        rows += [[*before, *cells[: len(names) - len(before)]] for cells in spans or [("", "", "")]]
    return write_table(path, rows)


def span_cells(item: Item) -> Iterator[tuple[str, str, str]]:
    """Yield start, stop and class of every span, as text."""
    spans = item.spans
    for at, (start, stop) in enumerate(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)):
        label = "" if spans.classes is None else str(spans.classes[at + 1])
        yield time_text(start, item.tick), time_text(stop, item.tick), label


declare_reader(
    Reader(
        name="spans",
        summary="a row per span in CSV or TSV: start, stop (or last), item, coder, n, class",
        extensions=(".csv", ".tsv"),
        sniff=lambda _path, head: "start" in header_of(head) and any(name in header_of(head) for name in END_COLUMNS),
        read=_read,
        options=(CODER, ENDS, LENGTH, TICK),
        writer=Writer(_write, holds=HOLDS),
    )
)
