"""Write the HTML page: head with its content security policy, frame, sections made in Python, data, script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from segmetry._base import json_text, write_atomically
from segmetry.report.page_data import PackedBlocks, report_data
from segmetry.report.page_records import PageData
from segmetry.report.script_bundle import script, style
from segmetry.report.sections import detection_section, threshold_section
from segmetry.run import Run


def render(runs: Sequence[Run], *, title: str | None = None, **options: Any) -> str:
    """Return the report of one run, or of several on the same items, as the text of an HTML file."""
    data, blocks = report_data(runs, **options)
    return page_text(runs, data, blocks, title=title)


def page_policy(*, served: bool = False) -> str:
    """Return the content security policy of the page; a served one may ask its own server for data."""
    asked = "connect-src 'self'; " if served else ""
    return (
        f"default-src 'none'; script-src {hash_source(script())}; style-src {hash_source(style())}; "
        f"img-src data: blob:; {asked}base-uri 'none'; form-action 'none'"
    )


def page_text(
    runs: Sequence[Run], data: PageData, blocks: PackedBlocks, *, title: str | None = None, served: bool = False
) -> str:
    """Return the HTML around the data of :func:`~segmetry.report.page_data.report_data`."""
    data["title"] = title or data["title"]
    sections = detection_section(runs) + threshold_section(runs)
    content = "\n".join(
        f'<script type="application/octet-stream+base64" id="{key}">{text}</script>' for key, text in blocks.items()
    )
    return (
        f'<!doctype html>\n<html lang="en"{" data-served" if served else ""}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{page_policy(served=served)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(' '.join(data['title'].split())[:200])}</title>\n<style>{style()}</style>\n</head>\n<body>\n"
        '<a id="skip" href="#views">Skip to the content</a>\n'
        '<nav id="side" aria-label="report"><h1 id="title"></h1><div id="about"></div><div id="pages"></div></nav>\n'
        '<header id="top"><div id="find"></div><div id="controls"></div><div id="display"></div></header>\n'
        '<noscript><p class="problem">This report needs JavaScript, which is switched off.</p></noscript>\n'
        f'<main id="views" tabindex="-1">\n{sections}\n</main>\n<footer id="foot"></footer>\n'
        f'<script type="application/json" id="data">{as_json_block(data)}</script>\n{content}\n'
        f'<script type="module">{script()}</script>\n</body>\n</html>\n'
    )


def write_report(runs: Sequence[Run], path: str | Path, **options: Any) -> None:
    """Write the report of some runs to a file, atomically."""
    write_atomically(Path(path), render(runs, **options))


def as_json_block(data: Any) -> str:
    """Return JSON that is safe inside a script element: plain ASCII without ``<``."""
    return json_text(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def hash_source(text: str) -> str:
    """Return the hash of an inline script or style, as a content security policy states it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
