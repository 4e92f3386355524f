"""The declarations of metrics for the page: formula, summary, notes, citation."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

from segmetry._base import Reference, find_reference
from segmetry.metrics import METRICS, Metric
from segmetry.report.page_records import CitationData, MetricData


def declarations(keys: Collection[str]) -> list[MetricData]:
    """Return the declarations of metrics in display order."""
    metrics = sorted((METRICS[key] for key in keys), key=lambda metric: metric.display_order)
    return [_declaration(metric) for metric in metrics]


def _declaration(metric: Metric) -> MetricData:
    return {
        "key": metric.key,
        "family": metric.family,
        "formula": formula_tree(metric.formula, "block"),
        "summary": metric.summary,
        "notes": metric.notes,
        "bounds": possible_bounds(metric),
        "better": metric.better,
        "averages": list(metric.averages),
        "citation": [_cited(citation) for citation in metric.citation],
        "is_count": math.isinf(metric.bounds[1]),
    }


def possible_bounds(metric: Metric) -> tuple[float | None, float | None]:
    """Return the bounds of a metric, None for an infinite one, which JSON cannot write."""
    low, high = (None if math.isinf(bound) else bound for bound in metric.bounds)
    return low, high


def _cited(citation: str | Reference) -> CitationData:
    paper = find_reference(citation)
    short, full = (str(citation), str(citation)) if paper is None else (paper.short(), paper.full())
    return {"short": short, "full": full}


ATTRIBUTES = frozenset(
    {"display", "stretchy", "fence", "separator", "mathvariant", "accent", "displaystyle", "width", "linethickness"}
)

Tree = list[Any]
"""Name, attributes, then children: trees, or the text."""


@cache
def formula_tree(latex: str, display: str) -> Tree | str:
    """Return a formula as a tree, or its source where it cannot be converted; ``display`` is block or inline."""
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
