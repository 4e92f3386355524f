"""``border``: segments among the outermost elements of an axis are outside, by the definition over sets."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.errors import OptionError
from segmetry.readers.label_reading import read_labels
from segmetry.readers.reader import ReadOptions
from segmetry.segmentation.labels import LabelArray


@given(st.tuples(st.integers(1, 6), st.integers(1, 6)), st.integers(1, 3), st.data())
def test_segments_at_the_border_are_outside(shape: tuple[int, int], width: int, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(0, 5), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    labels = np.array(values).reshape(shape)
    edge = {
        int(labels[place])
        for place in product(*map(range, shape))
        if any(at < width or at >= size - width for at, size in zip(place, shape, strict=True))
    }
    read = read_labels(labels, ReadOptions(border=width))
    assert isinstance(read, LabelArray)
    expected = np.where(np.isin(labels, list(edge - {0})), 0, labels)
    assert np.array_equal(np.asarray(read.labels), expected)


def test_overlapping_unions_have_no_border() -> None:
    with pytest.raises(OptionError, match="border is not supported where unions of labels overlap"):
        read_labels(np.array([[1, 2]]), ReadOptions(union={"a": [1, 2], "b": [2]}, border=1))
