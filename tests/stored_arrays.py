"""Small arrays that pretend to be stored in chunks, and how the sizes that decide about blocks are made small."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from segmetry.storage.stored_arrays import Edges, Region, StoredArray


class Chunked(StoredArray):
    """An array in memory with chunk borders; counts how many elements its chunks decode."""

    def __init__(self, array: NDArray[Any], edges: Edges) -> None:
        self.array, self.shape, self.dtype, self.edges = array, array.shape, array.dtype, edges
        self.decoded = 0

    def read(self, box: Region) -> NDArray[Any]:
        size = 1
        for cuts, part in zip(self.edges, box, strict=True):
            assert 0 <= part.start < part.stop <= cuts[-1]
            size *= min(cut for cut in cuts if cut >= part.stop) - max(cut for cut in cuts if cut <= part.start)
        self.decoded += size
        return self.array[box]


@contextmanager
def small_blocks(least: int = 12, most: int = 24) -> Iterator[None]:
    """Blocks of a few elements, and no array too small to be stored."""
    with (
        mock.patch("segmetry.segmentation.labels.READ_AT_ONCE", 0),
        mock.patch("segmetry.overlaps.blocks.LEAST", least),
        mock.patch("segmetry.overlaps.blocks.MOST", most),
    ):
        yield


@st.composite
def edges_of(draw: st.DrawFn, shape: tuple[int, ...]) -> Edges:
    """Borders of chunks, regular or not."""
    axes = []
    for length in shape:
        inner = draw(st.sets(st.integers(1, length - 1), max_size=4)) if length > 1 else set()
        axes.append((0, *sorted(inner), length))
    return tuple(axes)


@st.composite
def label_pairs(draw: st.DrawFn, axes: tuple[int, ...] = (1, 2, 3)) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two arrays of one shape with a few labels, in runs."""
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=min(axes), max_size=max(axes))))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.tuples(*[st.sampled_from(["u1", "i4", "u4", "i8", "u8"])] * 2))
    found = []
    for kind in kinds:
        labels = rng.integers(0, 4, shape)
        for axis in range(len(shape)):
            labels = np.where(rng.random(shape) < 0.6, np.roll(labels, 1, axis), labels)
        found.append(labels.astype(kind))
    return found[0], found[1]
