"""Numbering labels of lines against Python's dictionaries, with the kernel in use and with its twin."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.errors import LabelTypeError
from segmetry.kernels import backend
from segmetry.kernels.label_arrays import as_label_array, dense_labels, number_labels

texts = st.text(st.characters(codec="utf-8"), max_size=3) | st.sampled_from(["O", "B-PER", "é", "é", "𐍈", ""])


@pytest.fixture(params=["in use", "twin"], autouse=True)
def kernel(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test runs with the kernel in use and with the numpy twin."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "twin":
            patch.setattr(backend, "native", None)
        yield


@given(st.lists(st.lists(texts, max_size=6) | st.lists(texts, max_size=6).map(tuple), max_size=5))
def test_each_text_is_the_number_of_its_first_occurrence(lines: list[list[str]]) -> None:
    numbered = number_labels(lines)
    every = [text for line in lines for text in line]
    distinct = list(dict.fromkeys(every))
    assert numbered.labels == distinct
    assert numbered.codes.tolist() == [distinct.index(text) for text in every]
    assert numbered.lengths.tolist() == [len(line) for line in lines]


def test_many_texts_and_equal_texts_of_other_objects() -> None:
    lines = [[f"label {number}" for number in range(1000)] for _ in range(2)]
    numbered = number_labels(lines)
    assert numbered.codes.tolist() == [*range(1000)] * 2 and len(numbered.labels) == 1000


def test_labels_of_any_kind() -> None:
    assert number_labels([[1, "1", None], ((1, 2), 1.0)]).codes.tolist() == [0, 1, 2, 3, 0]
    assert number_labels(["ab", "ba"]).codes.tolist() == [0, 1, 1, 0]
    with pytest.raises(TypeError):
        number_labels([[["a"]]])


def test_the_example_of_as_label_array() -> None:
    assert as_label_array([[0, 7], [7, 7]]).dtype.kind == "i"
    with pytest.raises(
        LabelTypeError, match=re.escape("labels are float64, expected integers or booleans; convert them first")
    ):
        as_label_array([0.0, 1.0])


def test_the_example_of_dense_labels() -> None:
    ids, dense = dense_labels(np.array([[9, 2], [9, 9]]))
    assert (ids.tolist(), dense.tolist()) == ([2, 9], [[1, 0], [1, 1]])
