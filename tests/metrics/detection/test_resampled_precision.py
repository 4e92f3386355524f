"""The average precision of many samples at once equals that of each sample, with and without equal scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS

KEY = "average_precision"


def data_set(seed: int, *, ties: bool) -> sm.Run:
    rng = np.random.default_rng(seed)
    true, pred = {}, {}
    for at in range(6):
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
        true[f"{at}"], pred[f"{at}"] = sides
    return sm.evaluate(true, pred, metrics=KEY, resolve="keep", options={KEY: {"thresholds": [0.3, 0.5, 0.7]}})


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_every_sample_is_that_of_combine(seed: int, ties: bool) -> None:
    columns = data_set(seed, ties=ties).columns.accumulated[KEY]
    times = np.random.default_rng(seed).integers(0, 4, (6, 25))
    times[:, 0], times[:, 1] = 0, 1
    accumulator = METRICS[KEY].accumulator
    assert accumulator is not None
    alone = [columns.combined(columns.collected.drawn(column)).value.value for column in times.T]
    together = accumulator.values(columns.collected, times, columns.options)
    assert together.tolist() == pytest.approx(alone, rel=1e-12, nan_ok=True)
    assert math.isnan(alone[0]) and len(set(alone[1:])) > 5
