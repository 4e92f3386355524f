"""Settings of the documentation. The site works from a folder: nothing is loaded from the network when it is read."""

from __future__ import annotations

import importlib.metadata
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
html_math_renderer = "mathml"
html_copy_source = False


def _generate_pages(_app: Any) -> None:
    from _pictures import write_pictures
    from _protocol_pages import write_protocol_pages

    import segmetry
    from segmetry.outputs.plots.example_plot import first_example_svg
    from segmetry.protocols.protocol import PROTOCOLS

    from _architecture import write_picture
    from _generate import write_pages
    from _reference import write_reference

    write_pages(segmetry.list_metrics(), HERE / "metrics", first_example_svg)
    write_protocol_pages(PROTOCOLS, HERE / "protocols")
    write_reference(HERE)
    write_picture(HERE / "figures")
    write_pictures(HERE / "figures", EXTRA / "demo")


def _keep_bars(_app: Any, _what: str, _name: str, _found: Any, _options: Any, lines: list[str]) -> None:
    """Our docstrings write |t ∩ h|; reStructuredText would look for a substitution."""
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else line.replace("|", r"\|") for line in lines]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _keep_bars)
    app.connect("builder-inited", _generate_pages)
