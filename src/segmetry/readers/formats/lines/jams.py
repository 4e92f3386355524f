"""JAMS: annotations of a recording in JSON; sections of music in the namespaces ``segment_open``, ``segment_salami_…``.

Each annotation of the chosen namespace (``--tier``; by default the only one of segments) is one annotator's
segmentation (``--coder``). One of the namespace ``multi_segment`` is a hierarchy, whose levels are tracks; it is read
where there is no other, or if it is chosen. An observation has a time, a duration and a value. Durations are
differences of floats, so ends are rounded to a nanosecond. The line ends with the last section unless ``--length`` says
otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError, OptionError
from segmetry.readers.items import Item
from segmetry.readers.parts.span_rows import CODER, LENGTH, NANOSECOND, TICK, TIER, SpanRow, gather, parse_time
from segmetry.readers.parts.text_file import parse_json, read_text
from segmetry.readers.reader import ReadOptions, reads

SECTIONS, HIERARCHY = "segment_", "multi_segment"
_NAMESPACE = re.compile(rb'"namespace"\s*:\s*"')


def _of_namespace(path: Path, listed: list[Mapping[str, Any]], options: ReadOptions) -> list[Mapping[str, Any]]:
    spaces = [str(entry.get("namespace")) for entry in listed]
    stated = options[TIER]
    sections = sorted({space for space in spaces if space.startswith(SECTIONS)} or {HIERARCHY} & {*spaces})
    if stated is None and len(sections) > 1:
        raise OptionError(f"{path}: contains the namespaces {_list_names(sections)}; choose one with --tier")
    chosen_space = stated or (sections[0] if sections else None)
    chosen = [entry for entry, space in zip(listed, spaces, strict=True) if space == chosen_space]
    if not chosen:
        expected = f"of the namespace {chosen_space!a}" if chosen_space else "of segments"
        raise OptionError(f"{path}: no annotation {expected}; found {_list_names(sorted(set(spaces)))}")
    return chosen


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(f"{name[:40]!a}" for name in names[:10]) or "none"


def _annotator_name(entry: Mapping[str, Any], number: int) -> str:
    about = entry.get("annotation_metadata")
    person = about.get("annotator") if isinstance(about, Mapping) else None
    name = person.get("name") if isinstance(person, Mapping) else None
    return name if isinstance(name, str) and name else f"annotator {number}"


def _section_rows(path: Path, entry: Mapping[str, Any], annotator: str, several: bool) -> Iterator[SpanRow]:  # noqa: FBT001
    data = entry.get("data")
    if isinstance(data, Mapping):  # columns, as older files have them
        columns = [data.get(name) for name in ("time", "duration", "value")]
        if not all(isinstance(column, list) and len(column) == len(columns[0] or ()) for column in columns):
            raise FormatError(f"{path}, {annotator}: expected lists of times, durations and values of one length")
        data = [dict(zip(("time", "duration", "value"), row, strict=True)) for row in zip(*columns, strict=True)]
    if not isinstance(data, list) or not all(isinstance(row, Mapping) for row in data):
        raise FormatError(f"{path}, {annotator}: expected a list of observations")
    for number, row in enumerate(data, start=1):
        where = f"{path}, {annotator}, observation {number}"
        start, duration = (parse_time(_number_text(row.get(name), name, where), where) for name in ("time", "duration"))
        value, level = row.get("value"), None
        if entry.get("namespace") == HIERARCHY:
            level = value.get("level") if isinstance(value, Mapping) else None
            if not isinstance(value, Mapping) or type(level) is not int or level < 0:
                raise FormatError(f"{where}: the value is {str(value)[:40]!a}; expected a label and a level from 0 on")
            value = value.get("label")
        if not isinstance(value, str) or not value:
            raise FormatError(f"{where}: the value is {str(value)[:40]!a}; expected a label")
        ends = [round(time / NANOSECOND) * NANOSECOND for time in (start, start + duration)]
        coder = annotator if several else None
        yield SpanRow(where, path.stem, coder, span=(ends[0], ends[1]), label=value, track=level)


def _number_text(value: Any, name: str, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise FormatError(f"{where}: the {name} is {str(value)[:40]!a}; expected a number of seconds")
    return str(value)


@reads(
    "jams",
    "sections of a recording by several annotators (JSON)",
    (".jams",),
    sniff=lambda _path, head: head.lstrip().startswith(b"{") and _NAMESPACE.search(head) is not None,
    options=(CODER, LENGTH, TICK, TIER),
)
def _read_jams(path: Path, options: ReadOptions) -> Iterator[Item]:
    content = parse_json(read_text(path), str(path), keep_decimals=True)
    listed = content.get("annotations") if isinstance(content, Mapping) else None
    if not isinstance(listed, list) or not all(isinstance(entry, Mapping) for entry in listed):
        raise FormatError(f"{path}: expected an object with a list of annotations")
    chosen = _of_namespace(path, listed, options)
    names = [_annotator_name(entry, at) for at, entry in enumerate(chosen, start=1)]
    several = len(chosen) > 1
    rows = [
        row
        for at, entry in enumerate(chosen)
        for row in _section_rows(
            path, entry, f"{names[at]} {at + 1}" if names.count(names[at]) > 1 else names[at], several
        )
    ]
    return gather(rows, path, options)
