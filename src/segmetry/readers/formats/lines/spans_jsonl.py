"""Spans in JSON lines: an object per span, ``{"item": "a", "n": 13, "start": 0, "stop": 5, "class": "x"}``.

The keys are the columns of the spans table (see ``spans_table``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError, SegmetryError
from segmetry.readers.formats.lines.spans_table import END_COLUMNS, ENDS, HOLDS, KNOWN, end_column, span_cells, span_of
from segmetry.readers.items import Item
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.line_options import CODER, LENGTH, TICK
from segmetry.readers.parts.span_rows import SpanRow, gather
from segmetry.readers.parts.strict_json import NumberText, parse_json
from segmetry.readers.parts.text_file import read_lines, whole_lines
from segmetry.readers.parts.ticks import parse_time, time_text
from segmetry.readers.reader import Reader, Writer, declare_reader


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    rows = []
    for at, line in enumerate(read_lines(path)):
        if line.strip():
            where = f"{path}, line {at + 1}"
            rows.append(_row(parse_json(line, str(path), keep_decimals=True, line=at + 1), where, path, options))
    return gather(rows, path, options)


def _row(cells: Any, where: str, path: Path, options: ReadOptions) -> SpanRow:
    if not isinstance(cells, dict):
        raise FormatError(f"{where}: expected an object such as {{'start': 0, 'stop': 5}}")
    for key in cells:
        if key not in KNOWN:
            raise FormatError(f"{where}: unknown key {key[:40]!a}; known: {', '.join(KNOWN)}")
    end = end_column(cells, where) if "start" in cells or any(name in cells for name in END_COLUMNS) else "stop"
    return SpanRow(
        where,
        path.stem if "item" not in cells else _text(cells, "item", where) or "",
        _text(cells, "coder", where),
        _number(cells, "n", where),
        span_of(_number(cells, "start", where), _number(cells, end, where), end, where, options),
        _text(cells, "class", where),
    )


def _text(cells: Mapping[str, Any], key: str, where: str) -> str | None:
    value = cells.get(key)
    if value is None or (isinstance(value, str) and not isinstance(value, NumberText)):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise FormatError(f"{where}: {key!r} is {str(value)[:40]!a}; expected text")


def _number(cells: Mapping[str, Any], key: str, where: str) -> Fraction | None:
    value = cells.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | NumberText):
        raise FormatError(f"{where}: {key!r} is {str(value)[:40]!a}; expected a number")
    return parse_time(str(value), f"{where}, {key!r}")


def _sniff(_path: Path, head: bytes) -> bool:
    lines = whole_lines(head)
    if not lines or not lines[0].lstrip().startswith("{"):
        return False
    try:
        first = parse_json(lines[0], "the first line")
    except SegmetryError:
        return False
    return isinstance(first, dict) and any(isinstance(first.get(key), int | float) for key in ("start", "n"))


def _write(items: Sequence[Item], _path: Path) -> str:
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


declare_reader(
    Reader(
        name="spans-jsonl",
        summary="an object per span in JSON lines, with the keys of the spans table",
        extensions=(".jsonl",),
        sniff=_sniff,
        read=_read,
        options=(CODER, ENDS, LENGTH, TICK),
        writer=Writer(_write, holds=HOLDS),
    )
)
