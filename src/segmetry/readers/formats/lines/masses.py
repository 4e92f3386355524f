"""Segment lengths in JSON, as stored by segeval.

That is ``{"items": {item: {coder: [5, 3, 5]}}, "segmentation_type": "linear"}``.
The plain ``[5, 3, 5]`` and ``{item: [5, 3, 5]}`` and nested objects are read, too; see ``integer_lists``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.integer_lists import TYPE_KEY, BadNumber, could_be, nested, read_rows
from segmetry.readers.parts.line_options import CODER
from segmetry.readers.reader import Reader, Writer, declare_reader
from segmetry.segmentation.spans import Spans


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    def make(numbers: list[int], where: str) -> Spans:
        if min(numbers, default=1) < 1:
            at = next(at for at, length in enumerate(numbers) if length < 1)
            raise BadNumber(at, f"is {numbers[at]}; expected a segment length of at least 1")
        options.check_size((sum(numbers),), where)
        return Spans.from_masses(numbers)

    return read_rows(path, options, make)


def _write(items: Sequence[Item], _path: Path) -> str:
    lists = nested(items, lambda spans: spans.masses.tolist())
    if any(item.coder is not None for item in items):
        lists = {"items": lists, TYPE_KEY: "linear"}
    elif TYPE_KEY in lists:
        raise FormatError(f"an item is named {TYPE_KEY!r}, which has another meaning in this format; rename it")
    return json.dumps(lists, ensure_ascii=False) + "\n"


declare_reader(
    Reader(
        name="masses",
        summary="segment lengths in JSON: [5, 3, 5], by item, or by item and annotator as stored by segeval",
        extensions=(".json",),
        sniff=lambda path, head: "masses" in could_be(path, head),
        read=_read,
        options=(CODER,),
        writer=Writer(_write, holds=frozenset({"several items", "coders", "no elements"})),
    )
)
