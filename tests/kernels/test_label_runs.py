"""Pairs counted from runs, against pairs counted from elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.pairs import (
    LabelRunLengths,
    count_pairs,
    count_run_length_pairs,
    label_run_lengths,
    run_length_sizes,
)
from tests.profiles import examples

LABELS = st.sampled_from([-(2**63), -3, 0, 1, 2, 7, 2**24, 2**63 - 1])


def rows_of(found: Any) -> list[tuple[int, int, int]]:
    return list(zip(*(column.tolist() for column in found), strict=True))


@given(st.lists(st.tuples(LABELS, LABELS, st.integers(1, 70)), min_size=1, max_size=40))
@examples(2)
def test_runs_are_counted_as_elements_are(parts: list[tuple[int, int, int]]) -> None:
    true, pred = (np.repeat([part[side] for part in parts], [part[2] for part in parts]) for side in (0, 1))
    expected = rows_of(numpy_twin(count_pairs)(true, pred))
    for count in (count_run_length_pairs, numpy_twin(count_run_length_pairs)):
        assert rows_of(count(label_run_lengths(true), label_run_lengths(pred))) == expected


@given(st.lists(st.tuples(LABELS, st.integers(1, 70)), min_size=1, max_size=40))
@examples(2)
def test_sizes_of_labels(parts: list[tuple[int, int]]) -> None:
    labels = np.repeat([label for label, _ in parts], [n for _, n in parts])
    expected = [[int(label), labels.tolist().count(label)] for label in sorted({label for label, _ in parts})]
    for count in (run_length_sizes, numpy_twin(run_length_sizes)):
        values, counts = count(label_run_lengths(labels))
        assert np.column_stack((values, counts)).tolist() == expected
        assert values.dtype == counts.dtype == np.int64


def test_runs_may_touch_others_of_the_same_label() -> None:
    cut = LabelRunLengths(np.array([1, 3, 4]), np.array([5, 5, 2]))
    for count in (count_run_length_pairs, numpy_twin(count_run_length_pairs)):
        assert rows_of(count(cut, label_run_lengths(np.array([5, 5, 5, 5])))) == [(2, 5, 1), (5, 5, 3)]


def test_many_pairs() -> None:
    rng = np.random.default_rng(3)
    true, pred = rng.integers(0, 3000, 20_000), rng.integers(-1500, 1500, 20_000)
    assert rows_of(count_run_length_pairs(label_run_lengths(true), label_run_lengths(pred))) == rows_of(
        numpy_twin(count_pairs)(true, pred)
    )


def test_lengths_must_be_equal() -> None:
    for count in (count_run_length_pairs, numpy_twin(count_run_length_pairs)):
        with pytest.raises(ValueError, match="the same number of elements"):
            count(label_run_lengths(np.array([1, 1])), label_run_lengths(np.array([1])))


@pytest.mark.skipif(native is None, reason="only the native kernel checks its arguments")
@pytest.mark.parametrize("stops", [[0, 3], [2, 2, 3], [3, 1, 3], [-1, 3]])
def test_stops_must_rise(stops: list[int]) -> None:
    wrong = LabelRunLengths(np.array(stops), np.zeros(len(stops), np.int64))
    with pytest.raises(ValueError, match="must rise"):
        count_run_length_pairs(wrong, label_run_lengths(np.zeros(3, int)))
    with pytest.raises(ValueError, match="must rise"):
        run_length_sizes(wrong)
    with pytest.raises(ValueError, match="as many stops as labels"):
        count_run_length_pairs(
            LabelRunLengths(np.array([3]), np.zeros(2, np.int64)), label_run_lengths(np.zeros(3, int))
        )
