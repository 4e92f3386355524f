"""Exact numbers stay exact where floats and int64 would not."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry._base.checked_options import check_choice, checked_integer, whole_number
from segmetry._base.exact import (
    common_step,
    exact_sum,
    fraction,
    fraction_in,
    is_new,
    magnitude_bound,
    products_fit,
    range_positions,
    ratio,
    sum_by,
    widest,
)
from segmetry.errors import LONGEST_MESSAGE, OptionError, list_some, printable, visible


@pytest.mark.parametrize("written", [0.8, "0.8", "4/5", Decimal("0.8"), Fraction(4, 5), np.float64(0.8)])
def test_thresholds_have_the_exact_value_of_their_text(written: object) -> None:
    assert fraction(written) == Fraction(4, 5)  # type: ignore[arg-type]


@pytest.mark.parametrize("written", ["", "x", "1/0", True, float("nan"), float("inf"), None])
def test_thresholds_that_are_not_numbers(written: object) -> None:
    with pytest.raises(OptionError, match="threshold is"):
        fraction(written)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("low", "high", "value", "fits"), [(0, 1, "1", True), (0, 1, "1.0000001", False), (0, None, "9", True)]
)
def test_ranges(low: int, high: int | None, value: str, fits: bool) -> None:
    if fits:
        assert fraction_in(value, "x", low, high) == Fraction(value)
    else:
        with pytest.raises(OptionError, match="x is"):
            fraction_in(value, "x", low, high)


@given(st.lists(st.tuples(st.integers(0, 2**62), st.integers(1, 2**62)), min_size=1, max_size=5))
def test_ratio_is_correctly_rounded(parts: list[tuple[int, int]]) -> None:
    top, bottom = (np.array(column, dtype=np.int64) for column in zip(*parts, strict=True))
    assert ratio(top, bottom).tolist() == [a / b for a, b in parts]


def test_ratio_with_denominator_zero_is_nan() -> None:
    assert math.isnan(ratio(np.array([1]), np.array([0]))[0])


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(1, 99)), max_size=9))
def test_exact_sum(parts: list[tuple[int, int]]) -> None:
    tops, bottoms = [a for a, _ in parts], [b for _, b in parts]
    assert exact_sum(tops, bottoms) == sum((Fraction(a, b) for a, b in parts), Fraction(0))


@pytest.mark.parametrize("scale", [1, 2**53 + 1])
def test_sum_by_is_exact_beyond_floats(scale: int) -> None:
    values = np.array([scale, 1, 1], dtype=np.int64)
    assert sum_by(np.array([0, 0, 2]), values, 3).tolist() == [scale + 1, 0, 1]


def test_the_example_of_check_choice() -> None:
    with pytest.raises(OptionError, match=re.escape("over is 'lines'; expected 'elements' or 'pairs'")):
        check_choice("over", "lines", ("elements", "pairs"))


def test_the_example_of_checked_integer() -> None:
    with pytest.raises(
        OptionError, match=re.escape("margin is 2.5; expected an integer number of elements, 0 or more")
    ):
        checked_integer("margin", 2.5, 0, "number of elements, 0 or more")


def test_the_example_of_whole_number() -> None:
    assert whole_number("radius", 2.0, 0, "elements") == 2
    with pytest.raises(OptionError, match=re.escape("radius is 'far'; expected a number of elements, 0 or more")):
        whole_number("radius", "far", 0, "elements")


def test_the_example_of_common_step() -> None:
    assert common_step(Fraction(1, 4), Fraction(1, 10)) == Fraction(1, 20)


def test_the_example_of_products_fit() -> None:
    assert (products_fit(2**30, 2**31), products_fit(2**31, 2**31)) == (True, False)


def test_the_example_of_widest() -> None:
    assert widest(np.array([3, -7]), np.array([], dtype=np.int64)) == 7


def test_the_example_of_magnitude_bound() -> None:
    assert (magnitude_bound(np.array([5, 2]), np.array([], dtype=np.int64)), magnitude_bound(np.array([3, -7]))) == (
        7,
        7,
    )


def test_the_example_of_sum_by() -> None:
    assert sum_by(np.array([0, 2, 0]), np.array([1, 2, 3]), 3).tolist() == [4, 0, 2]


def test_the_example_of_is_new() -> None:
    assert is_new(np.array([1, 1, 1, 2]), np.array([5, 5, 6, 6])).tolist() == [True, False, True, True]


def test_the_example_of_range_positions() -> None:
    assert range_positions(np.array([5, 0, 8]), np.array([2, 0, 3])).tolist() == [5, 6, 8, 9, 10]


def test_the_example_of_printable() -> None:
    assert (printable("item a\x1b[2J\nb"), printable("a\xa0b")) == ("item a\\x1b[2J\\nb", "a\\xa0b")
    assert len(printable("a" * 10**6)) <= LONGEST_MESSAGE


def test_the_example_of_visible() -> None:
    assert (visible("a\x1b[2Jb"), visible("100\u2009µm")) == ("a\\x1b[2Jb", "100\u2009µm")


def test_the_example_of_list_some() -> None:
    assert (list_some("abc"), list_some("abc", most=2), list_some([])) == ("a, b, c", "a, b …", "")
