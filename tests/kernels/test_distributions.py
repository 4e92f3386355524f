"""Moments, counts and ranks of a distribution: native code against the numpy twin against numpy's own functions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.statistics.draws import (
    at_ranks,
    count_up_to,
    moments,
)
from tests.profiles import examples

VALUES = st.lists(st.one_of(st.integers(0, 5).map(float), st.floats(-1e3, 1e3)), min_size=1, max_size=300)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 127, 128, 129, 143, 144, 1000, 9999, 10_000])
def test_moments_to_the_bit(size: int) -> None:
    """The native kernel adds in the order in which numpy adds; before 2.3 it added 8,192 values at a time."""
    in_parts = size > 8192 and np.lib.NumpyVersion(np.__version__) < "2.3.0"
    rng = np.random.default_rng(size)
    for values in (rng.random(size), rng.normal(1e3, 1e-3, size)):
        found, expected = moments(values), numpy_twin(moments)(values)
        assert found == (pytest.approx(expected, rel=1e-9, abs=1e-12) if in_parts else expected)
        assert found.mean == values.mean()
        assert found.squares / size == pytest.approx(values.var(), rel=1e-12)
        assert found.cubes == pytest.approx(((values - values.mean()) ** 3).sum(), rel=1e-9, abs=1e-12)


def test_a_value_that_is_missing_shows_in_the_mean() -> None:
    values = np.array([1.0, np.nan, 2.0])
    assert all(np.isnan(which(values).mean) for which in (moments, numpy_twin(moments)))


@given(VALUES, st.floats(-10, 10), st.floats(-10, 10))
def test_counts(values: list[float], below: float, up_to: float) -> None:
    expected = sum(one < below for one in values), sum(one <= up_to for one in values)
    assert count_up_to(np.array(values), below, up_to) == expected
    assert numpy_twin(count_up_to)(np.array(values), below, up_to) == expected


@given(VALUES, st.sets(st.integers(0, 299), max_size=8), st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
@examples(2)
def test_ranks_whatever_the_bounds(values: list[float], wanted: set[int], low: float, high: float) -> None:
    ranks = sorted(rank for rank in wanted if rank < len(values))
    expected = [sorted(values)[rank] for rank in ranks]
    for which in (at_ranks, numpy_twin(at_ranks)):
        assert which(np.array(values), ranks, low, high) == expected


@pytest.mark.skipif(native is None, reason="the arguments are checked by the native kernel")
def test_ranks_that_are_none() -> None:
    for ranks in ([2], [1, 0]):
        with pytest.raises(ValueError, match="must rise and be smaller"):
            at_ranks(np.array([1.0, 2.0]), ranks, 0.0, 0.0)
    with pytest.raises(ValueError, match="there must be a value"):
        moments(np.empty(0))
