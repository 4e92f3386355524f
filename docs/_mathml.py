"""A Sphinx math renderer that writes MathML while the site is built: no script draws formulas in the browser."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


def _render(node: Any, display: str) -> str:
    markup: str = convert(node.astext(), display=display)
    # The converter copies a command it does not know; Sphinx treats the warning as an error.
    if "\\" in markup:
        LOGGER.warning("a formula has a command that cannot be drawn: %s", node.astext(), location=node)
    return markup


def _inline(writer: Any, node: Any) -> None:
    writer.body.append(_render(node, "inline"))
    raise nodes.SkipNode


def _display(writer: Any, node: Any) -> None:
    writer.body.append(f'<div class="math-block">{_render(node, "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
