"""Sums of the columns of a data set by class, for all samples at once: a data set and its resamples are computed alike.

The columns have a row for each class of an item, named by the column ``class``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Collected

ColumnSums = Mapping[str, NDArray[Any]]
"""Sums by the name of their column: classes (rows), samples (columns), and further axes of the column."""


def sums_by_class(collected: Collected, times: IntArray) -> ColumnSums:
    """Return the sums of all columns over items; a column of ``times`` says how often each item is in a sample.

    >>> items = [{"class": ["sky"], "size": np.array([2])}, {"class": ["car", "sky"], "size": np.array([3, 4])}]
    >>> sums_by_class(Collected.of(items), np.array([[1, 2], [1, 0]]))["size"].tolist()
    [[3, 0], [6, 4]]
    """
    if "classes × items" not in collected.memo:
        place = collected.columns["class"], collected.item_of("class")
        shape = len(collected.labels.get("class", ())), collected.n_items
        tables = {}
        for name, column in collected.columns.items():
            if name == "class":
                continue
            table = np.zeros((*shape, *column.shape[1:]), column.dtype)
            np.add.at(table, place, column)
            tables[name] = table
        collected.memo["classes × items"] = tables
    tables = collected.memo["classes × items"]
    return {name: np.einsum("ci...,is->cs...", table, times) for name, table in tables.items()}


def ratio_or(numerator: NDArray[Any], denominator: NDArray[Any], otherwise: float) -> FloatArray:
    """Return the quotients; another value where the denominator is 0."""
    quotients: FloatArray = np.divide(
        numerator, denominator, out=np.full(denominator.shape, float(otherwise)), where=denominator > 0
    )
    return quotients
