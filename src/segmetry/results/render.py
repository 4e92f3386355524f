r"""Tables as text: lines of a terminal, Markdown, LaTeX, and HTML for notebooks.

On a terminal numbers are never cut; names are shortened where it is too narrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import accumulate, zip_longest
from sys import maxsize
from textwrap import wrap
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from segmetry.errors import visible
from segmetry.results.result_table import ResultTable, Value

WIDTH = 80
"""The width of the terminal in which every table of numbers fits."""
MANY = 5
"""The most columns with two spaces between them."""
LEAST = 3
"""The width below which no name is shortened."""
_COLOURS = {"better": "\x1b[32m", "worse": "\x1b[31m", "best": "\x1b[1m"}


class TerminalLine(NamedTuple):
    """A line, and whether it is a heading."""

    text: str
    is_heading: bool


def as_terminal(table: ResultTable) -> str:
    """Return a table as text in which no name is shortened, without colours: a notebook or a file has any width."""
    lines = (line.text for line in terminal_lines(table, maxsize, colours=False))
    return "\n".join([*lines, *table.notes])


def terminal_lines(table: ResultTable, width: int, rule: str = "─", *, colours: bool = True) -> Iterator[TerminalLine]:
    """Yield the title, the headings, the rows, and an empty line before each row that begins a group."""
    gap = 2 if len(table.headings) <= MANY else 1
    shows_headings = any(table.headings) and table.has_headings
    headings = _on_one_base([[visible(line) for line in heading.split("\n")] for heading in table.headings])
    rows = [[[visible(line) for line in cell.split("\n")] for cell in row] for row in _terminal_rows(table, gap)]
    columns = len(headings)
    shown = [row for row in ([headings, *rows] if shows_headings else rows) if len(row) == columns]
    widths = [max([text_width(line) for row in shown for line in row[at]], default=0) for at in range(columns)]
    if shows_headings and sum(widths) + gap * (columns - 1) > width:
        headings = _on_one_base([[word for line in lines for word in line.split()] for lines in headings])
        shown[0] = headings
        widths = [max([text_width(line) for row in shown for line in row[at]], default=0) for at in range(columns)]
    names = sorted({0, *table.texts})
    _shorten_names(widths, names, sum(widths) + gap * (columns - 1) - width)
    lefts = [at in names for at in range(columns)]
    if table.title:
        for line in wrap(visible(table.title), max(width, LEAST), break_long_words=False, break_on_hyphens=False):
            yield TerminalLine(line, is_heading=True)
    if shows_headings:
        for line in _padded_lines(headings, widths, lefts, gap):
            yield TerminalLine(line, is_heading=True)
        yield TerminalLine(rule * (sum(widths) + gap * (columns - 1)), is_heading=False)
    for at, row in enumerate(rows):
        if at and at in table.rules:
            yield TerminalLine("", is_heading=False)
        if len(row) == 1 < columns:
            yield from (TerminalLine(line, is_heading=True) for line in row[0])
            continue
        tones = [entry.tone if isinstance(entry, Value) and colours else None for entry in table.rows[at]]
        for line in _padded_lines(row, widths, lefts, gap, tones):
            yield TerminalLine(line, is_heading=False)
    if table.n_more:
        yield TerminalLine(f"… {table.n_more} more", is_heading=False)


def _on_one_base(headings: list[list[str]]) -> list[list[str]]:
    """Return headings that end on one line."""
    tallest = max(map(len, headings))
    return [[""] * (tallest - len(lines)) + lines for lines in headings]


def _terminal_rows(table: ResultTable, gap: int) -> list[list[str]]:
    """Return the rows; names that leave no room for the numbers in 80 columns are broken, if the table says so."""
    rows = table.printed()
    if not table.breaks:
        return rows
    columns = list(zip_longest(table.headings, *rows, fillvalue=""))[1:]
    taken = [max(text_width(line) for cell in column for line in cell.split("\n")) for column in columns]
    room = WIDTH - sum(taken) - gap * len(taken)
    return [[broken_name(first, room) if others else first, *others] for first, *others in rows]


def broken_name(name: str, room: int) -> str:
    """Return a name on lines of some width, broken after underscores."""
    end = name.rfind("_", 0, room) + 1 if len(name) > room else 0
    return f"{name[:end]}\n  {broken_name(name[end:], room - 2)}" if end else name


def _shorten_names(widths: list[int], names: Sequence[int], excess: int) -> None:
    """Make columns of names narrower, the widest first, until the table fits or none is left to be shortened."""
    for _ in range(excess):
        widest = max(names, key=lambda at: widths[at])
        if widths[widest] <= LEAST:
            return
        widths[widest] -= 1


def _padded_lines(
    cells: Sequence[list[str]], widths: Sequence[int], lefts: Sequence[bool], gap: int, tones: Sequence[str | None] = ()
) -> Iterator[str]:
    """Yield the lines of one row; numbers with a tone are green or red."""
    for texts in zip_longest(*cells, fillvalue=""):
        parts = []
        for text, width, left, tone in zip_longest(texts, widths, lefts, tones):
            shown = cut_text(text or "", width)
            spaces = " " * (width - text_width(shown))
            coloured = f"{_COLOURS[tone]}{shown}\x1b[0m" if tone and shown else shown
            parts.append(coloured + spaces if left else spaces + coloured)
        yield (" " * gap).join(parts).rstrip()


def cut_text(text: str, width: int) -> str:
    """Return a text that fits, with an ellipsis in place of its end where it does not."""
    if text_width(text) <= width:
        return text
    fitting = sum(end < width for end in accumulate(map(text_width, text)))
    return f"{text[:fitting].rstrip()}…"


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(character) else 1 + (east_asian_width(character) in "WF") for character in text)


def _file_rows(table: ResultTable, escaped: Callable[[str], str], bold: str) -> list[list[str]]:
    """Return the rows as text of a language, each with as many cells as there are headings; the best are bold."""
    rows = []
    for row, entries in zip(table.printed(), table.rows, strict=True):
        best = [isinstance(entry, Value) and entry.tone == "best" for entry in entries]
        texts = [bold % escaped(cell) if is_best else escaped(cell) for cell, is_best in zip(row, best, strict=True)]
        rows.append([*texts, *[""] * (len(table.headings) - len(row))])
    return rows


def as_markdown(table: ResultTable) -> str:
    """Return the table in Markdown; names are escaped."""
    rows = [list(map(_in_markdown, table.headings)), *_file_rows(table, _in_markdown, "**%s**")]
    cells = [" | ".join(line) for line in rows]
    alignment = "|".join(":--" if at in table.texts else "--:" for at in range(len(table.headings)))
    body = "\n".join(f"| {line} |" for line in cells[1:])
    notes = "".join(f"\n{_in_markdown(note)}\n" for note in (*table.notes, *([table.source] if table.source else [])))
    return f"| {cells[0]} |\n|{alignment}|\n{body}\n{notes}"


def as_latex(table: ResultTable) -> str:
    """Return the table in LaTeX with the rules of the package booktabs; names are escaped."""
    alignment = "".join("l" if at in table.texts else "r" for at in range(len(table.headings)))
    rows = []
    for at, row in enumerate(_file_rows(table, _in_latex, r"\textbf{%s}")):
        if at in table.rules and at:
            rows.append(r"\midrule")
        rows.append(" & ".join(row) + r" \\")
    # Where the best are bold, notes are the legend, which the paper prints.
    has_legend = any(isinstance(entry, Value) and entry.tone == "best" for row in table.rows for entry in row)
    width = rf"\multicolumn{{{len(table.headings)}}}{{p{{0.9\linewidth}}}}"
    legend = [rf"{width}{{\footnotesize {_in_latex(note)}}} \\" for note in table.notes if has_legend]
    legend += [rf"{width}{{\footnotesize Numbers {_in_latex(table.source)}.}} \\"] * bool(table.source)
    notes = [f"% {' '.join(note.split())}" for note in table.notes if not has_legend]
    lines = [r"% \usepackage{booktabs}", rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", _latex_row(table.headings)]
    return "\n".join([*lines, r"\midrule", *rows, r"\bottomrule", *legend, r"\end{tabular}", *notes, ""])


def as_html(table: ResultTable) -> str:
    """Return the table for a notebook, without scripts and with every text escaped."""
    title = f"<p>{escape(table.title)}</p>" if table.title else ""
    headings = [" ".join(heading.replace("-\n", "").split()) for heading in table.headings]
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    rows = [
        row[: len(entries)] for row, entries in zip(_file_rows(table, escape, "<b>%s</b>"), table.rows, strict=True)
    ]
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    below = [*table.notes, *([f"… {table.n_more} more"] if table.n_more else [])]
    return f"{title}<table><tr>{head}</tr>{body}</table>" + "".join(f"<p>{escape(note)}</p>" for note in below)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_in_latex, cells)) + r" \\"


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "–": "--", "−": "$-$", "±": r"$\pm$", "θ": r"$\theta$",
    "⁺": r"\textsuperscript{+}", "≥": r"$\geq$", "↑": r"$\uparrow$", "↓": r"$\downarrow$",
    ">": "$>$", "<": "$<$", "[": "{[}", "]": "{]}", "\n": " ",
}  # fmt: skip
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~&$])")


def _in_latex(text: str) -> str:
    """Return text that LaTeX prints as it is."""
    return "".join(_LATEX.get(character, character) for character in text)


def _in_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
