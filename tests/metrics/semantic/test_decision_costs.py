"""Net benefit and expected cost against the four counts of sets of positions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from tests.profiles import examples

LINES = st.integers(1, 10).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([0, 1, 2]), min_size=n, max_size=n)] * 2)
)


@examples(3)
@given(LINES, st.sampled_from([(None, None), (1, 3), ("1/2", 2)]))
def test_costs_are_those_of_the_four_counts(
    pair: tuple[list[int], list[int]], costs: tuple[int | str | None, int | str | None]
) -> None:
    benefits, expected = [], []
    for label in sorted({*pair[0], *pair[1]} - {0}):
        places = [(t == label, p == label) for t, p in zip(*pair, strict=True)]
        tp, fp, fn, tn = (places.count(kind) for kind in ((True, True), (False, True), (True, False), (False, False)))
        benefits.append(Fraction(tp, len(places)) - Fraction(1, 9) * Fraction(fp, len(places)))
        if tp + fn and tn + fp:
            if costs[0] is None or costs[1] is None:
                expected.append(Fraction(fp, tn + fp) + Fraction(fn, tp + fn))
            else:
                a, b = Fraction(costs[0]), Fraction(costs[1])
                expected.append((a * fp + b * fn) / min(b * (tp + fn), a * (tn + fp)))
    benefit = sm.net_benefit(*pair, exchange_rate="1/9")
    cost = sm.expected_cost(*pair, cost_fp=costs[0], cost_fn=costs[1])
    for score, values in ((benefit, benefits), (cost, expected)):
        assert score.is_defined == bool(values)
        if values:
            assert score.value == pytest.approx(float(sum(values) / len(values)))


def test_resamples_of_costs() -> None:
    true, pred = {"a": [[1, 1, 0]], "b": [[1, 0, 2]]}, {"a": [[1, 0, 0]], "b": [[1, 2, 2]]}
    options = {"expected_cost": {"cost_fp": 1, "cost_fn": 2}}
    run = sm.evaluate(true, pred, metrics=["expected_cost", "net_benefit"], options=options, read={"labels": "classes"})
    low, high = run.intervals(rng=1, resamples=100)["expected_cost"]["by_class"].percentile
    assert low <= run.summary()["expected_cost"]["by_class"].value <= high


def test_costs_are_positive_and_stated_together() -> None:
    with pytest.raises(OptionError, match="expected both of them"):
        sm.expected_cost([1, 0], [1, 0], cost_fp=1)
    with pytest.raises(OptionError, match="expected a positive number"):
        sm.net_benefit([1, 0], [1, 0], exchange_rate=0)


def test_costs_with_many_digits_stay_exact() -> None:
    true, pred = np.zeros((2, 5000), dtype=np.int64)
    true[:3000], pred[1000:] = 1, 1
    rate = "0.1111111111111111111"
    assert sm.net_benefit(true, pred, exchange_rate=rate).value == float((2000 - Fraction(rate) * 2000) / 5000)
    cost = (Fraction(rate) * 2000 + 1000) / min(Fraction(3000), Fraction(rate) * 2000)
    assert sm.expected_cost(true, pred, cost_fp=rate, cost_fn=1).value == float(cost)
    beta = Fraction("0.123456789") ** 2
    f = (1 + beta) * 2000 / ((1 + beta) * 2000 + beta * 1000 + 2000)
    assert sm.class_f_beta(true, pred, beta="0.123456789").value == float(f)
