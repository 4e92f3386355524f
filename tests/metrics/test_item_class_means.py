"""Means over items and classes, with and without a value for classes that an item does not have."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from segmetry.metrics.accumulator import Collected
from segmetry.metrics.item_class_means import mean_by_class, means_of_samples

ITEMS = [
    {"class": ["a", "b"], "x": np.array([1.0, 0.5])},
    {"class": ["a"], "x": np.array([0.25])},
    {"class": ["c"], "x": np.array([math.nan])},
    {"class": [], "x": np.array([])},
]


@pytest.mark.parametrize("absent", [None, 1.0])
def test_samples_have_the_value_of_their_items_one_by_one(absent: float | None) -> None:
    collected = Collected.of(ITEMS)
    times = np.array(list(product(range(3), repeat=len(ITEMS)))).T
    values = means_of_samples(collected, times, collected.columns["x"], absent=absent)
    for value, column in zip(values.tolist(), times.T, strict=True):
        score = mean_by_class("x", collected.drawn(column), collected.columns["x"], "none", absent=absent).value
        assert value == pytest.approx(score.value, nan_ok=True)
        rows = [item for item, count in zip(ITEMS, column.tolist(), strict=True) for _ in range(count)]
        expected = []
        for name in sorted({name for row in rows for name in row["class"]}):
            terms = [float(row["x"][row["class"].index(name)]) if name in row["class"] else absent for row in rows]
            used = [term for term in terms if term is not None and not math.isnan(term)]
            expected += [sum(used) / len(used)] if used else []
        empty = math.nan if absent is None else absent
        assert value == pytest.approx(sum(expected) / len(expected) if expected else empty, nan_ok=True)


def test_a_single_item_has_the_classes_of_the_others_where_these_have_a_value() -> None:
    collected = Collected.of(ITEMS).item(1)
    classes = mean_by_class("x", collected, collected.columns["x"], "none", absent=1).classes
    assert {name: score.value for name, score in classes.items()} == {"a": 0.25, "b": 1, "c": 1}
    assert list(mean_by_class("x", collected, collected.columns["x"], "none").classes) == ["a"]
