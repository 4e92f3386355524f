"""Small examples of internal functions in statistics/."""

from __future__ import annotations

import numpy as np

from segmetry.statistics.bootstrap import interval_of
from segmetry.statistics.difference import benjamini_hochberg, detectable_difference, holm, items_needed, outcomes
from segmetry.statistics.random_draws import _packed, _unpacked, all_swaps, resampled_weights
from segmetry.statistics.rank_tests import cochran_q, paired, rank_test
from segmetry.statistics.ranks import kendall_tau, orders_of, ranks_of
from segmetry.statistics.readings import _consecutive
from segmetry.statistics.wider_rule import Distribution


def test_the_example_of_interval_of() -> None:
    assert interval_of(2.0, np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.5, 2.0, 2.5]), level=0.5).percentile == (
        1.75,
        2.25,
    )


def test_the_example_of_outcomes() -> None:
    assert (
        repr(outcomes("pq", np.array([0.5, 0.1 + 0.2, np.nan]), np.array([0.6, 0.3, 1.0])))
        == "Outcomes(won=1, tied=1, lost=0, undefined=1)"
    )


def test_the_example_of_holm() -> None:
    assert holm([0.01, 0.04, None, 0.03]) == [0.03, 0.06, None, 0.06]


def test_the_example_of_benjamini_hochberg() -> None:
    assert benjamini_hochberg([0.01, 0.04, None, 0.02]) == [0.03, 0.04, None, 0.03]


def test_the_example_of_detectable_difference() -> None:
    assert round(detectable_difference(0.01), 4) == 0.028


def test_the_example_of_items_needed() -> None:
    assert items_needed(100, 0.01, 0.02) == 400


def test_the_example_of_resampled_weights() -> None:
    assert next(resampled_weights(3, 4, seed=1)).T.tolist() == [
        [0.0, 1.0, 2.0],
        [2.0, 0.0, 1.0],
        [2.0, 0.0, 1.0],
        [2.0, 1.0, 0.0],
    ]


def test_the_example_of_packed() -> None:
    assert _unpacked(_packed(np.array([[1.0, 2.0, 15.0]])), 3).tolist() == [[1.0, 2.0, 15.0]]


def test_the_example_of_all_swaps() -> None:
    assert [block.T.tolist() for block in all_swaps(2)] == [[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]


def test_the_example_of_paired() -> None:
    assert repr(paired(np.array([1.0, 2.0, 3.0, -0.5]))).startswith("Paired(n=4, wilcoxon=0.25, cohens_d=0.9")


def test_the_example_of_rank_test() -> None:
    test = rank_test("pq", "abc", np.array([[3.0, 5, 4, 6], [2, 4, 3, 5], [1, 3, 2, 4]]), 0.95, higher=True)
    assert (test.mean_ranks, round(test.statistic, 6), round(test.critical_difference, 3), test.groups()) == (
        (1.0, 2.0, 3.0),
        8.0,
        1.657,
        [("a", "b"), ("b", "c")],
    )


def test_the_example_of_cochran_q() -> None:
    assert [round(one, 4) for one in cochran_q(np.array([0.1, 0.3]), np.array([0.05, 0.05]))] == [8.0, 0.0047]


def test_the_example_of_ranks_of() -> None:
    assert ranks_of(np.array([[0.5], [0.7], [0.5]]), higher=True).T.tolist() == [[2, 1, 2]]


def test_the_example_of_orders_of() -> None:
    assert orders_of(np.array([0.1 + 0.2, 0.3, 0.5])).tolist() == [[0, 0, -1], [0, 0, -1], [1, 1, 0]]


def test_the_example_of_kendall_tau() -> None:
    assert kendall_tau([1, 2, 3], [1, 3, 2]) == 0.3333333333333333


def test_the_example_of_consecutive() -> None:
    assert (
        repr((_consecutive(np.array([3, 4, 5])), _consecutive(np.array([3, 5]))))
        == "(slice(3, 6, None), array([3, 5]))"
    )


def test_the_example_of_distribution_of() -> None:
    made = Distribution.of([0.5, 1.0, 1.0], bins=2)
    assert (made.n, made.mean, made.sd) == (3, 0.8333333333333334, 0.28867513459481287)
    assert (made.quartiles, made.histogram) == ((0.75, 1.0, 1.0), (0, 3))
