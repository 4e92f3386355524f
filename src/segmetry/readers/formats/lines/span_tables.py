"""A row per span: spans in CSV, TSV or JSON lines, label files of recordings, and sound events as DCASE lists them.

Spans: the columns or keys are ``start`` and ``stop``, perhaps ``item``, ``coder``, … ``stop`` is the first element
after the span, ``last`` its last element; a column ``end`` can be either, so ``--ends`` must say which. ``n`` is the
length of the line, ``class`` the class of the span; a row with an item and ``n`` but no span declares that the item
exists. Numbers may have decimals, except with ``last``.

Label files: ``start end label``, separated by white space; labels may be left out, and lines that begin with ``#`` are
comments. Sound events: the columns ``filename``, ``onset``, ``offset`` and ``event_label``, or without a header, as
sed_eval reads them, ``[filename [scene]] onset offset [label]``, between tabs, commas or semicolons; where events
overlap or have no length, the items of the file are intervals, else spans; a row with a file name alone declares a
recording without events. In both the line ends with the last interval unless ``--length`` says otherwise, and time
between intervals is in no segment.

Boundaries in CSV or TSV: the first elements of all segments but the first, which together cover the line.

Either a row per item, ``item,n,boundaries`` with the boundaries separated by spaces, or a row per boundary,
``item,n,boundary``; an empty cell says that there is none. ``item`` and ``coder`` may be left out; the length ``n`` of
the line too, if ``--length`` states it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from segmetry.errors import FormatError, OptionError, SegmetryError
from segmetry.readers.items import Item
from segmetry.readers.parts.file_head import read_head
from segmetry.readers.parts.span_rows import (
    CODER,
    LENGTH,
    TICK,
    SpanRow,
    gather,
    is_number,
    line_length,
    parse_time,
    time_text,
)
from segmetry.readers.parts.text_file import (
    NumberText,
    column_of,
    header_of,
    parse_json,
    read_lines,
    read_table,
    whole_lines,
    write_table,
)
from segmetry.readers.reader import Choice, Option, ReadOptions, Writer, reads

ENDS: Option[str | None] = Option(
    "ends", "Spans: whether a column 'end' is the last element or the one after it.", Choice(("half-open", "closed"))
)

KNOWN = ("item", "coder", "n", "start", "stop", "last", "end", "class")
END_COLUMNS = ("stop", "last", "end")
HOLDS = frozenset(
    {"several items", "coders", "classes", "first gap", "inner gaps", "last gap", "no spans", "no elements", "tick"}
)


def _table_row(path: Path, line: int, cells: Mapping[str, str], options: ReadOptions) -> SpanRow:
    where = f"{path}, line {line}"
    end = end_column(cells, where)

    def number(column: str) -> Fraction | None:
        return parse_time(cells[column], f"{where}, column {column!r}") if cells.get(column) else None

    name, coder, n = cells.get("item", path.stem), cells.get("coder") or None, number("n")
    span = span_of(number("start"), number(end), end, where, options)
    return SpanRow(where, name, coder, n, span, cells.get("class") or None)


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


def _write_spans(items: Sequence[Item], path: Path) -> str:
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


@reads(
    "spans",
    "a row per span in CSV or TSV: start, stop (or last), item, coder, n, class",
    (".csv", ".tsv"),
    sniff=lambda _path, head: "start" in header_of(head) and any(name in header_of(head) for name in END_COLUMNS),
    options=(CODER, ENDS, LENGTH, TICK),
    writer=Writer(_write_spans, holds=HOLDS),
)
def _read_spans(path: Path, options: ReadOptions) -> Iterator[Item]:
    rows = [_table_row(path, line, cells, options) for line, cells in read_table(path, KNOWN)]
    return gather(rows, path, options)


def _jsonl_row(cells: Any, where: str, path: Path, options: ReadOptions) -> SpanRow:
    if not isinstance(cells, dict):
        raise FormatError(f"{where}: expected an object such as {{'start': 0, 'stop': 5}}")
    for key in cells:
        if key not in KNOWN:
            raise FormatError(f"{where}: unknown key {key[:40]!a}; known: {', '.join(KNOWN)}")
    end = end_column(cells, where) if "start" in cells or any(name in cells for name in END_COLUMNS) else "stop"
    return SpanRow(
        where,
        path.stem if "item" not in cells else _text_of(cells, "item", where) or "",
        _text_of(cells, "coder", where),
        _number_of(cells, "n", where),
        span_of(_number_of(cells, "start", where), _number_of(cells, end, where), end, where, options),
        _text_of(cells, "class", where),
    )


def _text_of(cells: Mapping[str, Any], key: str, where: str) -> str | None:
    value = cells.get(key)
    if value is None or (isinstance(value, str) and not isinstance(value, NumberText)):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise FormatError(f"{where}: {key!r} is {str(value)[:40]!a}; expected text")


def _number_of(cells: Mapping[str, Any], key: str, where: str) -> Fraction | None:
    value = cells.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | NumberText):
        raise FormatError(f"{where}: {key!r} is {str(value)[:40]!a}; expected a number")
    return parse_time(str(value), f"{where}, {key!r}")


def _is_jsonl(_path: Path, head: bytes) -> bool:
    lines = whole_lines(head)
    if not lines or not lines[0].lstrip().startswith("{"):
        return False
    try:
        first = parse_json(lines[0], "the first line")
    except SegmetryError:
        return False
    return isinstance(first, dict) and any(isinstance(first.get(key), int | float) for key in ("start", "n"))


def _write_jsonl(items: Sequence[Item], _path: Path) -> str:
    lines = []
    for item in items:
        names = {"item": item.name} | ({} if item.coder is None else {"coder": item.coder})
        facts = json.dumps(names, ensure_ascii=False)[:-1] + f', "n": {time_text(item.spans.n, item.tick)}'
        spans = [
            f'{facts}, "start": {start}, "stop": {stop}'
            + ("" if item.spans.classes is None else f', "class": {json.dumps(label, ensure_ascii=False)}')
            for start, stop, label in span_cells(item)
        ]
        lines += [line + "}\n" for line in spans or [facts]]
    return "".join(lines)


@reads(
    "spans-jsonl",
    "an object per span in JSON lines, with the keys of the spans table",
    (".jsonl",),
    sniff=_is_jsonl,
    options=(CODER, ENDS, LENGTH, TICK),
    writer=Writer(_write_jsonl, holds=HOLDS),
)
def _read_jsonl(path: Path, options: ReadOptions) -> Iterator[Item]:
    rows = []
    for at, line in enumerate(read_lines(path)):
        if line.strip():
            where = f"{path}, line {at + 1}"
            rows.append(_jsonl_row(parse_json(line, str(path), keep_decimals=True, line=at + 1), where, path, options))
    return gather(rows, path, options)


COMMENT = "#"


def _lab_row(path: Path, number: int, line: str) -> SpanRow:
    where = f"{path}, line {number}"
    cells = line.split(maxsplit=2)
    if len(cells) < 2:
        raise FormatError(f"{where}, column {column_of(line, 0)}: expected a start, an end and perhaps a label")
    start, end = (parse_time(cells[at], f"{where}, column {column_of(line, at)}") for at in (0, 1))
    return SpanRow(where, path.stem, span=(start, end), label=cells[2].strip() if len(cells) == 3 else None)


def _is_row(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(COMMENT)


_OF_MOTS = re.compile(r"\d+ \d+ \d+ \S+")
"""The rest of a line of MOTS, after its frame and its id."""


def _is_lab(_path: Path, head: bytes) -> bool:
    lines = [line.split(maxsplit=2) for line in whole_lines(head) if _is_row(line)]
    if lines and _OF_MOTS.fullmatch(lines[0][-1]):
        return False
    return bool(lines) and all(len(cells) >= 2 and is_number(cells[0]) and is_number(cells[1]) for cells in lines)


def _write_lab(items: Sequence[Item], path: Path) -> str:
    lines = []
    for start, stop, label in span_cells(items[0]):
        if label != label.strip():
            raise FormatError(
                f"{path}: the class {label!r} starts or ends in white space, which this format cannot represent"
            )
        lines.append("\t".join((start, stop, label) if label else (start, stop)))
    return "\n".join(lines) + "\n"


@reads(
    "lab",
    "intervals of a recording: start, end, label",
    (".lab",),
    sniff=_is_lab,
    options=(LENGTH, TICK),
    writer=Writer(_write_lab, holds=frozenset({"classes", "first gap", "inner gaps", "tick"})),
    blank=True,
    one_item=True,
)
def _read_lab(path: Path, options: ReadOptions) -> Iterator[Item]:
    lines = enumerate(read_lines(path, blank=True), start=1)
    rows = [_lab_row(path, number, line) for number, line in lines if _is_row(line)]
    return gather(rows or [SpanRow(str(path), path.stem)], path, options, open_lines=not rows)


COLUMNS = ("filename", "onset", "offset", "event_label")
_HEADERLESS = {2: (0, COLUMNS[1:3]), 3: (0, COLUMNS[1:]), 4: (1, COLUMNS), 5: (2, (COLUMNS[0], "scene", *COLUMNS[1:]))}
"""By the number of columns: the column of the onset, and all columns."""


def _event_row(path: Path, line: int, cells: Mapping[str, str]) -> SpanRow:
    where = f"{path}, line {line}"
    name, *event = (cells.get(column, "") for column in COLUMNS)
    if "filename" not in cells:
        name = path.stem
    if not name.strip("/"):
        raise FormatError(f"{where}: the filename is empty")
    name = name.lstrip("/")  # an item is not read from this file
    if not any(event):
        return SpanRow(where, name)
    for column, cell in zip(COLUMNS[1:], event, strict=True):
        if not cell and column in cells:
            raise FormatError(f"{where}: {column!r} is empty; expected onset, offset and label, or none of them")
    onset, offset = (parse_time(cells[column], f"{where}, column {column!r}") for column in ("onset", "offset"))
    return SpanRow(where, name, span=(onset, offset), label=event[2] or None)


def _headerless_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield line number and cells of a list of events without a header."""
    lines = read_lines(path, blank=True)
    delimiter = _delimiter_of(next((line for line in lines if line.strip()), ""))
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip().strip('"') for cell in line.split(delimiter)]
        while len(cells) > 1 and not cells[-1]:
            cells.pop()
        if len(cells) == 1 and PurePosixPath(cells[0]).suffix and not is_number(cells[0]):
            yield number, {COLUMNS[0]: cells[0]}
        elif line.strip():
            at, names = _HEADERLESS.get(len(cells), (0, ()))
            at, names = (1, COLUMNS[:3]) if len(cells) == 3 and not is_number(cells[0]) else (at, names)
            if not names or not all(map(is_number, cells[at : at + 2])):
                raise FormatError(
                    f"{path}, line {number}: {line[:40]!a}; expected [filename [scene]] onset offset [label]"
                )
            yield number, dict(zip(names, cells, strict=True))


