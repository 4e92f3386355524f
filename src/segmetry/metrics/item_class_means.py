"""Metrics with one value for each class of each item: the value of a class is its mean over items, that of a data set
the mean over classes.

Such a metric collects a column ``class`` and numbers beside it, one row for each class of an item, and gives one value
per row, NaN where it is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, ColumnsOfItem, Combined
from segmetry.metrics.score import Score

RowValues = Callable[[Collected], FloatArray]
"""Gives the value of every row, NaN where it is undefined."""


def class_means(key: str, collect: Callable[..., ColumnsOfItem], values: RowValues, reason: str) -> Accumulator:
    """Return the accumulator of such a metric; undefined values are left out."""

    def combine(collected: Collected) -> Combined:
        return mean_by_class(key, collected, values(collected), reason)

    def resampled(collected: Collected, times: IntArray) -> FloatArray:
        return means_of_samples(collected, times, values(collected))

    return Accumulator(collect, combine, mean_over_classes=True, resampled=resampled)


def share_of(top: str, bottom: str) -> RowValues:
    """Return the quotient of two columns of counts; undefined where the lower one is 0."""
    return lambda collected: _ratio(collected.columns[top], collected.columns[bottom])


def f_of(pred: tuple[str, str], true: tuple[str, str]) -> RowValues:
    """Return 2ab/(aB + bA), the harmonic mean of two quotients of columns a/A and b/B; 0 where both are 0 or undefined.

    >>> columns = {"class": ["a"], "p": np.array([1]), "np": np.array([2]), "t": np.array([1]), "nt": np.array([1])}
    >>> f_of(("p", "np"), ("t", "nt"))(Collected.of([columns])).tolist()
    [0.6666666666666666]
    """

    def values(collected: Collected) -> FloatArray:
        (a, n_pred), (b, n_true) = ([collected.columns[name] for name in side] for side in (pred, true))
        bottom = a * n_true + b * n_pred
        return np.where(bottom > 0, _ratio(2 * a * b, bottom), 0.0)

    return values


def _ratio(top: IntArray, bottom: IntArray) -> FloatArray:
    return np.where(bottom > 0, top / np.maximum(bottom, 1), np.nan)


def mean_by_class(
    key: str, collected: Collected, values: FloatArray, reason: str, *, absent: float | None = None
) -> Combined:
    """Return the mean over classes of their means over items; undefined values are left out.

    ``absent`` is the value of a class of the data set in an item that does not have it, and of items without any class;
    None leaves them out.

    >>> items = [{"class": ["a", "b"], "x": np.array([1.0, 0.5])}, {"class": ["a"], "x": np.array([0.0])}]
    >>> collected = Collected.of(items)
    >>> [mean_by_class("x", collected, collected.columns["x"], "no class", absent=at).value.value for at in (None, 1)]
    [0.5, 0.625]
    """
    table, occurs = _by_class_and_item(collected, values, absent)
    classes = {}
    for name, row, in_items in zip(collected.labels["class"], table, occurs, strict=True):
        # A single item also has the classes of the others; in a sample a class must occur in a drawn item.
        if collected.n_items == 1 or (in_items & (collected.times > 0)).any():
            terms = np.repeat(row, collected.times)
            terms = terms[~np.isnan(terms)]
            if terms.size:
                classes[name] = Score.of(key, math.fsum(terms.tolist()), int(terms.size), reason)
    if not classes and absent is not None:
        return Combined(Score.of(key, absent, 1))
    value = Score.of(key, math.fsum(score.value for score in classes.values()), len(classes), reason)
    return Combined(value, classes)


def means_of_samples(
    collected: Collected, times: IntArray, values: FloatArray, *, absent: float | None = None
) -> FloatArray:
    """Return the same for many samples at once: one column of ``times`` each."""
    table, occurs = _by_class_and_item(collected, values, absent)
    defined = ~np.isnan(table)
    numbers = (defined.astype(np.int64) @ times) * (occurs.astype(np.int64) @ times > 0)
    totals = np.where(defined, table, 0.0) @ times
    means = np.where(numbers > 0, totals / np.maximum(numbers, 1), 0.0)
    n_classes = (numbers > 0).sum(axis=0)
    empty = math.nan if absent is None else float(absent)
    return np.where(n_classes > 0, means.sum(axis=0) / np.maximum(n_classes, 1), empty)


def _by_class_and_item(
    collected: Collected, values: FloatArray, absent: float | None
) -> tuple[FloatArray, np.ndarray[tuple[int, int], np.dtype[np.bool_]]]:
    """Return the values as a table of classes by items, and which items have the class."""
    shape = (len(collected.labels["class"]), collected.n_items)
    table, occurs = np.full(shape, math.nan if absent is None else float(absent)), np.zeros(shape, dtype=bool)
    place = collected.columns["class"], collected.item_of("class")
    table[place], occurs[place] = values, True
    return table, occurs
