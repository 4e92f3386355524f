"""RTTM: who spoke when. Each line: type, file, channel, start, duration, two fields unused here, speaker, …

A file (and channel, where it has several) is an item, a turn a segment and its speaker the class. Where turns overlap,
the items of the file are intervals, else spans. Of several types of lines ``--tier`` chooses one, such as SPEAKER. The
line ends with the last turn unless ``--length`` says otherwise. ``--uem`` names a file of the parts that are evaluated:
each line has a file, a channel, a start and an end; a recording that it does not name is not evaluated at all, and one
without turns is evaluated, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from segmetry.errors import FormatError, OptionError
from segmetry.kernels import scan_turns
from segmetry.readers.items import Item, check_label, check_name
from segmetry.readers.parts.span_rows import LENGTH, TICK, TIER, SpanRow, gather, parse_time, time_text
from segmetry.readers.parts.text_file import bytes_of_cells, column_of, read_lines, read_text, whole_lines
from segmetry.readers.reader import Option, ReadOptions, Text, Writer, reads
from segmetry.segmentation import Spans, TimeIntervals

TYPES = frozenset(
    {"SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT", "IP", "SU", "CB"}
    | {"A/P", "SPEAKER", "SPKR-INFO"}
)
WITHOUT_TIME = "SPKR-INFO"
UNKNOWN = "<NA>"
UEM: Option[str | None] = Option("uem", "RTTM: a UEM file of the parts to evaluate.", Text(), metavar="FILE")


def _parse_turn(path: Path, number: int, line: str) -> tuple[str, str, str, SpanRow | None]:
    where = f"{path}, line {number}"
    cells = line.split()
    if cells[0] not in TYPES:
        raise FormatError(f"{where}, column 1: {cells[0][:40]!a} is not an RTTM type; expected one such as SPEAKER")
    if not 8 <= len(cells) <= 10:
        raise FormatError(f"{where}: {len(cells)} fields; expected 8 to 10")
    if cells[0] == WITHOUT_TIME:
        return cells[0], cells[1], cells[2], None
    start, duration = (parse_time(cells[at], f"{where}, column {column_of(line, at)}") for at in (3, 4))
    label = None if cells[7] == UNKNOWN else cells[7]
    return cells[0], cells[1], cells[2], SpanRow(where, cells[1], span=(start, start + duration), label=label)


def _named_rows(turns: Sequence[tuple[str, str, SpanRow]]) -> list[SpanRow]:
    """Return the rows named by their file, or by file and channel if a file has several channels."""
    channels: dict[str, set[str]] = defaultdict(set)
    for file, channel, _ in turns:
        channels[file].add(channel)
    return [
        row if len(channels[file]) == 1 else SpanRow(row.where, f"{file}/{channel}", span=row.span, label=row.label)
        for file, channel, row in turns
    ]


def _uem_path(path: Path, options: ReadOptions) -> Path | None:
    """Return the file of the evaluated parts; a relative name is looked for beside the RTTM file as well."""
    stated = options[UEM]
    if stated is None:
        return None
    beside = path.parent / stated
    return beside if not Path(stated).exists() and beside.exists() else Path(stated)


def _read_regions(path: Path, items: set[str]) -> dict[str, list[tuple[Fraction, Fraction]]]:
    regions: dict[str, list[tuple[Fraction, Fraction]]] = defaultdict(list)
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split()
        if not cells or line.startswith(";"):
            continue
        where = f"{path}, line {number}"
        if len(cells) != 4:
            raise FormatError(f"{where}: {len(cells)} fields; expected 4: file, channel, start, end")
        start, end = (parse_time(cells[at], f"{where}, column {column_of(line, at)}") for at in (2, 3))
        if not 0 <= start < end:
            raise FormatError(f"{where}: the part from {cells[2]} to {cells[3]} is empty; expected 0 <= start < end")
        by_channel = f"{cells[0]}/{cells[1]}"
        regions[by_channel if by_channel in items else cells[0]].append((start, end))
    if not regions:
        raise FormatError(f"{path}: contains no parts to evaluate")
    return dict(regions)


def _is_rttm(_path: Path, head: bytes) -> bool:
    lines = [line.split() for line in whole_lines(head) if line.strip() and not line.startswith(";")]
    return bool(lines) and all(cells[0] in TYPES and 8 <= len(cells) <= 10 for cells in lines)


def _write_rttm(items: Sequence[Item], path: Path) -> str:
    lines = []
    for item in items:
        spans = item.spans
        for at, (start, stop) in enumerate(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)):
            label = UNKNOWN if spans.classes is None else str(spans.classes[at + 1])
            for field in (item.name, label):
                if field.split() != [field] or (field == UNKNOWN and spans.classes is not None):
                    raise FormatError(
                        f"{path}: the name {field!r} cannot be written in this format, whose fields contain no spaces"
                    )
            times = f"{time_text(start, item.tick)} {time_text(stop - start, item.tick)}"
            lines.append(f"SPEAKER {item.name} 1 {times} {UNKNOWN} {UNKNOWN} {label} {UNKNOWN} {UNKNOWN}")
    return "\n".join(lines) + "\n"


def _items_at_once(path: Path, options: ReadOptions) -> list[Item] | None:
    """Return the items of a file in which all is plain: turns of named speakers, one channel, no UEM, no tick."""
    content = bytes_of_cells(read_text(path, blank=True))
    turns = None if content is None else scan_turns(content)
    if turns is None or not turns.start.size or UNKNOWN in turns.speakers or not turns.duration.all():
        return None
    if (
        options[TIER] not in (None, "SPEAKER")
        or options[UEM]
        or options[TICK]
        or options[LENGTH] not in (None, "longer")
    ):
        return None
    if (turns.channel != turns.channel[0]).any():
        return None
    nanos = turns.start, turns.start + turns.duration
    common = int(np.gcd.reduce(np.concatenate(nanos)))
    unit = max(10**at for at in range(10) if common % 10**at == 0)
    tick = Fraction(unit, 10**9)
    order = np.lexsort((nanos[1], nanos[0], turns.recording))
    item, starts, stops = turns.recording[order], *((ends // unit)[order] for ends in nanos)
    overlap = bool(((starts[1:] < stops[:-1]) & (item[1:] == item[:-1])).any())
    speakers = [turns.speakers[code] for code in turns.speaker[order].tolist()]
    cuts = np.searchsorted(item, np.arange(len(turns.recordings) + 1)).tolist()
    try:
        for name in turns.speakers:
            check_label(name, "the class")
        items = []
        for name, (first, last) in zip(turns.recordings, pairwise(cuts), strict=True):
            check_name(name, "the item")
            n = int(stops[first:last].max())
            options.check_line(n, tick, name)
            kind = TimeIntervals if overlap else Spans
            line = kind(starts[first:last], stops[first:last], n, classes=speakers[first:last], tick=tick)
            items.append(Item(name, line, None, tick, open_end=True))
    except FormatError:
        return None
    return items


@reads(
    "rttm",
    "turns of speakers, an item per recording",
    (".rttm",),
    sniff=_is_rttm,
    options=(LENGTH, TICK, TIER, UEM),
    lists_all=False,
    blank=True,
    beside=lambda path, options: [uem] if (uem := _uem_path(path, options)) else [],
    writer=Writer(_write_rttm, holds=frozenset({"several items", "classes", "first gap", "inner gaps", "tick"})),
)
def _read_rttm(path: Path, options: ReadOptions) -> Iterator[Item]:
    items = _items_at_once(path, options)
    return iter(items) if items is not None else _read_line_by_line(path, options)


def _read_line_by_line(path: Path, options: ReadOptions) -> Iterator[Item]:
    turns: dict[str, list[tuple[str, str, SpanRow]]] = defaultdict(list)
    for number, line in enumerate(read_lines(path, blank=True), start=1):
        if line.strip() and not line.startswith(";"):
            kind, file, channel, row = _parse_turn(path, number, line)
            if row is not None:
                turns[kind].append((file, channel, row))
    if not turns and options[TIER] is None:
        turns["SPEAKER"] = []  # a system that found no speech
    found = ", ".join(f"{kind[:40]!a}" for kind in sorted(turns)[:10])
    if options[TIER] is None and len(turns) > 1:
        raise OptionError(f"{path}: contains lines of the types {found}; choose one with --tier")
    kind = options[TIER] or next(iter(turns))
    if kind not in turns:
        raise OptionError(f"{path}: no lines of the type {kind!a}; found {found}")
    rows = _named_rows(turns[kind])
    uem = _uem_path(path, options)
    names = {row.name for row in rows}
    scored = None if uem is None else _read_regions(uem, names)
    rows += [SpanRow(str(uem), name) for name in scored or () if name not in names]  # nobody speaks in them
    facts: Any = {"overlaps": True, "open_lines": True, "without_length": "drop"}
    return gather(rows, path, options, scored=scored, **facts) if rows else iter(())
