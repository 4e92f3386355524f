"""Means over items and classes, with and without a value for classes that an item does not have."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from segmetry.metrics.aggregation import Aggregation, Reading
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.statistics import Quotient, Statistics, Sums
from segmetry.statistics.readings import Stack

ITEMS = [
    {"class": ["a", "b"], "x": np.array([1.0, 0.5])},
    {"class": ["a"], "x": np.array([0.25])},
    {"class": ["c"], "x": np.array([math.nan])},
    {"class": [], "x": np.array([])},
]


def value(sums: Sums) -> Quotient:
    return Quotient(sums["x"])


def aggregation(absent: float | None) -> Aggregation:
    return Aggregation(dict, value, average=BY_CLASS_OF_ITEMS, absent=None if absent is None else lambda: absent)


@pytest.mark.parametrize("absent", [None, 1.0])
def test_samples_have_the_value_of_their_items_one_by_one(absent: float | None) -> None:
    statistics = Statistics.of(ITEMS)
    times = np.array(list(product(range(3), repeat=len(ITEMS)))).T
    reading = Reading("x", aggregation(absent), statistics, {}, BY_CLASS_OF_ITEMS)
    values = Stack([reading], len(ITEMS)).values(times.astype(np.float64))[0][0]
    for value, column in zip(values.tolist(), times.T, strict=True):
        drawn = statistics.select(np.repeat(np.arange(len(ITEMS)), column))
        assert value == pytest.approx(aggregation(absent).reading("x", drawn, {}).score().value, nan_ok=True)
        rows = [item for item, count in zip(ITEMS, column.tolist(), strict=True) for _ in range(count)]
        expected = []
        for name in sorted({name for row in rows for name in row["class"]}):
            terms = [float(row["x"][row["class"].index(name)]) if name in row["class"] else absent for row in rows]
            used = [term for term in terms if term is not None and not math.isnan(term)]
            expected += [sum(used) / len(used)] if used else []
        empty = math.nan if absent is None else absent
        assert value == pytest.approx(sum(expected) / len(expected) if expected else empty, nan_ok=True)


def test_the_mean_of_a_class_counts_the_items_without_it_where_these_have_a_value() -> None:
    means = {
        absent: {
            name: score.value
            for name, score in aggregation(absent).reading("x", Statistics.of(ITEMS), {}).class_scores().items()
        }
        for absent in (None, 1.0)
    }
    assert means[1.0] == {"a": (1 + 0.25 + 2) / 4, "b": (0.5 + 3) / 4, "c": 1}
    assert means[None] == {"a": (1 + 0.25) / 2, "b": 0.5}