def _delimiter_of(line: str) -> str:
    return next((mark for mark in "\t;," if mark in line), "\t")


def _has_header(head: bytes) -> bool:
    return {"onset", "offset"} < header_of(head) <= {*COLUMNS}


def _is_event_list(_path: Path, head: bytes) -> bool:
    """Return whether a file has a header of events, or onset and offset after the name of a recording in all rows."""
    if _has_header(head):
        return True
    lines = [line for line in whole_lines(head) if line.strip()]
    rows = [line.split(_delimiter_of(lines[0])) for line in lines]
    events = [row for row in rows if len(row) > 1]
    return bool(events) and all(
        len(row) in (4, 5) and not is_number(row[0]) and all(map(is_number, row[len(row) - 3 : len(row) - 1]))
        for row in events
    )


@reads(
    "sound-events",
    "sound events of recordings: filename, onset, offset, event_label",
    (".tsv", ".csv", ".txt", ".ann"),
    sniff=_is_event_list,
    options=(LENGTH, TICK),
    lists_all=False,
    blank=True,
)
def _read_events(path: Path, options: ReadOptions) -> Iterator[Item]:
    cells = read_table(path, COLUMNS) if _has_header(read_head(path)) else _headerless_rows(path)
    rows = [_event_row(path, line, row) for line, row in cells]
    if not rows:
        return iter(())
    return gather(rows, path, options, overlaps=True, open_lines=True, without_length="keep")


