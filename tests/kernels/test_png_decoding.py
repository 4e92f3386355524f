"""Rows of PNG images turned into labels: native code against the numpy twin against the filters run forward."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.pairs import label_run_lengths
from segmetry.kernels.png_decoding import png_labels, png_run_lengths
from tests.profiles import examples
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
@examples(2)
def test_filters_are_undone(image: tuple[NDArray[np.uint8], list[int]]) -> None:
    pixels, filters = image
    height, width, depth = pixels.shape
    rows = filtered(pixels, filters)
    for undo in (png_labels, numpy_twin(png_labels)):
        found = undo(rows, (height, width), depth)
        assert found is not None and found.dtype.itemsize == (1, 2, 4)[depth - 1]
        assert np.array_equal(found, labels_of(pixels))
    expected = label_run_lengths(labels_of(pixels))
    for undo in (png_run_lengths, numpy_twin(png_run_lengths)):
        runs = undo(rows, (height, width), depth, most=len(expected.stops))
        assert runs is not None and [column.tolist() for column in runs] == [column.tolist() for column in expected]
        assert undo(rows, (height, width), depth, most=len(expected.stops) - 1) is None


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_rows_without_pixels_are_not_read(depth: int) -> None:
    labels = png_labels(bytes(2), (2, 0), depth)
    assert labels is not None and labels.shape == (2, 0)


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 50), st.integers(0, 2**32), st.booleans())
@examples(2)
def test_any_rows_are_read_alike(depth: int, height: int, width: int, seed: int, sparse: bool) -> None:
    """Rows that no image was made into: any differences, or few between zeros, and filters that do not exist."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 256, (height, 1 + depth * width), dtype=np.uint8)
    if sparse:
        rows[rng.random(rows.shape) < 0.9] = 0
    rows[:, 0] = rng.integers(0, 5, height)
    if rng.random() < 0.1:
        rows[rng.integers(height), 0] = rng.integers(5, 256)
    first, second = (undo(rows.tobytes(), (height, width), depth) for undo in (png_labels, numpy_twin(png_labels)))
    assert (first is None) == (second is None)
    runs = png_run_lengths(rows.tobytes(), (height, width), depth, most=height * width)
    assert (runs is None) == (second is None)
    if first is not None and second is not None and runs is not None:
        assert np.array_equal(first, second)
        assert [column.tolist() for column in runs] == [column.tolist() for column in label_run_lengths(second)]


@pytest.mark.parametrize("width", [63, 64, 65, 128, 700])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_stretches_of_zeros_end_anywhere(width: int, depth: int) -> None:
    """One difference in every place of a row, in the last row too, behind which nothing may be read."""
    for height, y in ((2, 0), (2, 1)):
        for x in range(0, width * depth, max(1, width * depth // 97)):
            rows = np.zeros((height, 1 + width * depth), np.uint8)
            rows[:, 0] = 1 + x % 2
            rows[y, 1 + x] = 9
            for undo in (png_labels, numpy_twin(png_labels)):
                found = undo(rows.tobytes(), (height, width), depth)
                assert found is not None and int(np.count_nonzero(found)) == (
                    width - x // depth if x % 2 == 0 else height - y
                )


@pytest.mark.parametrize("width", [1, 21, 22, 43, 64, 1366, 2731, 4097])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_row_is_taken_for_the_one_before_it(width: int, depth: int) -> None:
    """What differs is found for whole rows: of every filter after every other, at both ends of 64 and 4096 bytes."""
    rng = np.random.default_rng(width)
    rows = rng.integers(1, 256, (40, 1 + depth * width), dtype=np.uint8)
    rows[rng.random(rows.shape) < rng.choice([0.2, 0.95, 1.0], (40, 1))] = 0
    rows[:, 0] = rng.choice([0, 1, 2, 4] if width < 100 else [0, 1, 2], 40)  # the twin is slow with Paeth's filter
    rows[rng.random(40) < 0.5, -1] = 7
    labels, expected = (undo(rows.tobytes(), (40, width), depth) for undo in (png_labels, numpy_twin(png_labels)))
    runs = png_run_lengths(rows.tobytes(), (40, width), depth, most=40 * width)
    assert labels is not None and expected is not None and runs is not None
    assert np.array_equal(labels, expected)
    assert [column.tolist() for column in runs] == [column.tolist() for column in label_run_lengths(expected)]


@pytest.mark.parametrize("size", [0, 11, 13])
def test_rows_of_another_size_are_rejected(size: int) -> None:
    with pytest.raises(ValueError, match=f"rows have {size} bytes; expected 12"):
        png_labels(bytes(size), (3, 3), 1)
    with pytest.raises(ValueError, match=f"rows have {size} bytes; expected 12"):
        png_run_lengths(bytes(size), (3, 3), 1, most=9)
    if native is not None:
        with pytest.raises(ValueError, match="another size"):
            native.png_labels(np.zeros(size, np.uint8), np.empty((3, 3), np.uint8))
        with pytest.raises(ValueError, match="another size"):
            native.png_run_lengths(np.zeros(size, np.uint8), 3, 3, 1, 9)
        with pytest.raises(ValueError, match="one, two or three bytes"):
            native.png_run_lengths(np.zeros(size, np.uint8), 3, 3, 4, 9)
