"""Geometry of stored arrays: what blocks give is what the whole array gives, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.geometry.block_geometry import label_geometry
from segmetry.kernels.segment_measures import segment_geometry
from segmetry.segmentation.labels import LabelArray
from segmetry.storage.stored_arrays import CachedArray, regular_edges
from tests.profiles import examples
from tests.stored_arrays import Chunked, edges_of, label_pairs, small_blocks


@given(st.data(), label_pairs())
def test_blocks_give_the_geometry_of_the_whole(data: st.DataObject, pair: tuple[NDArray[Any], NDArray[Any]]) -> None:
    array = pair[0]
    with small_blocks():
        found = label_geometry(sm.LabelArray(Chunked(array, data.draw(edges_of(array.shape)))))
    for name, expected in segment_geometry(array)._asdict().items():
        assert np.array_equal(getattr(found, name), expected), name


@examples(1 / 4)
@given(st.data(), label_pairs(axes=(2, 3)), st.sampled_from([0, None]))
def test_scores_of_blocks_are_the_scores_of_the_whole(
    data: st.DataObject, pair: tuple[NDArray[Any], NDArray[Any]], outside: int | None
) -> None:
    facts: dict[str, Any] = {"outside": outside, "spacing": (0.5, 1.0, 2.0)[: pair[0].ndim]}
    metrics = "panoptic,regions,clustering,geometry"
    whole = [sm.LabelArray(array, **facts) for array in pair]
    expected = {key: repr(found) for key, found in sm.score(*whole, metrics).items()}
    with small_blocks():
        stored = [sm.LabelArray(Chunked(array, data.draw(edges_of(array.shape))), **facts) for array in pair]
        assert {key: repr(found) for key, found in sm.score(*stored, metrics).items()} == expected


@pytest.mark.parametrize("void", [(), (3,)])
def test_only_the_boxes_of_pairs_are_read_again(void: tuple[int, ...]) -> None:
    array = np.zeros((64, 64), dtype=np.uint8)
    array[2:6, 2:6], array[50:60, 3:5] = 1, 2
    with small_blocks(least=64, most=256):
        true, pred = (Chunked(array, regular_edges(array.shape, (8, 8))) for _ in range(2))
        shapes = sm.matched_shapes(sm.LabelArray(true, void=void), pred)
        assert shapes.hausdorff().tolist() == [0.0, 0.0]
        # One pass to count, one for the boxes, and the chunks of two small boxes, remembered.
        assert true.decoded == pred.decoded == 2 * 64 * 64 + 64 + 2 * 64


def test_remembered_chunks_are_bounded_and_right() -> None:
    array = np.arange(100, dtype=np.int64).reshape(10, 10)
    stored = Chunked(array, regular_edges((10, 10), (3, 4)))
    found = CachedArray(stored, most_bytes=2 * 12 * 8)
    for box, decoded in [
        ((slice(0, 2), slice(0, 3)), 12),
        ((slice(1, 3), slice(2, 4)), 12),  # the same chunk
        ((slice(0, 3), slice(3, 5)), 24),  # and its neighbour
        ((slice(2, 9), slice(3, 9)), 90),  # nine chunks, the first two remembered
        ((slice(0, 1), slice(0, 1)), 102),  # forgotten
    ]:
        assert np.array_equal(found.read(box), array[box])
        assert stored.decoded == decoded


def test_the_example_of_label_geometry() -> None:
    assert label_geometry(LabelArray([[0, 5, 5], [0, 5, 5]])).perimeter.tolist() == [6, 8]
