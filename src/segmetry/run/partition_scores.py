"""Metrics of two partitions, such as the Rand index, of all items of a run at once.

They follow from the overlap tables alone and cost a few microseconds an item, so a run does not store them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from segmetry._base import errors_within, ratio
from segmetry.metrics import Metric, MetricInputs, PartitionMetric, Score, ScoreColumn
from segmetry.overlaps import (
    MOST_ELEMENTS,
    Contingency,
    ItemOverlaps,
    ItemSegments,
    check_disjoint,
    contingency_of_items,
)
from segmetry.run.settings import Settings
from segmetry.runfile import RunTables


def check_partitions(metrics: Sequence[Metric], inputs: MetricInputs, settings: Settings) -> None:
    """Raise the errors of metrics of partitions that an item, or the options, would lead to when they are computed."""
    if metrics:
        check_disjoint(true=inputs.table.true.disjoint, pred=inputs.table.pred.disjoint)
    for metric in metrics:
        metric.check_kind(inputs)
        if options := settings.options_of(metric):
            metric.on(inputs, **{"background": settings.background, **options})


def partition_scores(
    metrics: Iterable[Metric], settings: Settings, tables: RunTables, known: dict[tuple[str, str], ScoreColumn]
) -> dict[str, ScoreColumn]:
    """Return the scores of those metrics that compare two partitions, of all items of a run; ``known`` keeps them."""
    contingencies: dict[str, Contingency] = {}
    columns: dict[str, ScoreColumn] = {}
    for metric in metrics:
        if metric.of_partitions is None:
            continue
        options = {"background": settings.background, **settings.options_of(metric)}
        place = metric.key, json.dumps(options, sort_keys=True)
        if place not in known:
            background = options.pop("background")
            if background not in contingencies:
                contingencies[background] = _contingencies(tables, background)
            known[place] = _column(metric, metric.of_partitions, contingencies[background], tables, background, options)
        columns[metric.key] = known[place]
    return columns


def _contingencies(tables: RunTables, background: str) -> Contingency:
    for facts in tables.items:
        if not (facts.true_disjoint and facts.pred_disjoint):
            with errors_within(f"item {facts.name}"):
                check_disjoint(true=facts.true_disjoint, pred=facts.pred_disjoint)
    outside = np.array([facts.background.outside_outside for facts in tables.items], dtype=np.int64)
    true, pred = (
        ItemSegments(side.starts, side.item, side.sizes, side.outside, side.void) for side in (tables.true, tables.pred)
    )
    rows = ItemOverlaps(tables.row_item, tables.row_true, tables.row_pred, tables.shared, outside)
    return contingency_of_items(true, pred, rows, background)


def _column(
    metric: Metric,
    partitioned: PartitionMetric,
    contingencies: Contingency,
    tables: RunTables,
    background: str,
    options: Mapping[str, Any],
) -> ScoreColumn:
    """Return the scores of all items; those that are too large to be computed together are computed one by one."""
    column = partitioned.column(contingencies, **options)
    shares = ratio(contingencies.n, contingencies.n_elements)
    if bool((shares < 1).any()):
        column = replace(column, details={"counted_share": np.where(shares < 1, shares, math.nan)})
    alone: dict[int, Score] = {}
    for at in np.flatnonzero(contingencies.n_elements >= MOST_ELEMENTS).tolist():
        result = metric.on(MetricInputs(counted=tables.table(at)), background=background, **options)
        if isinstance(result, Score):
            alone[at] = result
    return column.with_scores(alone)
