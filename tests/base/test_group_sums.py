"""Sums of groups have the bits of math.fsum."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from segmetry._base.group_sums import LARGEST, group_sums
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
    assert [value.hex() for value in group_sums(values, starts).tolist()] == [value.hex() for value in expected]


def test_groups_of_every_size_and_halfway_cases() -> None:
    random = np.random.default_rng(0)
    sizes = [*range(LARGEST + 3), 1000, 3, 3]
    values = random.random(sum(sizes)) * 2.0 ** random.integers(-60, 3, sum(sizes))
    values[-6:] = [1.0, 2.0**-53, 2.0**-106, 1.0, 2.0**-53, -(2.0**-106)]
    starts = np.cumsum([0, *sizes])
    expected = [math.fsum(values[a:b].tolist()) for a, b in pairwise(starts.tolist())]
    assert group_sums(values, starts).tolist() == expected
    assert expected[-2:] == [1 + 2.0**-52, 1.0]


def test_undefined_numbers_stay_undefined() -> None:
    assert np.isnan(group_sums(np.array([0.5, np.nan, 0.25]), np.array([0, 2, 3]))).tolist() == [True, False]
