"""The values of a metric in samples of items, as resampling computes them."""

from __future__ import annotations

from typing import Any

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.aggregation import Reading
from segmetry.metrics.declare import METRICS
from segmetry.metrics.statistics import Statistics
from segmetry.statistics.readings import Stack


def sampled(
    key: str, items: Statistics, times: IntArray, options: dict[str, Any] | None = None, *, each_class: bool = False
) -> FloatArray:
    """Return the value of every sample: ``times`` says how often every item (a row) is in each of them (a column)."""
    aggregation = METRICS[key].statistics
    assert aggregation is not None
    average = aggregation.average_of(options or {})
    reading = Reading(key, aggregation, items, options or {}, average, each_class=each_class)
    (values,) = Stack([reading], items.n_items).values(times.astype(float))
    return values if each_class else values[0]
