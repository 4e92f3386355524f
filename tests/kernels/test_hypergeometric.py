"""Expected divergences of overlaps: native and numpy kernels give the same bits, and logarithms are those of math."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.statistics.hypergeometric import (
    SizePairs,
    expected_divergences,
    log1p,
)
from tests.profiles import examples

SIZES = st.one_of(st.integers(2, 40), st.integers(2, 5000), st.integers(2, 2**31)).flatmap(
    lambda n: st.tuples(st.integers(1, n - 1), st.integers(1, n - 1), st.just(n))
)


def pairs_of(sizes: list[tuple[int, int, int]]) -> SizePairs:
    columns = [(a, b, n, a * b // n, a * b % n / n) for a, b, n in sizes]
    return SizePairs(*np.array(columns, dtype=np.float64).reshape(-1, 5).T.copy())


@examples(2)
@given(st.lists(SIZES, max_size=8))
def test_native_and_numpy_are_bit_identical(sizes: list[tuple[int, int, int]]) -> None:
    pairs = pairs_of(sizes)
    assert expected_divergences(pairs).tobytes() == numpy_twin(expected_divergences)(pairs).tobytes()


@examples(2)
@given(SIZES)
def test_a_pair_does_not_depend_on_its_company(size: tuple[int, int, int]) -> None:
    company = [size, (1, 1, 2), (1000, 2000, 5000), (30, 30, 40)]
    assert (
        numpy_twin(expected_divergences)(pairs_of(company))[0] == numpy_twin(expected_divergences)(pairs_of([size]))[0]
    )


@given(st.floats(-1, 1e300, exclude_min=True, allow_subnormal=False))
def test_logarithms_are_those_of_the_library(u: float) -> None:
    assert log1p(np.array([u]))[0] == pytest.approx(math.log1p(u), rel=1e-15, abs=0)


@pytest.mark.skipif(native is None, reason="checks of the native kernel")
def test_columns_that_are_not_sizes_are_rejected() -> None:
    assert native is not None
    one = np.ones(1)
    with pytest.raises(ValueError, match="same length"):
        native.expected_divergences(one, one, one, one, np.ones(2))
    for a, n, floor in ((0.0, 4.0, 1.0), (5.0, 4.0, 1.0), (2.0, np.nan, 1.0), (2.0, np.inf, 1.0), (2.0, 4.0, 9.0)):
        with pytest.raises(ValueError, match="between 0 and n"):
            native.expected_divergences(*(np.array([x]) for x in (a, 2.0, n, floor, 0.0)))
