"""A class of which a sample has drawn no item does not count in the value of that sample."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS, as_metric_inputs
from segmetry.metrics.statistics import Statistics
from tests.metrics.samples import sampled

KEYS = [key for key, metric in METRICS.items() if metric.family == "semantic" and metric.statistics is not None]


@pytest.mark.parametrize("key", KEYS)
def test_an_item_that_is_not_drawn_leaves_no_class_behind(key: str) -> None:
    metric = METRICS[key]
    aggregation = metric.statistics
    assert aggregation is not None
    facts = []
    for rows in (([[1, 1, 2]], [[1, 2, 2]]), ([[3, 3, 3]], [[3, 3, 4]])):
        sides = (sm.LabelArray.from_classes(row) for row in rows)
        facts.append(aggregation.collected(as_metric_inputs(*sides).give(metric.needs, key), {}))
    alone, both, times = facts[0], Statistics.concatenate(facts), np.array([[1], [0]])
    assert sampled(key, both, times)[0] == pytest.approx(aggregation.reading(key, alone, {}).score().value, nan_ok=True)
    classes = aggregation.reading(key, alone, {}).class_scores()
    values = sampled(key, both, times, each_class=True)[:, 0] if classes else []
    for name, score in classes.items():
        assert values[aggregation.names(both).index(name)] == pytest.approx(score.value, nan_ok=True)
