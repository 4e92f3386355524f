"""Sums of groups have the bits of math.fsum, and numbers are ordered by group, natively and in numpy."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.kernels.statistics import group_sums as group_sums_module
from segmetry.kernels.statistics.group_sums import LARGEST, group_order, group_sums, group_sums_numpy, rounded_sum
from tests.profiles import examples

NUMBERS = st.one_of(
    st.floats(0, 1),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300),
    st.sampled_from([0.0, -0.0, 1.0, 2.0**-53, 2.0**-54, 1 + 2.0**-52, 5e-324, -5e-324, 1e100, -1e100]),
)


@examples(2)
@given(st.lists(st.lists(NUMBERS, max_size=8), max_size=6))
def test_every_sum_is_exactly_rounded(groups: list[list[float]]) -> None:
    values = np.array([value for group in groups for value in group], dtype=np.float64)
    starts = np.cumsum([0, *map(len, groups)])
    expected = [math.fsum(group) for group in groups]
    for sums in (group_sums, group_sums_numpy):
        assert [value.hex() for value in sums(values, starts).tolist()] == [value.hex() for value in expected]


def test_groups_of_every_size_and_halfway_cases() -> None:
    random = np.random.default_rng(0)
    sizes = [*range(LARGEST + 3), 1000, 3, 3]
    values = random.random(sum(sizes)) * 2.0 ** random.integers(-60, 3, sum(sizes))
    values[-6:] = [1.0, 2.0**-53, 2.0**-106, 1.0, 2.0**-53, -(2.0**-106)]
    starts = np.cumsum([0, *sizes])
    expected = [math.fsum(values[a:b].tolist()) for a, b in pairwise(starts.tolist())]
    assert group_sums(values, starts).tolist() == group_sums_numpy(values, starts).tolist() == expected
    assert rounded_sum(values) == math.fsum(values.tolist())
    assert expected[-2:] == [1 + 2.0**-52, 1.0]


def test_undefined_numbers_stay_undefined() -> None:
    assert np.isnan(group_sums(np.array([0.5, np.nan, 0.25]), np.array([0, 2, 3]))).tolist() == [True, False]


def test_infinite_numbers_and_overflows_are_as_in_python() -> None:
    assert group_sums(np.array([1.0, np.inf, 2.0]), np.array([0, 2, 3])).tolist() == [np.inf, 2.0]
    assert group_sums(np.array([1.7e308, 1e308, -1.7e308]), np.array([0, 0])).tolist() == [0.0]
    with pytest.raises(OverflowError):
        group_sums(np.array([1.7e308, 1e308]), np.array([0, 2]))


@given(st.lists(st.integers(0, 4), max_size=12))
def test_the_order_by_group_is_stable(groups: list[int]) -> None:
    column = np.array(groups, dtype=np.int64)
    expected = sorted(range(len(groups)), key=groups.__getitem__)
    for kernel in (group_sums_module.native, None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(group_sums_module, "native", kernel)
            order, starts = group_order(column, 5)
        assert order.tolist() == expected
        assert starts.tolist() == [sum(group < at for group in groups) for at in range(6)]


def test_the_example_of_group_order() -> None:
    assert repr(group_order(np.array([2, 0, 2]), 3)) == "(array([1, 0, 2]), array([0, 1, 1, 3]))"


def test_the_example_of_rounded_sum() -> None:
    assert rounded_sum(np.array([1e100, 1.0, -1e100])) == 1.0
