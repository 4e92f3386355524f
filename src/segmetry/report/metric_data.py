"""The declarations of metrics as the page shows them: formula, words, decisions, citation."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from segmetry._base.bibliography import reference
from segmetry.metrics.declare import METRICS, Metric
from segmetry.report.formula_tree import formula_tree


def declarations(keys: Collection[str]) -> list[dict[str, Any]]:
    """The metrics of these keys in the order in which they are shown everywhere.

    >>> [(one["key"], one["better"], one["citation"][0]["short"]) for one in declarations({"sq", "pq"})]
    [('pq', 'higher', 'Kirillov et al. 2019'), ('sq', 'higher', 'Kirillov et al. 2019')]
    """
    metrics = sorted((METRICS[key] for key in keys), key=lambda metric: metric.display_order)
    return [_declaration(metric) for metric in metrics]


def _declaration(found: Metric) -> dict[str, Any]:
    papers = [reference(key) for key in found.citation]
    return {
        "key": found.key,
        "symbol": formula_tree(found.symbol, "inline"),
        "family": found.family,
        "formula": formula_tree(found.formula, "block"),
        "summary": found.summary,
        "notes": found.notes,
        "bounds": [None if math.isinf(bound) else bound for bound in found.bounds],
        "better": found.better,
        "aggregation": list(found.aggregation),
        "citation": [{"short": paper.short(), "full": paper.full()} for paper in papers],
        "is_count": math.isinf(found.bounds[1]),
        "of_tally": found.needs == "tally",
    }
