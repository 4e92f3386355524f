"""One-pixel boundaries and near pixels: native and numpy versions against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as from_numpy
from numpy.typing import NDArray

from segmetry.errors import InputError
from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.segment_measures import (
    Boundaries,
    count_near,
    label_boundaries,
)
from tests.profiles import examples

IDS = [1, 2, 9]
IMAGES = from_numpy.arrays(
    st.sampled_from([np.uint8, np.int16, np.uint32, np.int64]),
    st.tuples(st.integers(1, 7), st.integers(1, 7)),
    elements=st.sampled_from([0, 1, 2, 3]),
)


def defined(image: NDArray[np.int64], number: int) -> list[int]:
    """The pixels whose block of 2 × 2 within the image is partly of this label."""
    rows, length = image.shape
    points = []
    for row, column in np.ndindex(image.shape):
        block = image[row : row + 2, column : column + 2] == number
        if block.any() and not block.all():
            points.append(row * length + column)
    return points


def parts(boundaries: Boundaries) -> list[list[int]]:
    return [part.tolist() for part in np.split(boundaries.points, boundaries.offsets[1:-1])]


@examples(10)
@given(IMAGES)
def test_boundaries_are_as_defined(image: NDArray[np.int64]) -> None:
    for boundaries in (label_boundaries(image, IDS), numpy_twin(label_boundaries)(image, np.array(IDS))):
        assert parts(boundaries) == [defined(image, number) for number in IDS]


@examples(10)
@given(IMAGES, st.integers(0, 4), st.data())
def test_near_pixels_are_as_defined(image: NDArray[np.int64], radius: int, data: st.DataObject) -> None:
    other = data.draw(from_numpy.arrays(np.uint8, image.shape, elements=st.sampled_from([0, 1, 2])))
    first, second = label_boundaries(image, IDS), label_boundaries(other, IDS)
    pairs = np.array([0, 1, 2, 0]), np.array([0, 0, 1, 1])
    places = [[divmod(point, image.shape[1]) for point in part] for part in (*parts(first), *parts(second))]
    expected = [
        sum(any(math.dist(a, b) <= radius for b in places[3 + at_b]) for a in places[at_a])
        for at_a, at_b in zip(*pairs, strict=True)
    ]
    for counts in (count_near, numpy_twin(count_near)):
        assert counts(first, second, pairs, image.shape, radius).tolist() == expected


def test_a_volume_has_no_such_boundary() -> None:
    with pytest.raises(InputError, match="3 axes"):
        label_boundaries(np.zeros((2, 2, 2), int), IDS)
