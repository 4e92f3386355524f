"""Settings of the documentation. The site works from a folder: nothing is loaded from the network when it is read."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

project = "segmetry"
author = "The segmetry developers"
copyright = "2026, the segmetry developers"
release = importlib.metadata.version("segmetry")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "_mathml", "_live"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
exclude_patterns = ["_*"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
myst_update_mathjax = False
html_theme = "furo"
html_title = f"segmetry {release}"
html_static_path = ["_static"]
EXTRA = HERE / "_extra"
EXTRA.mkdir(exist_ok=True)  # filled while the site is built
html_extra_path = [EXTRA.name]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_favicon = "_static/favicon.svg"
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "https://segmetry.readthedocs.io/")
html_math_renderer = "mathml"
html_copy_source = False
CARD = (
    '<meta property="og:title" content="segmetry"><meta property="og:image" content="{root}landing/card.png">'
    '<meta property="og:description" content="How good is a segmentation, and where does it fail?">'
    '<meta name="twitter:card" content="summary_large_image">'
    '<link rel="alternate" type="text/markdown" href="{page}.md">'
)


def _generate_pages(_app: Any) -> None:
    from _pictures import write_pictures
    from _protocol_pages import write_protocol_pages
    from _questions import check
    from _scenes import write_scenes
    from _tries import SCENES

    import segmetry
    from segmetry.protocols.protocol import PROTOCOLS

    from _architecture import write_picture
    from _generate import write_pages
    from _reference import write_reference

    check()
    write_scenes(SCENES)
    write_pages(segmetry.list_metrics(), HERE / "metrics", SCENES)
    write_protocol_pages(PROTOCOLS, HERE / "protocols")
    write_reference(HERE)
    write_picture(HERE / "figures")
    write_pictures(HERE / "figures", EXTRA)
    shutil.make_archive(str(EXTRA / "scenes"), "zip", SCENES)


def _describe_page(app: Any, name: str, _template: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the card that is shown where somebody links to the page, and write the page as Markdown."""
    from _markdown import write_page

    context["metatags"] = context.get("metatags", "") + CARD.format(root=html_baseurl, page=name.rpartition("/")[2])
    write_page(Path(app.outdir), name, doctree)


def _finish(app: Any, problem: Exception | None) -> None:
    from _markdown import write_index

    if problem is None:
        write_index(Path(app.outdir), app.env)


def _keep_bars(_app: Any, _what: str, _name: str, _found: Any, _options: Any, lines: list[str]) -> None:
    """Our docstrings write |t ∩ h|; reStructuredText would look for a substitution."""
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else line.replace("|", r"\|") for line in lines]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _keep_bars)
    app.connect("builder-inited", _generate_pages)
    app.connect("html-page-context", _describe_page)
    app.connect("build-finished", _finish)
