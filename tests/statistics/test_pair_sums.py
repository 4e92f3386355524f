"""Metrics of columns of tallies have the bits of the tallies one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import tally_score
from segmetry.statistics.tally_columns import TallyColumns

KEYS = [key for key, metric in METRICS.items() if metric.sum_over_pairs is not None or metric.quotient is not None]


@pytest.mark.parametrize("key", KEYS)
def test_columns_and_tallies_agree(key: str) -> None:
    random = np.random.default_rng(3)
    tallies = [
        sm.align(
            sm.overlap(random.integers(0, 5, (6, 7)).repeat(3, 1), random.integers(0, 5, (6, 7)).repeat(3, 1))
        ).tally
        for _ in range(12)
    ] + [sm.align(sm.overlap(side, side)).tally for side in ([[0, 0]], [[1, 1]], [[1, 2]])]
    tallies += [sm.align(sm.overlap(*pair)).tally for pair in (([[1, 2]], [[0, 0]]), ([[0, 0]], [[3, 4]]))]
    labels = np.arange(60).repeat(5)
    tallies += [sm.align(sm.overlap(labels, np.roll(labels, shift))).tally for shift in (0, 1, 2)]
    columns = TallyColumns.listed(tallies, tallies[0])
    expected = [tally_score(key, tally, {}) for tally in tallies]
    values = columns.values(key, {}).tolist()
    assert [math.isnan(value) for value in values] == [not score.is_defined for score in expected]
    assert [v for v in values if not math.isnan(v)] == [score.value for score in expected if score.is_defined]