_BOUNDARY_COLUMNS = ("item", "coder", "n", "boundary", "boundaries")


def _parse_row(path: Path, line: int, cells: Mapping[str, str]) -> tuple[SpanRow, list[Fraction]]:
    where = f"{path}, line {line}"
    if ("boundary" in cells) == ("boundaries" in cells):
        raise FormatError(f"{where}: expected one column, 'boundary' or 'boundaries'")
    column = "boundary" if "boundary" in cells else "boundaries"
    texts = cells[column].split() if column == "boundaries" else [cells[column]] if cells[column] else []
    length = parse_time(cells["n"], f"{where}, column 'n'") if cells.get("n") else None
    row = SpanRow(where, cells.get("item", path.stem), cells.get("coder") or None, length)
    return row, [parse_time(text, f"{where}, column {column!r}") for text in texts]


def _spans_between(
    rows: Sequence[SpanRow], cuts: list[tuple[Fraction, SpanRow]], options: ReadOptions
) -> Iterator[SpanRow]:
    length, first = line_length(rows, options), rows[0]
    if length is None:
        raise FormatError(f"{first.where}: the length of the line is missing; add a column 'n' or pass --length")
    cuts.sort(key=lambda cut: cut[0])
    for (cut, _), (following, row) in pairwise(cuts):
        if cut == following:
            raise FormatError(f"{row.where}: the boundary {float(cut):g} occurs twice")
    for cut, row in cuts:
        if not 0 < cut < length:
            raise FormatError(f"{row.where}: the boundary {float(cut):g} is not inside the line of length {length}")
    edges = [(Fraction(0), first), *cuts, (length, first)]
    stated = None if isinstance(options[LENGTH], Fraction) else length
    if length == 0:
        yield SpanRow(first.where, first.name, first.coder, stated)
        return
    for (start, row), (stop, _) in pairwise(edges):
        yield SpanRow(row.where, first.name, first.coder, stated, (start, stop))


