r"""A table as it is printed: headings, formatted cells, notes; written as Markdown and as LaTeX, and for the
terminal in ``terminal_lines``.

>>> table = PlainTable("by class", ("class", "PQ"), [("road_1", "0.5"), ("all", "–")], ["– no segments"])
>>> print(as_markdown(table))
| class | PQ |
|:--|--:|
| road\_1 | 0.5 |
| all | – |
<BLANKLINE>
– no segments
<BLANKLINE>
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry._base.number_text import UNDEFINED
from segmetry._base.result_table import Table as ResultTable
from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.number_format import compact, styled

WIDTH = 80
"""The width of the terminal in which every table of numbers fits."""


@frozen_dataclass()
class PlainTable:
    """Formatted cells under headings; the first column holds names, the others numbers, aligned on the right.

    ``values`` are the cells as they were before they were formatted, for files; ``texts`` the positions of the columns
    that hold names; ``rules`` the numbers of rows before which a line is drawn. ``notes`` stand below the table.
    ``breaks``: names too long for 80 columns are broken after an underscore, else they are shortened.
    ``has_headings``: the terminal shows the headings, which files always have.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    values: Sequence[Sequence[Any]] = ()
    texts: frozenset[int] = frozenset({0})
    rules: frozenset[int] = frozenset()
    breaks: bool = False
    has_headings: bool = True

    def values_table(self) -> ResultTable:
        """Return the values under the headings, one row each, for CSV, Parquet and JSON; undefined is None."""
        names = [" ".join(heading.split()) or "metric" for heading in self.headings]
        cells = [[_value(cell) for cell in row] for row in self.values or self.rows]
        return ResultTable("scores", [dict(zip(names, row, strict=True)) for row in cells])


def printed(table: ResultTable) -> PlainTable:
    """Return the rows of a table with formatted numbers.

    >>> printed(ResultTable("items", [{"item": "a", "pq": 1 / 3, "n_matched": 2.0, "iou": None}])).rows
    [['a', '0.3333', '2', '–']]
    """
    names = list(table.columns)
    rows = [[_printed(value, name) for name, value in row.items()] for row in table]
    texts = frozenset(at for at, name in enumerate(names) if table.types[name] in ("text", "flag"))
    return PlainTable(table.name, names, rows, texts=texts)


def _printed(value: Any, name: str) -> str:
    if value is None:
        return UNDEFINED
    if isinstance(value, float):
        return styled(value, name) if name in METRICS else compact(value)
    return str(value)


def _value(cell: Any) -> Any:
    return None if isinstance(cell, float) and math.isnan(cell) else cell


def broken_name(name: str, room: int) -> str:
    r"""Return a name on lines of some width, broken after underscores.

    >>> broken_name("variation_of_information", 16)
    'variation_of_\n  information'
    """
    end = name.rfind("_", 0, room) + 1 if len(name) > room else 0
    return f"{name[:end]}\n  {broken_name(name[end:], room - 2)}" if end else name


def as_markdown(table: PlainTable) -> str:
    """Return the table in Markdown; names are escaped."""
    lines = [table.headings, *table.rows]
    cells = [" | ".join(map(_markdown, line)) for line in lines]
    alignment = "|".join(":--" if at in table.texts else "--:" for at in range(len(table.headings)))
    body = "\n".join(f"| {line} |" for line in cells[1:])
    notes = "".join(f"\n{_markdown(note)}\n" for note in table.notes)
    return f"| {cells[0]} |\n|{alignment}|\n{body}\n{notes}"


def as_latex(table: PlainTable) -> str:
    r"""Return the table in LaTeX with the rules of the package booktabs; names are escaped.

    >>> print(as_latex(PlainTable("", ("class", "PQ"), [("road & rail", "50 %")])))
    % \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    class & PQ \\
    \midrule
    road \& rail & 50 \% \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    alignment = "".join("l" if at in table.texts else "r" for at in range(len(table.headings)))
    rows = []
    for at, row in enumerate(table.rows):
        if at in table.rules and at:
            rows.append(r"\midrule")
        rows.append(_latex_row(row))
    notes = [f"% {' '.join(note.split())}" for note in table.notes]
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            _latex_row(table.headings),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            "",
        ]
    )


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex, cells)) + r" \\"


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "–": "--", "−": "$-$", "±": r"$\pm$", "θ": r"$\theta$",
    "⁺": r"\textsuperscript{+}", "≥": r"$\geq$", ">": "$>$", "<": "$<$", "[": "{[}", "]": "{]}", "\n": " ",
}  # fmt: skip
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~&$])")


def _latex(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> print(_latex(r"50 % of a_b & \c^2"))
    50 \% of a\_b \& \textbackslash{}c\textasciicircum{}2
    """
    return "".join(_LATEX.get(character, character) for character in text)


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
