"""Render the formulas of all metrics as MathML trees for the report: ``python tools/make_formulas.py``.

The report shows formulas without fetching anything, and the renderer (latex2mathml, of the ``docs`` group) is not in
segmetry; so the trees are made here and shipped. A test says when a formula has changed and this must be run again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from latex2mathml.converter import convert

from segmetry.metrics.declare import METRICS

TARGET = Path(__file__).parents[1] / "src" / "segmetry" / "report" / "formulas.json"
KEPT = {"stretchy", "fence", "separator", "mathvariant", "accent", "displaystyle", "width", "linethickness"}

Tree = list[Any]
"""Name, attributes, then children: trees, or the text."""


def tree(latex: str, display: str) -> Tree:
    """A formula as a tree."""
    return _tree(ET.fromstring(convert(latex, display=display)))  # noqa: S314 - our own text


def _tree(element: ET.Element) -> Tree:
    attributes = {name: value for name, value in element.attrib.items() if name in KEPT or name == "display"}
    text = (element.text or "").strip(" \n")
    children = [_tree(child) for child in element]
    return [element.tag.rpartition("}")[2], attributes, *([text] if text else []), *_words(children)]


def _words(children: list[Tree]) -> list[Tree]:
    """Upright letters in a row are one word: identifiers of several letters are upright by themselves."""
    found: list[Tree] = []
    for child in children:
        is_letter = child[0] == "mi" and child[1] == {"mathvariant": "normal"} and len(child) == 3
        if is_letter and found and found[-1][0] == "mi" and found[-1][1].get("mathvariant") == "normal":
            found[-1][2] += child[2]
        else:
            found.append(child)
    for child in found:
        if child[0] == "mi" and len(child) == 3 and len(child[2]) > 1:
            child[1] = {}
    return found


def main() -> None:
    """Write the file anew."""
    found = {one.formula: tree(one.formula, "block") for one in METRICS.values()}
    found |= {one.symbol: tree(one.symbol, "inline") for one in METRICS.values()}
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in sorted(found.items())]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{TARGET}: {len(found)} formulas")


if __name__ == "__main__":
    main()
