"""Choi's text files: a unit per line, and a line ``==========`` around every segment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.option import Choice, Option
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.text_file import read_lines, whole_lines
from segmetry.readers.reader import Reader, Writer, declare_reader
from segmetry.segmentation.spans import Spans

BLANK: Option[str] = Option(
    "blank", "Choi, text: treatment of blank lines. [default: refuse]", Choice(("refuse", "skip", "unit")), "refuse"
)

SEPARATOR = "=" * 10
_OTHER_SEPARATOR = re.compile(r"={3,}.*")


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    units: list[str] = []
    cuts: list[int] = []
    for number, line in enumerate(read_lines(path), start=1):
        where = f"{path}, line {number}, column 1"
        if line.rstrip() == SEPARATOR:
            if units and cuts and cuts[-1] == len(units):
                raise FormatError(f"{where}: two separators without a line of text between them")
            cuts.append(len(units))
        elif _OTHER_SEPARATOR.fullmatch(line):
            raise FormatError(
                f"{where}: {line[:20]!a} is neither text nor the separator {SEPARATOR}; "
                "for other separators use --format text --separator REGEX"
            )
        elif keep_line(line, where, options):
            units.append(line)
    if not cuts:
        raise FormatError(f"{path}: contains no line {SEPARATOR}; expected one before, between and after the segments")
    if not units:
        raise FormatError(f"{path}: contains no line of text")
    options.check_size((len(units),), str(path))
    inner = [cut for cut in cuts if 0 < cut < len(units)]
    yield Item(path.stem, Spans.from_boundaries(inner, len(units)), units=tuple(units))


def keep_line(line: str, where: str, options: ReadOptions) -> bool:
    """Return whether a line is a unit; blank lines are treated as --blank says."""
    if line.strip() or options[BLANK] == "unit":
        return True
    if options[BLANK] == "refuse":
        raise FormatError(f"{where}: a blank line; pass --blank skip or --blank unit")
    return False


def _write(items: Sequence[Item], path: Path) -> str:
    (item,) = items
    lines = [SEPARATOR]
    starts = set(item.spans.boundaries.tolist())
    for at, unit in enumerate(item.units or ()):
        if not unit.strip() or _OTHER_SEPARATOR.fullmatch(unit) or "\n" in unit:
            raise FormatError(f"{path}: the unit {unit[:40]!a} cannot be written in this format")
        lines += [SEPARATOR, unit] if at in starts else [unit]
    return "\n".join([*lines, SEPARATOR]) + "\n"


declare_reader(
    Reader(
        name="choi",
        summary="text with a unit per line and ========== between segments",
        extensions=(".ref", ".txt"),
        sniff=lambda _path, head: next((line for line in whole_lines(head) if line.strip()), "").rstrip() == SEPARATOR,
        read=_read,
        options=(BLANK,),
        writer=Writer(_write, holds=frozenset({"text"}), needs=frozenset({"text"})),
    )
)
