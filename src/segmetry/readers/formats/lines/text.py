r"""Plain text whose segments are separated by matches of ``--separator``, a regular expression.

With ``--unit line`` (the default) a line that the expression matches completely is a separator and every other line is
a unit. With ``--unit word`` and ``--unit character`` the expression is searched in the entire text, and the text
between two matches is a segment of words or characters. Adjacent separators count once. ``--blank`` says how to treat
blank lines that the expression does not match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from segmetry.errors import FormatError, OptionError
from segmetry.readers.formats.lines.choi import BLANK, keep_line
from segmetry.readers.items import Item
from segmetry.readers.option import Choice, Option, Text
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.text_file import read_text
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.spans import Spans

SEPARATOR: Option[str | None] = Option("separator", "Text: what divides segments.", Text(), None, metavar="REGEX")
UNIT: Option[str] = Option(
    "unit", "Text: what the elements are. [default: line]", Choice(("line", "word", "character")), "line"
)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
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


declare_reader(
    Reader(
        name="text",
        summary="plain text divided by --separator; never guessed, ask for it with --format text",
        extensions=(".txt",),
        sniff=lambda _path, _head: False,
        read=_read,
        options=(SEPARATOR, UNIT, BLANK),
    )
)
