"""Pieces of HTML that are made once, in Python: tables and pictures. The page forbids style attributes and handlers."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from html import escape

from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.tables.plain_table import PlainTable


def plain(text: str) -> str:
    r"""Return a name as text of the page: nothing in it is markup, and what UTF-8 cannot write is a question mark.

    >>> plain("<i>\udc80")
    '&lt;i&gt;?'
    """
    return escape(text.encode("utf-8", "replace").decode("utf-8"))


def html_table(table: PlainTable) -> str:
    """Return a table; its first column holds the headings of rows.

    >>> html_table(PlainTable("", ("class", "AP"), [("<b>", "0.5")]))
    '<table><thead><tr><th>class</th><th>AP</th></tr></thead><tbody><tr><th>&lt;b&gt;</th><td>0.5</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{plain(heading)}</th>" for heading in table.headings)
    rows = "".join(
        f"<tr><th>{plain(row[0])}</th>{''.join(f'<td>{plain(cell)}</td>' for cell in row[1:])}</tr>"
        for row in table.rows
    )
    notes = "".join(f'<p class="note">{plain(note)}</p>' for note in table.notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}"


def html_picture(picture: Picture) -> str:
    """Return a picture as an image, which keeps its own colours on a dark page."""
    content = base64.b64encode(picture.svg.encode()).decode("ascii")
    return f'<img alt="{plain(picture.title)}" src="data:image/svg+xml;base64,{content}">'


def html_section(key: str, heading: str, content: str, *, page: str = "overview") -> str:
    """Return a section of a page of the report, one of those in ``js/sections.js``."""
    return (
        f'<section id="{key}" data-page="{page}" aria-labelledby="{key}-heading"><h2 id="{key}-heading">{heading}</h2>'
        f"<div>{content}</div></section>\n"
    )


def html_plots(pictures: Iterable[str]) -> str:
    """Return pictures beside each other, as many as there is room for."""
    return f'<div class="plots">{"".join(pictures)}</div>'


def html_folded(summary: str, content: str) -> str:
    """Return content that is shown on request."""
    return f"<details><summary>{plain(summary)}</summary>{content}</details>"
