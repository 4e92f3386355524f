"""A class of which a sample has drawn no item does not count in the value of that sample."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.accumulator import Collected
from segmetry.metrics.declare import METRICS, as_metric_inputs

KEYS = [key for key, metric in METRICS.items() if metric.family == "semantic" and metric.accumulator is not None]


@pytest.mark.parametrize("key", KEYS)
def test_an_item_that_is_not_drawn_leaves_no_class_behind(key: str) -> None:
    metric = METRICS[key]
    accumulator = metric.accumulator
    assert accumulator is not None
    facts = []
    for rows in (([[1, 1, 2]], [[1, 2, 2]]), ([[3, 3, 3]], [[3, 3, 4]])):
        sides = (sm.LabelArray.from_classes(row) for row in rows)
        facts.append(accumulator.collect(*as_metric_inputs(*sides).give(metric.needs, key)))
    alone = accumulator.combined(Collected.of(facts[:1]), {})
    drawn = accumulator.combined(Collected.of(facts).drawn(np.array([1, 0])), {})
    assert drawn.value.value == pytest.approx(alone.value.value, nan_ok=True)
    for name, score in alone.classes.items():
        assert drawn.classes[name].value == pytest.approx(score.value, nan_ok=True)
