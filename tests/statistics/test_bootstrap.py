"""The interval of a value from its resamples: by hand in small cases, and the reason where there is none."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from segmetry.errors import OptionError
from segmetry.statistics.bootstrap import BIASED, FIRST, Interval, biased_interval, checked_level, interval_of

SPREAD = np.array([0.0, 1.0, 2.0])
NORMAL = NormalDist()


@pytest.mark.parametrize(
    ("value", "left_out", "reason"),
    [
        (math.nan, SPREAD, "undefined"),
        (math.inf, SPREAD, "infinite"),
        (1.0, SPREAD[:1], "one item only: nothing to resample"),
        (1.0, np.array([1.0, math.nan]), "only one item has a value"),
    ],
)
def test_a_value_without_an_interval_says_why(value: float, left_out: Any, reason: str) -> None:
    found = interval_of(value, np.arange(10.0), left_out)
    assert (found.best, found.standard_error, found.n_resamples, found.reason) == (None, None, 0, reason)
    if math.isnan(value):
        assert interval_of(value, np.arange(10.0), left_out, reason="no segments").reason == "no segments"


def test_more_than_half_of_the_resamples_must_have_a_value() -> None:
    half = np.array([1.0, 3.0, math.nan, math.nan])
    found = interval_of(2.0, half, SPREAD)
    assert (found.best, found.n_resamples, found.reason) == (None, 2, "undefined in most resamples")
    more = interval_of(2.0, np.array([1.0, 3.0, 2.0, math.nan, math.nan]), SPREAD, level=0.5)
    assert (more.percentile, more.n_resamples) == ((1.5, 2.5), 3)
    assert more.standard_error == pytest.approx(1.0)


def test_two_items_have_an_interval() -> None:
    assert interval_of(2.0, np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0])).best is not None


@pytest.mark.parametrize("value", [0.5, 9.5])
def test_resamples_on_one_side_of_the_value_have_no_interval(value: float) -> None:
    found = interval_of(value, np.arange(1.0, 10.0), SPREAD, level=0.5)
    assert (found.bca, found.percentile, found.best) == (None, (3.0, 7.0), None)
    assert found.reason == "resamples of the items are biased: nearly all lie on one side of the value"


def test_an_interval_without_its_value_is_not_shown() -> None:
    """One of 1,000 resamples lies below: the corrected quantiles are the least of all, and exclude the value."""
    resampled = np.array([1.0, *np.linspace(6.3, 7.6, 999)])
    found = interval_of(5.9, resampled, SPREAD)
    assert (found.bca, found.best) == (None, None)
    near = interval_of(6.35, resampled, SPREAD)
    assert near.best is not None and near.best[0] <= 6.35 <= near.best[1]


def test_bca_by_hand() -> None:
    """Of 0 to 10 two lie below 2.0, one is equal and counts half; the cubes of -1, -1, 2 are 6, their squares 6."""
    resampled, left_out = np.arange(11.0), np.array([0.0, 0.0, 3.0])
    found = interval_of(2.0, resampled, left_out, level=0.5)
    bias = NORMAL.inv_cdf(2.5 / 11)
    acceleration = -6 / (6 * 6**1.5)
    shares = [
        NORMAL.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))
        for z in (NORMAL.inv_cdf(0.25), NORMAL.inv_cdf(0.75))
    ]
    assert found.bca == pytest.approx([10 * share for share in shares])
    assert (found.percentile, found.reason, found.n_resamples) == ((2.5, 7.5), None, 11)
    assert found.best == found.bca
    assert found.standard_error == pytest.approx(math.sqrt(11))


def test_without_spread_there_is_no_acceleration() -> None:
    found = interval_of(2.0, np.arange(11.0), np.full(3, 7.0), level=0.5)
    bias = NORMAL.inv_cdf(2.5 / 11)
    shares = [NORMAL.cdf(2 * bias + z) for z in (NORMAL.inv_cdf(0.25), NORMAL.inv_cdf(0.75))]
    assert found.bca == pytest.approx([10 * share for share in shares])


def test_resamples_equal_but_for_the_last_digits_count_half() -> None:
    exact = interval_of(0.3, np.array([0.1, 0.3, 0.3, 0.5]), SPREAD)
    noisy = interval_of(0.1 + 0.2, np.array([0.1, 0.3, 0.3, 0.5]), SPREAD)
    assert noisy.bca == pytest.approx(exact.bca)


def test_plain_data() -> None:
    found = Interval(0.5, percentile=(0.25, 0.75), standard_error=0.125, n_resamples=100, reason="why")
    assert found.to_dict() == {
        "value": 0.5,
        "percentile": [0.25, 0.75],
        "bca": None,
        "standard_error": 0.125,
        "n_resamples": 100,
        "reason": "why",
    }
    assert Interval(math.nan, bca=(0.0, 1.0)).to_dict()["value"] is None
    assert Interval(0.5, bca=(0.0, 1.0)).to_dict()["bca"] == [0.0, 1.0]


def test_levels() -> None:
    assert [checked_level(level) for level in (0.5, 0.95, 0.999)] == [0.5, 0.95, 0.999]
    for level in (0.4999, 1, 1.0, True, "0.95", None):
        with pytest.raises(OptionError, match=r"expected a number from 0.5 to less than 1"):
            checked_level(level)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_value_that_the_first_resamples_do_not_reach_has_no_interval(sign: int) -> None:
    """The first thousand decide: what is drawn after them is not looked at, and need not be drawn."""
    first = sign * np.random.default_rng(0).uniform(1, 2, FIRST)
    left_out = np.array([0.1, -0.1, 0.2])
    biased = biased_interval(0.0, first)
    assert biased is not None
    assert biased.reason == BIASED and biased.bca is None and biased.n_resamples == FIRST
    assert biased.percentile == pytest.approx(np.quantile(first, [0.025, 0.975]))
    assert interval_of(0.0, np.concatenate((first, -first)), left_out) == biased
    assert biased_interval(0.0, first[1:]) is None
    few, more = (np.concatenate((-first[:n], first[n:])) for n in (13, 14))
    assert biased_interval(0.0, few) is not None and biased_interval(0.0, few, level=0.99) is None
    assert biased_interval(0.0, more) is None
    assert biased_interval(0.0, np.concatenate(([math.nan], first[1:]))) is None
    assert biased_interval(0.0, np.zeros(FIRST)) is None
