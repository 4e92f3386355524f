"""First-element bits in JSON: ``[1, 0, 0, 1]`` or ``{item: [1, 0, 0, 1]}``, a 1 where a segment starts.

Elements before the first 1 are in no segment unless ``--first force`` starts one at the first element.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from segmetry.readers.items import Item
from segmetry.readers.option import Choice, Option
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.integer_lists import BadNumber, could_be, nested, read_rows
from segmetry.readers.parts.line_options import CODER
from segmetry.readers.reader import Reader, Writer, declare_reader
from segmetry.segmentation.spans import Spans

FIRST: Option[Literal["gap", "force"]] = Option(
    "first",
    "Bits: elements before the first 1 are outside (gap, the default) or a segment (force).",
    Choice(("gap", "force")),
    "gap",
)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    def make(numbers: list[int], where: str) -> Spans:
        if not set(numbers) <= {0, 1}:
            at = next(at for at, bit in enumerate(numbers) if bit not in (0, 1))
            raise BadNumber(at, f"is {numbers[at]}; expected 0 or 1")
        options.check_size((len(numbers),), where)
        return Spans.from_bits(np.array(numbers, dtype=np.uint8), first=options[FIRST])

    return read_rows(path, options, make)


def _bits(spans: Spans) -> list[int]:
    bits = np.zeros(spans.n, dtype=np.uint8)
    bits[spans.starts] = 1
    return bits.tolist()


def _write(items: Sequence[Item], _path: Path) -> str:
    return json.dumps(nested(items, _bits), ensure_ascii=False) + "\n"


declare_reader(
    Reader(
        name="bits",
        summary="first-element bits in JSON: [1, 0, 0, 1], or by item; --first says what a leading 0 is",
        extensions=(".json",),
        sniff=lambda path, head: "bits" in could_be(path, head),
        read=_read,
        options=(CODER, FIRST),
        writer=Writer(_write, holds=frozenset({"several items", "coders", "first gap", "no spans", "no elements"})),
    )
)
