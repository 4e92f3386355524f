"""Rows of PNG images turned into labels: native code against the numpy twin against the filters run forward."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from segmetry.kernels import native
from segmetry.kernels.png import png_labels, png_labels_numpy
from tests.readers.png_files import filtered


def labels_of(pixels: NDArray[np.uint8]) -> NDArray[Any]:
    """The number that the bytes of every pixel stand for, without the code under test."""
    order = "big" if pixels.shape[2] == 2 else "little"
    return np.array([[int.from_bytes(bytes(pixel), order) for pixel in row] for row in pixels.tolist()])


@st.composite
def images(draw: st.DrawFn) -> tuple[NDArray[np.uint8], list[int]]:
    """Rows that mostly repeat the one above and the pixel to the left, with every filter."""
    height, width, depth = draw(st.integers(1, 6)), draw(st.integers(1, 40)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    few = rng.integers(0, 256, (draw(st.sampled_from([1, 2, 5, 300])), depth), dtype=np.uint8)
    changes = rng.random((height, width)) < draw(st.sampled_from([0.02, 0.2, 1.0]))
    chosen = np.maximum.accumulate(np.where(changes, np.arange(width), 0), axis=1) + draw(st.integers(0, 3)) * changes
    filters = draw(st.lists(st.integers(0, 4), min_size=height, max_size=height))
    return few[(chosen * 7919) % len(few)], filters


@given(images())
@settings(max_examples=300, deadline=None)
def test_filters_are_undone(image: tuple[NDArray[np.uint8], list[int]]) -> None:
    pixels, filters = image
    height, width, depth = pixels.shape
    rows = filtered(pixels, filters)
    for undo in (png_labels, png_labels_numpy):
        found = undo(rows, (height, width), depth)
        assert found is not None and found.dtype.itemsize == (1, 2, 4)[depth - 1]
        assert np.array_equal(found, labels_of(pixels))


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 50), st.integers(0, 2**32), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_rows_are_read_alike(depth: int, height: int, width: int, seed: int, sparse: bool) -> None:
    """Rows that no image was made into: any differences, or few between zeros, and filters that do not exist."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 256, (height, 1 + depth * width), dtype=np.uint8)
    if sparse:
        rows[rng.random(rows.shape) < 0.9] = 0
    rows[:, 0] = rng.integers(0, 5, height)
    if rng.random() < 0.1:
        rows[rng.integers(height), 0] = rng.integers(5, 256)
    first, second = (undo(rows.tobytes(), (height, width), depth) for undo in (png_labels, png_labels_numpy))
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert np.array_equal(first, second)


@pytest.mark.parametrize("size", [0, 11, 13])
def test_rows_of_another_size_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"rows have {size} bytes; expected 12"):
        png_labels(bytes(size), (3, 3), 1)
    if native is not None:
        with pytest.raises(ValueError, match="another size"):
            native.png_labels(np.zeros(size, np.uint8), np.empty((3, 3), np.uint8))
