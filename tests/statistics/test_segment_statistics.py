"""Every metric of a tally has, from the statistics of many items, the bits of its single form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import segmetry as sm
from segmetry.alignments.alignment import Alignment
from segmetry.metrics.average import BY_ITEM
from segmetry.metrics.declare import METRICS
from segmetry.metrics.statistics import Statistics
from segmetry.metrics.tally_quotient import segment_counts
from segmetry.testing.contracts import required_options
from tests.statistics.oracle import additive

KEYS = [key for key, metric in METRICS.items() if metric.needs == "tally" and metric.additive is not None]


def alignments() -> list[Alignment]:
    random = np.random.default_rng(3)
    pairs = [[random.integers(0, 5, (6, 7)).repeat(3, 1) for _ in range(2)] for _ in range(12)]
    for _ in range(12):
        true = np.repeat(random.integers(0, 5, 9), 7)[None]
        pairs.append([true, np.roll(true, random.integers(0, 4)) * random.integers(0, 2, true.shape[1]).cumprod()])
    pairs += [[np.array(side), np.array(side)] for side in ([[0, 0]], [[1, 1]], [[1, 2]])]
    pairs += [[np.array([[1, 2]]), np.array([[0, 0]])], [np.array([[0, 0]]), np.array([[3, 4]])]]
    labels = np.arange(60).repeat(5)
    pairs += [[labels, np.roll(labels, shift)] for shift in (0, 1, 2)]
    return [sm.align(sm.overlap(*pair)) for pair in pairs]


@pytest.mark.parametrize("key", KEYS)
def test_statistics_and_tallies_agree(key: str) -> None:
    found = alignments()
    every = Statistics.concatenate([segment_counts(alignment) for alignment in found])
    options = required_options(METRICS[key])
    expected = [METRICS[key].compute(alignment.tally, **options) for alignment in found]
    values = additive(key).reading(key, every, options, BY_ITEM).item_values().tolist()
    assert [math.isnan(value) for value in values] == [not score.is_defined for score in expected]
    assert [v for v in values if not math.isnan(v)] == [score.value for score in expected if score.is_defined]
    for score, own in zip(additive(key).reading(key, every, options, BY_ITEM).item_scores(), expected, strict=True):
        assert score is not None and isinstance(own, sm.Score)
        assert score.details == own.details
        assert (score.numerator, score.denominator, score.reason) == (own.numerator, own.denominator, own.reason)


def test_some_of_these_metrics_add_up_another_value_of_a_pair_than_its_iou() -> None:
    assert [key for key in KEYS if (quotient := METRICS[key].quotient) is not None and quotient.pairs is not None]
