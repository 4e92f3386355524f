"""Pairs of (category, instance): the native kernel and its numpy twin against counting in Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.pairs import CategoryPairs, count_category_pairs

VALUES = st.sampled_from([0, 1, 2, 255, -1, 2**62, -(2**62)])


@st.composite
def batches(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    shape = (draw(st.integers(1, 3)), draw(st.integers(1, 12)), 2)
    cells = st.lists(VALUES, min_size=shape[0] * shape[1] * 2, max_size=shape[0] * shape[1] * 2)
    true, pred = (np.array(draw(cells), dtype=np.int64).reshape(shape) for _ in range(2))
    return true, pred


def counted_in_python(true: NDArray[Any], pred: NDArray[Any]) -> list[tuple[int, ...]]:
    counts: Counter[tuple[int, ...]] = Counter()
    for item, (first, second) in enumerate(zip(true.tolist(), pred.tolist(), strict=True)):
        counts.update((item, *t, *p) for t, p in zip(first, second, strict=True))
    return sorted((*key, count) for key, count in counts.items())


def rows(pairs: CategoryPairs) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in pairs), strict=True))


@given(batches())
def test_both_versions_count_as_python_does(batch: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    expected = counted_in_python(*batch)
    assert rows(count_category_pairs(*batch)) == expected
    assert rows(numpy_twin(count_category_pairs)(*batch)) == expected


def test_any_integer_type_and_more_axes_are_taken() -> None:
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 3, (2, 3, 4, 5, 2))
    small = count_category_pairs(true.astype(np.uint8), pred.astype(np.int16)[:, ::-1])
    flat = [side.reshape(3, -1, 2) for side in (true, pred[:, ::-1])]
    assert rows(small) == counted_in_python(*flat)


@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        (np.zeros((1, 2, 2), int), np.zeros((1, 3, 2), int), "expected one shape"),
        (np.zeros((1, 2, 3), int), np.zeros((1, 2, 3), int), "expected one shape"),
        (np.zeros((1, 2, 2)), np.zeros((1, 2, 2)), "true has dtype float64"),
    ],
)
def test_other_arrays_are_rejected(true: NDArray[Any], pred: NDArray[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count_category_pairs(true, pred)
