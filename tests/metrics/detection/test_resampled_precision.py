"""The average precision of many samples at once equals that of each sample, with and without equal scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.average import BY_ITEM_OF_CLASSES
from segmetry.metrics.declare import METRICS
from segmetry.metrics.detection.detections import detections
from segmetry.metrics.statistics import Statistics

KEY = "average_precision"


def data_set(seed: int, *, ties: bool) -> Statistics:
    rng = np.random.default_rng(seed)
    items = []
    for _ in range(6):
        sides: list[Any] = []
        for scored in (False, True):
            n = int(rng.integers(0, 5))
            dense = np.zeros((n, 4, 9), dtype=bool)
            for mask in dense:
                top, left = rng.integers(0, 2), rng.integers(0, 4)
                mask[top : top + 3, left : left + int(rng.integers(3, 6))] = True
            classes = {number + 1: int(rng.choice([1, 2])) for number in range(n)}
            scores = {"scores": rng.choice([0.3, 0.8], n) if ties else rng.random(n)} if scored else {}
            sides.append(sm.Masks.from_dense(dense, classes=classes, **scores))
        items.append(detections(*sides))
    return Statistics.of(items)


@pytest.mark.parametrize("key", [KEY, "average_recall"])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_every_sample_is_the_data_set_of_its_images(seed: int, ties: bool, key: str) -> None:
    statistics, options = data_set(seed, ties=ties), {"thresholds": [0.3, 0.5, 0.7]}
    times = np.random.default_rng(seed).integers(0, 4, (6, 25))
    times[:, 0], times[:, 1] = 0, 1
    aggregation = METRICS[key].statistics
    assert aggregation is not None
    alone = [statistics.select(np.repeat(np.arange(6), column)) for column in times.T]
    values = [aggregation.reading(key, one, options).score().value for one in alone]
    together = aggregation.reading(key, statistics, options).ranked(times)
    assert together[0].tolist() == pytest.approx(values, rel=1e-12, nan_ok=True)
    assert math.isnan(values[0]) and len(set(values[1:])) > 5
    by_class = aggregation.reading(key, statistics, options, each_class=True).ranked(times)
    for column, one in zip(by_class.T, alone, strict=True):
        scores = aggregation.reading(key, one, options).class_scores()
        expected = [scores[name].value if name in scores else math.nan for name in aggregation.names(statistics)]
        assert column.tolist() == pytest.approx(expected, rel=1e-12, nan_ok=True)
    first = frozenset(aggregation.names(statistics)[:1])
    assert aggregation.reading(key, statistics, options, classes=first).ranked(times)[0].tolist() == pytest.approx(
        by_class[0].tolist(), nan_ok=True
    )
    items = aggregation.reading(key, statistics, options, BY_ITEM_OF_CLASSES, classes=first).item_values()
    drawn = aggregation.reading(key, statistics, options, classes=first).ranked(np.eye(6))[0]
    assert items.tolist() == pytest.approx(drawn.tolist(), rel=1e-12, nan_ok=True)
