"""The column form of every metric of a tally has the bits of its single form, on random items."""

from __future__ import annotations

import math

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import tally_score
from segmetry.statistics.summary import panoptic_keys
from segmetry.statistics.tally_columns import TallyColumns


def random_columns(n_items: int = 12) -> TallyColumns:
    numbers = np.random.default_rng(3)
    tallies = []
    for _ in range(n_items):
        true = np.repeat(numbers.integers(0, 5, 9), 7)[None]
        pred = np.roll(true, numbers.integers(0, 4)) * numbers.integers(0, 2, true.shape[1]).cumprod()
        tallies.append(sm.align(sm.overlap(true, pred)).tally)
    return TallyColumns.listed(tallies, tallies[0])


def bits(values: np.ndarray) -> list[str]:
    return [float(value).hex() for value in values]


@pytest.mark.parametrize("key", panoptic_keys())
def test_columns_have_the_bits_of_single_scores(key: str) -> None:
    columns = random_columns()
    scores = [tally_score(key, tally, {}) for tally in columns.tallies]
    expected = np.array([score.value if score.is_defined else math.nan for score in scores])
    assert bits(columns.values(key, {})) == bits(expected)
    wanted = np.arange(len(columns)) % 3 > 0
    tops, bottoms, values = columns.fractions(key, {}, wanted)
    assert bits(values) == bits(np.where(wanted, expected, math.nan))
    for parts, name in ((tops, "numerator"), (bottoms, "denominator")):
        own = [float(getattr(score, name) or 0) for score in scores]
        assert bits(parts) == bits(np.where(wanted, own, 0.0))


def test_some_of_these_metrics_are_sums_over_pairs() -> None:
    assert [key for key in panoptic_keys() if METRICS[key].sum_over_pairs is not None]
