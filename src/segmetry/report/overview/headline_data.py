"""The number a run is known by: that of its protocol, with its interval, its value in every item, and what the protocol
prints beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments.policy import as_policy
from segmetry.errors import SegmetryError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import in_class_means
from segmetry.metrics.score import Score
from segmetry.outputs.tables.plain_formula import plain_formula
from segmetry.report.analysis.interval_data import resamples_for
from segmetry.report.column_blocks import ColumnBlock
from segmetry.run.run import Run
from segmetry.statistics.averages import AVERAGE_HEADINGS, Average
from segmetry.statistics.bootstrap import Interval
from segmetry.statistics.difference import detectable_difference
from segmetry.statistics.intervals import AveragedIntervals, intervals_of_columns
from segmetry.statistics.random_draws import SEED

ITEMS = "headline_items"
"""The column with the value of every item, NaN where it is undefined."""
WRITTEN_OUT = {"window_diff": "WindowDiff", "boundary_similarity": "boundary similarity B"}
"""Names of metrics that are better known than their symbols."""
_MOST_BESIDE = 7
"""The most numbers beside the headline."""
NONE = "there is no interval of this average"
_ACCUMULATED_RESAMPLES = 200
"""Resamples of a metric that is computed anew from all items in every one of them."""


def headline_facts(run: Run, columns: ColumnBlock) -> dict[str, Any]:
    """Return the headline of a run without its interval, and add its values of the items to the columns.

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}, metrics="pq")
    >>> facts = headline_facts(run, ColumnBlock())
    >>> facts["name"], facts["average"], facts["value"], facts["protocol"]
    ('PQ', 'all_segments', 0.5, None)
    """
    key, average = headline_of(run)
    columns.add(ITEMS, item_values(run, key))
    metric = METRICS[key]
    return {
        "key": key,
        "name": WRITTEN_OUT.get(key) or _names(run).get(key) or symbol(key),
        "summary": metric.summary,
        "average": average,
        "averaged": AVERAGE_HEADINGS[average],
        "better": metric.better,
        "bounds": [end if math.isfinite(end) else None for end in metric.bounds],
        "protocol": None if run.protocol is None else run.protocol.name,
        "value": _value(run, key, average),
        "beside": _beside(run, key),
    }


def headline_interval(run: Run, known: Mapping[str, AveragedIntervals]) -> dict[str, Any]:
    """Return the interval of the headline, from those that are known if it is among them, or why it has none.

    >>> import segmetry as sm
    >>> from segmetry.report.analysis.interval_data import own_intervals
    >>> run = sm.evaluate({"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}, metrics="pq")
    >>> facts = headline_interval(run, own_intervals(run, "pq"))
    >>> facts["low"], facts["high"], facts["problem"]
    (0.0, 1.0, None)
    """
    key, average = headline_of(run)
    here = known.get(key)
    interval, problem = _interval(run, key, average) if here is None else (here.intervals().get(average), NONE)
    if interval is None:
        return {"low": None, "high": None, "problem": problem, "detectable": None}
    low, high = interval.best or (None, None)
    error = None if low is None else interval.standard_error
    return {
        "low": low,
        "high": high,
        "problem": interval.reason if low is None else None,
        "detectable": None if error is None else detectable_difference(error),
    }


def headline_of(run: Run) -> tuple[str, Average]:
    """Return key and average of the number a run is known by; without a protocol PQ, or its first metric."""
    scores = run.summary().scores
    if run.protocol is not None and run.protocol.headline.key in scores:
        headline = run.protocol.headline
        if headline.average in scores[headline.key].scores():
            return headline.key, headline.average
    key = "pq" if "pq" in scores else next(iter(scores))
    known = scores[key].scores()
    return key, next(name for name in ("by_class", "all_segments", "by_item") if name in known)


def symbol(key: str) -> str:
    """Return the symbol of a metric as plain text.

    >>> symbol("pq"), symbol("mean_iou")
    ('PQ', 'mIoU')
    """
    return WRITTEN_OUT.get(key) or plain_formula(METRICS[key].symbol).replace("_", " ")


def item_values(run: Run, key: str) -> NDArray[np.float64]:
    """Return a metric of every item, NaN where it is undefined or no item has it."""
    if METRICS[key].needs == "tally" and key in run.summary().scores:
        settings = run.settings
        in_classes = in_class_means(settings.undefined, as_policy(settings.policy))
        of_items = run.columns.item_values(key, settings.options.get(key, {}), in_classes)
        return of_items if settings.undefined is None else np.nan_to_num(of_items, nan=settings.undefined)
    values = []
    for _, scores, _ in run.item_scores():
        score = scores.get(key)
        values.append(score.value if isinstance(score, Score) else math.nan)
    return np.array(values, dtype=np.float64)


def _value(run: Run, key: str, average: Average) -> float | None:
    score = run.summary().scores[key].scores()[average]
    return score.value if score.is_defined else None


def _interval(run: Run, key: str, average: Average) -> tuple[Interval | None, str | None]:
    """Return the interval of a value, or why there is none."""
    resamples = resamples_for(run) if METRICS[key].accumulator is None else _ACCUMULATED_RESAMPLES
    summary = run.summary()
    alone = replace(summary, scores={key: summary.scores[key]})
    drawing: dict[str, Any] = {"parts": False, "resamples": resamples, "seed": SEED}
    try:
        intervals = intervals_of_columns(run.columns, alone, **drawing, **run.averaging())
    except SegmetryError as refused:
        return None, str(refused)
    return intervals[key].intervals().get(average), NONE


def _names(run: Run) -> dict[str, str]:
    """Return what the columns of the protocol's table call its metrics; none where it has one column only."""
    table = run.protocol_table()
    if table is None or len(table.headings) == 1:
        return {}
    named: dict[str, str] = {}
    for heading, *cells in zip(table.headings, *(row.cells for row in table.rows), strict=True):
        scores = [cell for cell in cells if cell is not None and not isinstance(cell.value, int)]
        if scores:
            named.setdefault(scores[0].key, heading)
    return named


def _beside(run: Run, key: str) -> list[dict[str, Any]]:
    """Return what the protocol's table says besides: the row with the headline, or its only column."""
    table, value = run.protocol_table(), run.summary().scores[key].scores()
    if table is None or not table.rows:
        return []
    if len(table.headings) == 1:
        listed = [(symbol(cell.key), cell) for row in table.rows[1:] for cell in row.cells if cell]
    else:
        known = [score.value for score in value.values()]
        rows = [
            row for row in table.rows if any(cell and cell.key == key and cell.value in known for cell in row.cells)
        ]
        row = next(iter(rows), None) or next((row for row in table.rows if row.heading.endswith("0.5")), table.rows[0])
        which = "" if rows or len(table.rows) == 1 else f", {row.heading}"
        listed = [(f"{name}{which}", cell) for name, cell in zip(table.headings, row.cells, strict=True) if cell]
    headline = _names(run).get(key)
    return [
        {
            "name": WRITTEN_OUT.get(cell.key, name),
            "key": cell.key,
            "value": cell.value,
            "summary": METRICS[cell.key].summary,
        }
        for name, cell in listed
        if name != headline and not isinstance(cell.value, int)
    ][:_MOST_BESIDE]
