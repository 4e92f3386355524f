"""Ranks of systems, and how often resamples keep them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from segmetry.statistics.ranks import orders_of, rank_stability, ranks_of


@pytest.mark.parametrize(
    ("first", "second", "order"),
    [
        (0.0, 0.0, 0),
        (-0.5, -0.5, 0),
        (1.0, 1.0 + 1e-13, 0),
        (1.0, 1.0 + 1e-11, -1),
        (-1.0, -1.0 - 1e-11, 1),
        (1e-20, 0.0, 1),
        (math.nan, 0.5, 0),
    ],
)
def test_values_that_agree_to_twelve_digits_are_equal(first: float, second: float, order: int) -> None:
    assert orders_of(np.array([first, second])).tolist() == [[0, order], [-order, 0]]


def test_equal_values_share_the_better_rank() -> None:
    values = np.array([[0.5, 0.0], [0.7, 0.0], [0.5, 0.0], [0.1, -1.0]])
    assert ranks_of(values, higher=True).T.tolist() == [[2, 1, 2, 4], [1, 1, 1, 4]]
    assert ranks_of(values, higher=False).T.tolist() == [[2, 4, 2, 1], [2, 2, 2, 1]]


def test_shares_of_ranks_are_those_of_the_resamples_with_all_values() -> None:
    drawn = [np.array([0.5, 0.9, 0.5, 0.1, math.nan]), np.array([0.6, 0.8, 0.5, 0.2, 0.3])]
    stable = rank_stability("pq", "by_item", ["a", "b"], [0.5, 0.6], drawn, higher=True)
    assert stable is not None and stable.to_dict() == {
        "key": "pq",
        "average": "by_item",
        "ranks": {"a": 2, "b": 1},
        "shares": {"a": [0.5, 0.5], "b": [0.75, 0.25]},
        "same_order": 0.5,
        "n_resamples": 4,
    }
    low = rank_stability("pk", "by_item", ["a", "b"], [0.5, 0.6], drawn, higher=False)
    assert low is not None and (low.ranks, low.same_order) == ((1, 2), 0.5)


def test_a_system_without_a_value_has_no_rank() -> None:
    drawn = [np.array([0.5]), np.array([0.6])]
    assert rank_stability("pq", "by_item", ["a", "b"], [0.5, math.nan], drawn, higher=True) is None
    drawn = [np.array([math.nan, 0.5]), np.array([0.5, math.nan])]
    assert rank_stability("pq", "by_item", ["a", "b"], [0.5, 0.6], drawn, higher=True) is None
