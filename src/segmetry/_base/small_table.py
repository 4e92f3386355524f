"""Small tables for the eye: plain text for a terminal, escaped HTML without scripts for a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from segmetry._base.number_text import shortest

SHOWN = 20
"""Rows of a long table that are shown; the last line counts the others."""


def cell(value: Any) -> str:
    """Return a value as text: numbers with six digits, what is missing or undefined as a dash.

    >>> cell(1 / 3), cell(None), cell(2**60), cell("sky")
    ('0.333333', '–', '1152921504606846976', 'sky')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return shortest(float(value)) if isinstance(value, float) else str(value)


def text_table(title: str, head: Sequence[str], rows: Iterable[Sequence[Any]], total: int | None = None) -> str:
    """Return lines of equal columns: text to the left, numbers to the right.

    ``total`` is the number of all rows, where ``rows`` has only those that are shown.

    >>> print(text_table("two metrics", ("metric", "value"), [("pq", 0.25), ("n_matched", 1.0)]))
    two metrics
    metric     value
    pq          0.25
    n_matched      1
    """
    content, others = _first_rows(rows, total)
    lines = [list(head), *([cell(value) for value in row] for row in content)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    right = [bool(content) and all(not isinstance(row[at], str) for row in content) for at in range(len(head))]
    texts = [
        "  ".join(
            word.rjust(width) if to_right else word.ljust(width)
            for word, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    ]
    return "\n".join([title, *texts, *([f"… {others} more"] if others else [])])


def html_table(title: str, head: Sequence[str], rows: Iterable[Sequence[Any]], total: int | None = None) -> str:
    """Return the same table for a notebook; every text in it is escaped.

    >>> html_table("a < b", ("metric",), [("pq",)])
    '<p>a &lt; b</p><table><tr><th>metric</th></tr><tr><td>pq</td></tr></table>'
    """
    content, others = _first_rows(rows, total)
    from html import escape

    top = "".join(f"<th>{escape(word)}</th>" for word in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell(value))}</td>' for value in row)}</tr>" for row in content)
    return f"<p>{escape(title)}</p><table><tr>{top}</tr>{body}</table>" + (f"<p>… {others} more</p>" if others else "")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "item"), counted(2, "item")
    ('1 item', '2 items')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _first_rows(rows: Iterable[Sequence[Any]], total: int | None) -> tuple[list[Sequence[Any]], int]:
    every = list(rows)
    return every[:SHOWN], max(0, (len(every) if total is None else total) - SHOWN)
