"""Corrected p-values, detectable differences, and how they are written."""

from __future__ import annotations

import math

import pytest

import segmetry as sm
from segmetry.results.number_format import p_value
from segmetry.statistics.difference import detectable_difference, holm, items_needed


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([0.5, 0.0], [0.5, 0.0]),
        ([0.6, 0.7], [1.0, 1.0]),
        ([0.02, 0.02], [0.04, 0.04]),
        ([None, 0.25, None], [None, 0.25, None]),
        ([0.25, 0.125], [0.25, 0.25]),
        ([], []),
    ],
)
def test_holm(p_values: list[float | None], adjusted: list[float | None]) -> None:
    assert holm(p_values) == adjusted


def test_what_a_data_set_can_detect() -> None:
    """z at 97.5 % is 1.959964, at 80 % 0.841621, at 95 % 1.644854, at 50 % 0."""
    assert detectable_difference(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-6)
    assert detectable_difference(2.0, level=0.9, power=0.5) == pytest.approx(2 * 1.644854, abs=1e-5)


@pytest.mark.parametrize(
    ("difference", "detectable", "needed"),
    [(0.5, 0.25, 25), (-0.5, 0.25, 25), (0.25, 0.5, 400), (0.3, 0.1, 12), (9.0, 0.1, 2), (0.0, 0.1, None)],
)
def test_items_that_a_difference_needs(difference: float, detectable: float, needed: int | None) -> None:
    assert items_needed(100, difference, detectable) == needed
    assert items_needed(100, math.nan, detectable) is None
    assert items_needed(100, 1e-300, 1e300) is None


def test_small_p_values_have_a_bound() -> None:
    assert [p_value(p) for p in (1.0, 0.05, 0.0001, 0.0000999, 0.0)] == [
        "1.0000",
        "0.0500",
        "0.0001",
        "<1e-4",
        "<1e-4",
    ]


def test_a_row_has_both_values_and_none_where_one_is_undefined() -> None:
    true = {"a": [[1, 1, 1, 1]], "b": [[1, 1, 1, 1]]}
    half = {"a": [[1, 1, 1, 2]], "b": [[1, 1, 2, 2]]}
    comparison = sm.compare(*(sm.evaluate(true, pred, metrics="sq") for pred in (true, half)), resamples=100)
    row = comparison.difference("sq", "by_item").to_dict()
    assert (row["first_value"], row["second_value"], row["difference"]) == (1.0, 0.75, -0.25)
    assert (row["won"], row["tied"], row["lost"], row["undefined_items"]) == (0, 0, 1, 1)
    none = {name: [[0, 0, 0, 0]] for name in true}
    comparison = sm.compare(*(sm.evaluate(true, pred, metrics="sq") for pred in (true, none)), resamples=100)
    row = comparison.difference("sq", "by_item").to_dict()
    assert (row["first_value"], row["second_value"], row["difference"], row["p"]) == (1.0, None, None, None)
