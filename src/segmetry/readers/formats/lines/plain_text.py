"""Text: Choi's files, a unit per line and a line of equals signs around every segment, and any other separator.

``--separator`` is a regular expression. With ``--unit line`` (the default) a line that it matches completely is a
separator and every other line is a unit. With ``--unit word`` and ``--unit character`` it is searched in the entire
text, and the text between two matches is a segment of words or characters. Adjacent separators count once. ``--blank``
says how to treat blank lines that the expression does not match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from segmetry.errors import FormatError, OptionError
from segmetry.readers.items import Item
from segmetry.readers.parts.text_file import read_lines, read_text, whole_lines
from segmetry.readers.reader import Choice, Option, ReadOptions, Text, Writer, reads
from segmetry.segmentation import Spans

BLANK: Option[str] = Option(
    "blank", "Choi, text: treatment of blank lines. [default: refuse]", Choice(("refuse", "skip", "unit")), "refuse"
)

CHOI_LINE = "=" * 10
_SEPARATOR_LINE, _OTHER_SEPARATOR = re.compile(r"={3,}\s*"), re.compile(r"={3,}.*")


def keep_line(line: str, where: str, options: ReadOptions) -> bool:
    """Return whether a line is a unit; blank lines are treated as --blank says."""
    if line.strip() or options[BLANK] == "unit":
        return True
    if options[BLANK] == "refuse":
        raise FormatError(f"{where}: a blank line; pass --blank skip or --blank unit")
    return False


def _write_choi(items: Sequence[Item], path: Path) -> str:
    (item,) = items
    lines = [CHOI_LINE]
    starts = set(item.spans.boundaries.tolist())
    for at, unit in enumerate(item.units or ()):
        if not unit.strip() or _OTHER_SEPARATOR.fullmatch(unit) or "\n" in unit:
            raise FormatError(f"{path}: the unit {unit[:40]!a} cannot be written in this format")
        lines += [CHOI_LINE, unit] if at in starts else [unit]
    return "\n".join([*lines, CHOI_LINE]) + "\n"


def _is_separator(line: str) -> bool:
    return _SEPARATOR_LINE.fullmatch(line) is not None


@reads(
    "choi",
    "text with a unit per line and ========== between segments",
    (".ref", ".txt"),
    sniff=lambda _path, head: _is_separator(next((line for line in whole_lines(head) if line.strip()), "")),
    options=(BLANK,),
    writer=Writer(_write_choi, holds=frozenset({"text"}), needs=frozenset({"text"})),
    one_item=True,
)
def _read_choi(path: Path, options: ReadOptions) -> Iterator[Item]:
    units: list[str] = []
    cuts: list[int] = []
    for number, line in enumerate(read_lines(path), start=1):
        where = f"{path}, line {number}, column 1"
        if _is_separator(line):
            if units and cuts and cuts[-1] == len(units):
                raise FormatError(f"{where}: two separators without a line of text between them")
            cuts.append(len(units))
        elif _OTHER_SEPARATOR.fullmatch(line):
            raise FormatError(
                f"{where}: {line[:20]!a} is neither text nor the separator {CHOI_LINE}; "
                "for other separators use --format text --separator REGEX"
            )
        elif keep_line(line, where, options):
            units.append(line)
    if not cuts:
        raise FormatError(f"{path}: contains no line {CHOI_LINE}; expected one before, between and after the segments")
    if not units:
        raise FormatError(f"{path}: contains no line of text")
    options.check_size((len(units),), str(path))
    inner = [cut for cut in cuts if 0 < cut < len(units)]
    yield Item(path.stem, Spans.from_boundaries(inner, len(units)), units=tuple(units))


SEPARATOR: Option[str | None] = Option("separator", "Text: what divides segments.", Text(), metavar="REGEX")
UNIT: Option[str] = Option(
    "unit", "Text: what the elements are. [default: line]", Choice(("line", "word", "character")), "line"
)


def _of_lines(text: str, separator: re.Pattern[str], path: Path, options: ReadOptions) -> list[list[str]]:
    segments: list[list[str]] = [[]]
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        if separator.fullmatch(line):
            segments.append([])
        elif keep_line(line, f"{path}, line {number}, column 1", options):
            segments[-1].append(line)
    return segments


def _of_text(text: str, separator: re.Pattern[str], options: ReadOptions) -> list[list[str]]:
    segments, start = [], 0
    for match in separator.finditer(text):
        if match.end() == match.start():
            raise OptionError(f"--separator {options[SEPARATOR]!r} matches empty text; expected a visible separator")
        segments.append(text[start : match.start()])
        start = match.end()
    segments.append(text[start:])
    return [part.split() if options[UNIT] == "word" else list(part) for part in segments]


@reads(
    "text",
    "plain text divided by --separator; never guessed, ask for it with --format text",
    (".txt",),
    options=(SEPARATOR, UNIT, BLANK),
    one_item=True,
)
def _read_plain_text(path: Path, options: ReadOptions) -> Iterator[Item]:
    pattern = options[SEPARATOR]
    if pattern is None:
        raise OptionError(f"{path}: plain text needs --separator, a regular expression")
    try:
        separator = re.compile(pattern)
    except re.error as problem:
        raise OptionError(f"--separator {pattern!r} is not a regular expression: {problem}") from None
    if options[UNIT] != "line" and BLANK.name in options.stated:
        raise OptionError("--blank applies to lines; omit it with --unit word or character")
    text = read_text(path)
    segments = (
        _of_lines(text, separator, path, options) if options[UNIT] == "line" else _of_text(text, separator, options)
    )
    units = [unit for segment in segments for unit in segment]
    if not units:
        raise FormatError(f"{path}: contains nothing but separators")
    options.check_size((len(units),), str(path))
    yield Item(path.stem, Spans.from_masses([len(segment) for segment in segments if segment]), units=tuple(units))
