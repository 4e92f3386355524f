"""Intervals of medians: between two order statistics, with a coverage that holds for every distribution."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import segmetry as sm
from segmetry.statistics import means_of_clusters, median_interval, paired


def _brute_place(n: int, level: float) -> int:
    """The largest l for which the l-th smallest and largest of n values miss the median in at most 1 − level."""
    place = 0
    while place < n // 2 and 2 * sum(comb(n, k) for k in range(place + 1)) / 2**n <= 1 - level:
        place += 1
    return place


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [*range(1, 30), 100])
def test_the_ends_are_the_order_statistics_of_the_sign_test(n: int, level: float) -> None:
    values = np.random.default_rng(n).normal(size=n)
    found, place = median_interval(np.append(values, np.nan), level), _brute_place(n, level)
    assert found.value == np.median(values)
    ordered = np.sort(values)
    assert found.best == ((ordered[place - 1], ordered[-place]) if place else None)
    assert (found.reason is None) == bool(place)


def test_the_reason_names_the_number_of_values_that_is_enough() -> None:
    reason = median_interval(np.arange(5.0)).reason
    assert reason is not None and reason.startswith("fewer than 6 values")
    assert median_interval(np.arange(6.0)).best == (0.0, 5.0)
    assert median_interval(np.array([np.nan])).reason == "no item has a value"


@pytest.mark.parametrize("n", [6, 10, 25])
def test_the_coverage_is_at_least_the_level_for_a_skewed_distribution(n: int) -> None:
    numbers = np.random.default_rng(n)
    found = [median_interval(numbers.exponential(size=n)).best for _ in range(2000)]
    covered = np.mean([low <= np.log(2) <= high for low, high in filter(None, found)])
    assert covered >= 0.94


def test_items_and_clusters_have_their_medians() -> None:
    true = {f"{at}": [[1, 1, 1, 1]] for at in range(8)}
    pred = {name: [[1] * (1 + int(name) % 4) + [0] * (3 - int(name) % 4)] for name in true}
    run = sm.evaluate(true, pred, metrics="rand_index,n_true,n_pred")
    values = np.array([row["rand_index"] for row in run.items()])
    patients = sm.ByItem("patient", {name: int(name) // 2 for name in true})
    assert run.intervals(resamples=100).medians["rand_index"].value == np.median(values)
    run.cluster = patients
    means = values.reshape(4, 2).mean(axis=1)
    assert run.intervals(resamples=100).medians["rand_index"].value == pytest.approx(np.median(means))
    assert run.intervals(resamples=100).n_units == 4
    assert [run.summary()[key].usual.value for key in ("n_true", "n_pred")] == [8, 8]


def test_the_median_of_a_difference_is_that_of_the_pairs() -> None:
    gaps = np.array([0.1, -0.2, 0.3, np.nan, 0.5, 0.7, 0.9, 0.2])
    assert paired(gaps).median == median_interval(gaps)
    assert means_of_clusters(gaps[None], None)[0] is not None
    together = means_of_clusters(np.array([[1.0, 3.0, np.nan, 5.0], [1.0, 4.0, 1.0, 6.0]]), np.array([0, 0, 1, 2]))
    assert np.array_equal(together, [[2.0, np.nan, 5.0], [2.5, np.nan, 6.0]], equal_nan=True)
