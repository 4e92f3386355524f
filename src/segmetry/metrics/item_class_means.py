"""Metrics with one value for each class of each item: the value of a class is its mean over items, that of a data set
the mean over classes.

Such a metric collects a column ``class`` and numbers beside it, and gives one value per row, NaN where it is undefined.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Collected, Combined
from segmetry.metrics.score import Score


def mean_by_class(key: str, collected: Collected, values: FloatArray, reason: str) -> Combined:
    """Return the mean over classes of their means over items; undefined values are left out.

    >>> items = [{"class": ["a", "b"], "x": np.array([1.0, 0.5])}, {"class": ["a"], "x": np.array([0.0])}]
    >>> collected = Collected.of(items)
    >>> mean_by_class("x", collected, collected.columns["x"], "no class").value.value
    0.5
    """
    classes = {}
    times = collected.times_of("class")
    defined = ~np.isnan(values) & (times > 0)
    codes = collected.columns["class"]
    for code, name in enumerate(collected.labels["class"]):
        rows = defined & (codes == code)
        if rows.any():
            terms = np.repeat(values[rows], times[rows]).tolist()
            classes[name] = Score.of(key, math.fsum(terms), len(terms), reason)
    value = Score.of(key, math.fsum(score.value for score in classes.values()), len(classes), reason)
    return Combined(value, classes)


def means_of_samples(collected: Collected, times: IntArray, values: FloatArray) -> FloatArray:
    """Return the same for many samples at once: one column of ``times`` each."""
    defined = ~np.isnan(values)
    shape = (len(collected.labels["class"]), collected.n_items)
    sums, counts = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    place = collected.columns["class"][defined], collected.item_of("class")[defined]
    np.add.at(sums, place, values[defined])
    np.add.at(counts, place, 1)
    totals, numbers = sums @ times, counts @ times
    occurs = numbers > 0
    means = np.where(occurs, totals / np.maximum(numbers, 1), 0.0)
    n_classes = occurs.sum(axis=0)
    return np.where(n_classes > 0, means.sum(axis=0) / np.maximum(n_classes, 1), math.nan)
