"""Exact numbers stay exact where floats and int64 would not."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry._base.exact import exact_sum, fraction, fraction_in, ratio, sum_by
from segmetry.errors import OptionError


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
