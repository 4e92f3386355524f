"""Metrics with one value for each class of an item that is measured on its shapes: columns, means, and details."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.geometry.class_shapes import ClassShapes
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.item_class_means import mean_by_class, means_of_samples
from segmetry.metrics.per_class import checked_undefined
from segmetry.metrics.score import Score

KINDS = ("labels", "masks")
NO_PAIR = "no class occurs on both sides"
ONE_VALUE_PER_CLASS = (
    "One value for each class of each item: by item it is the mean over the classes of an item, by class the mean over "
    "items. Segments of one class count together; where segments carry no classes, equal labels are the same class. "
)
BAR = [[1, 1, 1, 1, 0, 2]], [[1, 1, 1, 0, 0, 2]]
ONE_SIDED = [[1, 1, 1], [0, 0, 0], [0, 0, 2], [0, 0, 0]], [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]


def class_values(shapes: ClassShapes, values: FloatArray, penalty: float | None) -> dict[str, Column]:
    """Return the columns of an item: its classes, and a value of each; those without one have the penalty, or NaN."""
    if penalty is not None:
        values = np.where(np.isnan(values), penalty, values)
    return {"class": list(shapes.names), "value": values}


def mean_of_class_values(key: str, collect: Callable[..., dict[str, Column]]) -> Accumulator:
    """Return the accumulator of the values of :func:`class_values`.

    ``both_empty``, where a metric has it, is the value of an item without a class that other items have.
    """

    def combine(collected: Collected, *, both_empty: float | None = None) -> Combined:
        absent = checked_undefined(both_empty)
        return mean_by_class(key, collected, collected.columns["value"], NO_PAIR, absent=absent)

    def resampled(collected: Collected, times: IntArray, *, both_empty: float | None = None) -> FloatArray:
        absent = checked_undefined(both_empty)
        return means_of_samples(collected, times, collected.columns["value"], absent=absent)

    return Accumulator(collect, combine, mean_over_classes=True, resampled=resampled)


def item_score(accumulator: Accumulator, shapes: ClassShapes, unit: str | None, **options: Any) -> Score:
    """Return the value of an item, with the numbers of its classes and the unit."""
    score = accumulator.score(shapes, **options)
    return replace(score, details={**score.details, **shapes.counts, **({} if unit is None else {"unit": unit})})
