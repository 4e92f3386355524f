"""Distinct values by sorting are those of a Python set."""

from __future__ import annotations

from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from segmetry._base.exact import distinct
from tests.profiles import examples


@examples(2)
@given(hnp.arrays(st.sampled_from(["i8", "u4", "u1"]), st.integers(0, 40), elements=st.integers(0, 9)))
def test_values_come_once_and_in_order(values: NDArray[object]) -> None:
    assert distinct(values).tolist() == sorted(set(values.tolist()))  # type: ignore[type-var]
    assert distinct(values).dtype == values.dtype  # type: ignore[type-var]
