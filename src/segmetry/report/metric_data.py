"""The declarations of metrics for the page: formula, summary, notes, citation."""

from __future__ import annotations

import math
from collections.abc import Collection

from segmetry._base.bibliography import Reference, find_reference
from segmetry.metrics.declare import METRICS, Metric
from segmetry.report.formula_tree import formula_tree
from segmetry.report.page_records import CitationData, MetricData


def declarations(keys: Collection[str]) -> list[MetricData]:
    """Return the declarations of metrics in display order.

    >>> [(one["key"], one["better"], one["citation"][0]["short"]) for one in declarations({"sq", "pq"})]
    [('pq', 'higher', 'Kirillov et al. 2019'), ('sq', 'higher', 'Kirillov et al. 2019')]
    """
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
    return (
        {"short": str(citation), "full": str(citation)}
        if paper is None
        else {"short": paper.short(), "full": paper.full()}
    )
