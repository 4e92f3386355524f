"""Rows of keys come out in the order of their labels, by the native code and by numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.gpu.device_pairs import ITEM_SHIFT, sort_key_rows
from tests.profiles import examples

SMALL = st.integers(-4, 4)
ANY = st.integers(-(2**31), 2**31 - 1)


@st.composite
def key_rows(draw: st.DrawFn) -> tuple[list[tuple[int, int, int, int]], bool, bool]:
    """Return different rows (item, true label, pred label, count), and which labels are signed."""
    signed = draw(st.booleans()), draw(st.booleans())
    label = draw(st.sampled_from([SMALL, ANY]))
    items = draw(st.sampled_from([st.just(0), st.integers(0, 3), st.integers(0, 2**23 - 1)]))
    sides = [label if is_signed else label.map(lambda value: value + 2**31) for is_signed in signed]
    found = draw(st.lists(st.tuples(items, *sides), unique=True, max_size=60))
    return [(*row, draw(st.integers(1, 2**ITEM_SHIFT - 1))) for row in found], *signed


@pytest.mark.parametrize("function", [sort_key_rows, numpy_twin(sort_key_rows)])
@given(rows=key_rows())
@examples(1)
def test_rows_are_sorted(function: object, rows: tuple[list[tuple[int, int, int, int]], bool, bool]) -> None:
    expected, true_signed, pred_signed = rows
    keys = [(true % 2**32) << 32 | pred % 2**32 for _, true, pred, _ in expected]
    counts = [item << ITEM_SHIFT | count for item, _, _, count in expected]
    columns = (np.array(numbers, dtype=np.uint64).view(np.int64) for numbers in (keys, counts))
    found = function(*columns, true_signed=true_signed, pred_signed=pred_signed)  # type: ignore[operator]
    assert list(zip(*(column.tolist() for column in found), strict=True)) == sorted(expected)
    assert all(column.dtype == np.int64 for column in found)


@pytest.mark.skipif(native is None, reason="the native kernels are not in use here")
@pytest.mark.parametrize("items", [1, 40, 2**23])
def test_many_rows_are_the_same_in_native_code(items: int) -> None:
    numbers = np.random.default_rng(3)
    keys = np.unique(numbers.integers(-(2**62), 2**62, 20_000))
    numbers.shuffle(keys)
    counts = numbers.integers(0, items, keys.size) << ITEM_SHIFT | numbers.integers(1, 99, keys.size)
    both = [f(keys, counts, true_signed=True, pred_signed=False) for f in (sort_key_rows, numpy_twin(sort_key_rows))]
    assert all(np.array_equal(*columns) for columns in zip(*both, strict=True))
