"""How many decimals a number is printed with, and where that changes."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from segmetry.protocols.protocol_cells import metric_cell
from segmetry.results.number_format import NumberStyle, counted, number, percent, signed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (math.nan, "–"),
        (0.0, "0.0000"),
        (-0.5, "-0.5000"),
        (99.5, "99.5000"),
        (-99.5, "-99.5000"),
        (100.0, "100.0"),
        (-100.0, "-100.0"),
        (100.25, "100.2"),
        (999.75, "999.8"),
        (math.inf, "inf"),
    ],
)
def test_four_decimals_below_100_and_one_from_there(value: float | None, text: str) -> None:
    assert number(value) == text


def test_the_cell_of_a_metric_says_how_it_is_written() -> None:
    def styled(value: float, key: str, numbers: NumberStyle | None = None) -> str:
        return metric_cell(key, numbers=numbers).text(value)

    assert [styled(value, "pq") for value in (math.nan, 1.0, 0.5)] == ["–", "1.0000", "0.5000"]
    assert [styled(value, "n_matched") for value in (3.0, 3.5, 250.0)] == ["3", "3.5000", "250"]
    assert styled(12.5, "n_matched", NumberStyle(1)) == "12.5"
    assert styled(math.inf, "hausdorff") == "inf"
    in_percent = NumberStyle(2, percent=True)
    assert styled(0.5, "pq", in_percent) == "50.00" and styled(1.0, "pq", in_percent) == "100.00"
    assert styled(0.5, "adjusted_rand_index", in_percent) == "50.00", "from -1 to 1"
    assert styled(0.5, "hausdorff", in_percent) == "0.50", "a distance is no share"
    assert styled(12.0, "n_matched", in_percent) == "12"
    assert styled(-0.00001, "adjusted_rand_index") == "0.0000"
    assert styled(-0.25, "adjusted_rand_index") == "-0.2500"


def test_changes_shares_and_counts() -> None:
    assert [signed(value) for value in (0.5, -0.5, 0.0, 0.00004, -0.00004, 0.00006)] == [
        "+0.5000",
        "-0.5000",
        "0",
        "0",
        "0",
        "+0.0001",
    ]
    assert (signed(None), signed(1.25, 1)) == ("–", "+1.2")
    assert (percent(0.5), percent(1.0)) == ("50.0 %", "100.0 %")
    assert [counted(count, "item") for count in (0, 1, 2)] == ["0 items", "1 item", "2 items"]


@pytest.mark.parametrize("form", [signed, number, lambda value: number(value, 1, percent=True)])
def test_nothing_has_a_sign_and_what_is_undefined_is_a_dash(form: Callable[[float | None], str]) -> None:
    assert form(-1e-9) == form(0.0) and not form(-1e-9).startswith("-")
    assert form(math.nan) == form(None) == "–"
