"""A table as the lines of a terminal: numbers on the right and never cut, names shortened where it is too narrow.

>>> from segmetry.outputs.tables.plain_table import PlainTable
>>> table = PlainTable("by class", ("class", "PQ"), [("road_1", "0.5"), ("all", "–")])
>>> print(*(line.text for line in terminal_lines(table, 80)), sep=chr(10))
by class
class    PQ
───────────
road_1  0.5
all       –
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from segmetry.errors import visible
from segmetry.outputs.tables.plain_table import WIDTH, PlainTable, broken_name

MANY = 5
"""The most columns with two spaces between them."""
LEAST = 3
"""The width below which no name is shortened."""


class TerminalLine(NamedTuple):
    """A line, and whether it is a heading."""

    text: str
    is_heading: bool


def terminal_lines(table: PlainTable, width: int, rule: str = "─") -> Iterator[TerminalLine]:
    """Yield the title, the headings, the rows, and an empty line before each row that begins a group."""
    gap = 2 if len(table.headings) <= MANY else 1
    shows_headings = any(table.headings) and table.has_headings
    headings = _on_one_base([[visible(line) for line in heading.split("\n")] for heading in table.headings])
    rows = [[[visible(line) for line in cell.split("\n")] for cell in row] for row in _rows(table, gap)]
    shown = [headings, *rows] if shows_headings else rows
    widths = [max([_width(line) for row in shown for line in row[at]], default=0) for at in range(len(headings))]
    names = sorted({0, *table.texts})
    _shorten(widths, names, sum(widths) + gap * (len(widths) - 1) - width)
    lefts = [at in names for at in range(len(widths))]
    if table.title:
        yield TerminalLine(visible(table.title), is_heading=True)
    if shows_headings:
        for line in _lines(headings, widths, lefts, gap):
            yield TerminalLine(line, is_heading=True)
        yield TerminalLine(rule * (sum(widths) + gap * (len(widths) - 1)), is_heading=False)
    for at, row in enumerate(rows):
        if at and at in table.rules:
            yield TerminalLine("", is_heading=False)
        for line in _lines(row, widths, lefts, gap):
            yield TerminalLine(line, is_heading=False)


def _on_one_base(headings: list[list[str]]) -> list[list[str]]:
    """Return headings that end on one line."""
    tallest = max(map(len, headings))
    return [[""] * (tallest - len(lines)) + lines for lines in headings]


def _rows(table: PlainTable, gap: int) -> Iterator[Sequence[str]]:
    """Yield the rows; names that leave no room for the numbers in 80 columns are broken, if the table says so."""
    if not table.breaks:
        yield from table.rows
        return
    columns = list(zip(table.headings, *table.rows, strict=True))[1:]
    taken = [max(len(line) for cell in column for line in cell.split("\n")) for column in columns]
    room = WIDTH - sum(taken) - gap * len(taken)
    for first, *others in table.rows:
        yield broken_name(first, room), *others


def _shorten(widths: list[int], names: Sequence[int], excess: int) -> None:
    """Make columns of names narrower, the widest first, until the table fits or none is left to be shortened."""
    for _ in range(excess):
        widest = max(names, key=lambda at: widths[at])
        if widths[widest] <= LEAST:
            return
        widths[widest] -= 1


def _lines(cells: Sequence[list[str]], widths: Sequence[int], lefts: Sequence[bool], gap: int) -> Iterator[str]:
    """Yield the lines of one row."""
    for texts in zip_longest(*cells, fillvalue=""):
        parts = (_padded(text, width, left) for text, width, left in zip(texts, widths, lefts, strict=True))
        yield (" " * gap).join(parts).rstrip()


def _padded(text: str, width: int, left: bool) -> str:  # noqa: FBT001 - one of three facts about a cell
    shown = _cut(text, width)
    spaces = " " * (width - _width(shown))
    return shown + spaces if left else spaces + shown


def _cut(text: str, width: int) -> str:
    """Return a text that fits, with an ellipsis in place of its end where it does not.

    >>> _cut("pedestrian", 6), _cut("行人行人", 6), _cut("road", 4)
    ('pedes…', '行人…', 'road')
    """
    if _width(text) <= width:
        return text
    while _width(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> _width("road"), _width("行人"), _width("e\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(character) else 1 + (east_asian_width(character) in "WF") for character in text)
