"""A page of results: one HTML file with tables and pictures, no script, nothing fetched, readable in light and dark."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
tbody tr:hover { background: var(--soft); }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; max-width: 100%; } figcaption { font-size: .85rem; opacity: .75; }
figure img { max-width: 100%; background: #fff; border-radius: 4px; }
p.note { font-size: .85rem; opacity: .75; }
@media print { body { max-width: none; } figure, table { break-inside: avoid; } }
"""


@dataclass
class Page:
    """Sections put together in order; every text is escaped."""

    title: str
    parts: list[str] = field(default_factory=list)

    def heading(self, text: str) -> None:
        self.parts.append(f"<h2>{escape(text)}</h2>")

    def paragraph(self, text: str, *, note: bool = False) -> None:
        kind = " class=note" if note else ""
        self.parts.append(f"<p{kind}>{escape(text)}</p>")

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        head = "".join(f"<th scope=col>{escape(cell)}</th>" for cell in header)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        self.parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")

    def figures(self, pictures: Sequence[tuple[bytes | str, str]]) -> None:
        """Pictures side by side, each as SVG text or PNG bytes with its caption."""
        drawn = "".join(
            f'<figure><img src="{_data_address(picture)}" alt="{escape(caption, quote=True)}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
            for picture, caption in pictures
        )
        self.parts.append(f"<div class=figures>{drawn}</div>")

    def render(self) -> str:
        """The whole document.

        >>> page = Page("Results <1>")
        >>> page.paragraph("a < b")
        >>> "a &lt; b" in page.render() and "Results &lt;1&gt;" in page.render()
        True
        """
        return (
            f'<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta http-equiv="Content-Security-Policy" '
            f'content="{_POLICY}"><meta name=viewport content="width=device-width, initial-scale=1">'
            f"<title>{escape(self.title)}</title><style>{_STYLE}</style></head>\n"
            f"<body><h1>{escape(self.title)}</h1>\n" + "\n".join(self.parts) + "\n</body></html>\n"
        )


def _data_address(picture: bytes | str) -> str:
    kind, content = ("svg+xml", picture.encode()) if isinstance(picture, str) else ("png", picture)
    return f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"