def _write_boundaries(items: Sequence[Item], path: Path) -> str:
    coders = any(item.coder is not None for item in items)
    rows = [["item", *(["coder"] if coders else []), "n", "boundaries"]]
    for item in items:
        cuts = " ".join(time_text(cut, item.tick) for cut in item.spans.boundaries.tolist())
        rows.append([item.name, *([item.coder or ""] if coders else []), time_text(item.spans.n, item.tick), cuts])
    return write_table(path, rows)


@reads(
    "boundaries",
    "boundaries in CSV or TSV: item, n, boundaries (or a row per boundary)",
    (".csv", ".tsv"),
    sniff=lambda _path, head: not header_of(head).isdisjoint({"boundary", "boundaries"}),
    options=(CODER, LENGTH, TICK),
    writer=Writer(_write_boundaries, holds=frozenset({"several items", "coders", "tick", "no elements"})),
)
def _read_boundaries(path: Path, options: ReadOptions) -> Iterator[Item]:
    cuts: dict[tuple[str, str | None], list[tuple[Fraction, SpanRow]]] = {}
    rows: dict[tuple[str, str | None], list[SpanRow]] = {}
    for line, cells in read_table(path, _BOUNDARY_COLUMNS):
        row, row_cuts = _parse_row(path, line, cells)
        rows.setdefault((row.name, row.coder), []).append(row)
        cuts.setdefault((row.name, row.coder), []).extend((cut, row) for cut in row_cuts)
    return gather([span for key in rows for span in _spans_between(rows[key], cuts[key], options)], path, options)
