"""Formulas as MathML trees: nested lists that the report's script turns into elements, without parsing any markup.

The LaTeX of the declarations is converted by latex2mathml, which only the report imports.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

ATTRIBUTES = frozenset(
    {"display", "stretchy", "fence", "separator", "mathvariant", "accent", "displaystyle", "width", "linethickness"}
)

Tree = list[Any]
"""Name, attributes, then children: trees, or the text."""


@cache
def formula_tree(latex: str, display: str) -> Tree | str:
    r"""Return a formula as a tree, or its source where it cannot be converted; ``display`` is block or inline.

    >>> formula_tree(r"\mathrm{IoU}", "inline")
    ['math', {'display': 'inline'}, ['mrow', {}, ['mrow', {}, ['mi', {}, 'IoU']]]]
    >>> formula_tree(r"\unknown{x}", "inline")
    '\\unknown{x}'
    """
    from latex2mathml.converter import convert

    try:
        element = ET.fromstring(convert(latex, display=display))  # noqa: S314 - made from the text of a declaration
    except Exception:  # noqa: BLE001 - the converter raises many kinds, and a formula must not cost the report
        return latex
    return latex if "\\" in "".join(element.itertext()) else _tree(element)


def _tree(element: ET.Element) -> Tree:
    attributes = {name: value for name, value in element.attrib.items() if name in ATTRIBUTES}
    text = (element.text or "").strip(" \n")
    children = [_tree(child) for child in element]
    return [element.tag.rpartition("}")[2], attributes, *([text] if text else []), *_words(children)]


def _words(children: list[Tree]) -> list[Tree]:
    """Join upright letters in a row into one word: identifiers of several letters are upright by themselves."""
    joined: list[Tree] = []
    for child in children:
        is_letter = child[0] == "mi" and child[1] == {"mathvariant": "normal"} and len(child) == 3
        if is_letter and joined and joined[-1][0] == "mi" and joined[-1][1].get("mathvariant") == "normal":
            joined[-1][2] += child[2]
        else:
            joined.append(child)
    for child in joined:
        if child[0] == "mi" and len(child) == 3 and len(child[2]) > 1:
            child[1] = {}
    return joined
