"""Metrics with equal cells (a class in an item) share their sums; those with other cells do not."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.statistics import Stack


def _run(second: int) -> sm.Run:
    true = {"a": [[1, 1, 2, 2]], "b": [[1, 2, 2, 2]]}
    pred = {"a": [[1, 1, 1, 2]], "b": [[1, 1, 2, 2]]}
    classes = {"a": {1: "x", 2: "y"}, "b": {1: "x", 2: "xy"[second]}}
    sides = [{name: sm.LabelArray(one, classes=classes[name]) for name, one in side.items()} for side in (true, pred)]
    return sm.evaluate(*sides, metrics="pq,sq_dice,n_true")


def test_readings_of_equal_and_of_other_cells_keep_their_values() -> None:
    sources = [run.data.sorted() for run in (_run(0), _run(1))]
    readings = [data.reading(key, "by_class") for data in sources for key in ("pq", "sq_dice")]
    stack = Stack(readings, 2)
    for weights in ([1.0, 1.0], [2.0, 0.0], [0.0, 1.0]):
        column = np.array(weights)[:, None]
        alone = [Stack([reading], 2).values(column)[0] for reading in readings]
        for together, own in zip(stack.values(column), alone, strict=True):
            assert together == pytest.approx(own)
    whole = [values[0, 0] for values in stack.values(np.ones((2, 1)))]
    assert whole == pytest.approx([reading.score().value for reading in readings])
