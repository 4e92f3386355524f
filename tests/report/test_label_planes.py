"""Planes, masks and spans come back from their text as they were; the decoder shares no code with the encoder."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from segmetry.readers.formats.arrays.png import read_label_png
from segmetry.readers.reader import ReadOptions
from segmetry.report.label_planes import (
    codes_of,
    mask_places,
    packed_lists,
    packed_masks,
    packed_plane,
    packed_spans,
    varints,
)
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.spans import Spans
from tests.report import decoding

few_codes = st.sampled_from([0, 1, 2, 3, 70_000])
planes = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda shape: arrays(np.uint32, shape, elements=few_codes)
)


@given(planes)
def test_a_plane_comes_back(codes: np.ndarray) -> None:
    assert decoding.plane(packed_plane(codes), *codes.shape).tolist() == codes.tolist()


def test_a_smooth_plane_comes_back() -> None:
    down, across = np.mgrid[0:60, 0:80]
    codes = ((down - 30) ** 2 + (across - 40) ** 2 < 500).astype(np.uint32) + (across > 55) * 2
    assert np.array_equal(decoding.plane(packed_plane(codes), 60, 80), codes)


@given(st.lists(st.lists(st.integers(0, 2**62))))
def test_numbers_of_every_size_come_back(numbers: list[list[int]]) -> None:
    assert decoding.lists(packed_lists(*(np.array(values, dtype=np.int64) for values in numbers))) == numbers


@given(arrays(bool, st.tuples(st.integers(0, 4), st.integers(1, 5), st.integers(1, 5))), st.randoms())
def test_masks_come_back_in_the_order_of_their_ids(stack: np.ndarray, random: object) -> None:
    ids = list(range(10, 10 + len(stack)))
    random.shuffle(ids)  # type: ignore[attr-defined]
    order = np.argsort(ids)
    decoded = decoding.masks(packed_masks(Masks.from_dense(stack, ids=ids), np.sort(ids)), stack.shape[1:])
    assert np.array_equal(decoded, stack[order])


@pytest.mark.parametrize("pairs", [[], [(0, 5)], [(2, 5), (5, 6), (9, 10)]])
def test_spans_come_back(pairs: list[tuple[int, int]]) -> None:
    assert decoding.spans(packed_spans(Spans.from_spans(pairs, n=10))) == pairs


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, bool])
def test_codes_of_every_type(dtype: type) -> None:
    labels = np.array([[0, 1], [1, 0]], dtype=dtype)
    assert codes_of(labels, LabelArray(labels), np.array([1])).tolist() == [[0, 1], [1, 0]]


def test_codes_of_extreme_labels() -> None:
    largest = 2**64 - 1
    labels = np.array([[largest, 0, 5, 9]], dtype=np.uint64)
    array = LabelArray(labels, void=(5, 300))
    assert codes_of(labels, array, np.array([9, largest], dtype=np.uint64)).tolist() == [[2, 0, 3, 1]]
    negative = np.array([[-5, 0, -1, 7]], dtype=np.int16)
    declared = LabelArray(negative, void=-1, outside=0, allow_negative=True)
    assert codes_of(negative, declared, np.array([-5, 7])).tolist() == [[1, 0, 3, 2]]


def test_several_void_labels_have_one_code_and_a_part_may_lack_segments() -> None:
    labels = np.array([[1, 254, 255, 4]], dtype=np.uint8)
    array = LabelArray(labels, void=(254, 255))
    assert codes_of(labels, array, np.array([1, 2, 4])).tolist() == [[1, 4, 4, 3]]


def test_real_maps_take_less_than_deflated_codes(shared_data: Path) -> None:
    """What makes 2,000 images of 640 × 480 with both maps fit into 30 MB: 5,600 bytes for each map."""
    for path in sorted((shared_data / "coco_sample" / "panoptic_examples").glob("*.png")):
        labels = read_label_png(path, ReadOptions(colours="rgb"))
        codes = codes_of(labels, LabelArray(labels), np.unique(labels[labels > 0]))
        text = packed_plane(codes)
        assert len(text) * 3 // 4 < 0.72 * len(zlib.compress(codes.astype(np.uint8).tobytes(), 9))
        assert np.array_equal(decoding.plane(text, *codes.shape), codes)


def test_the_example_of_mask_places() -> None:
    true = Masks.from_dense(np.ones((2, 1, 3), dtype=bool), ids=[7, 4])
    pred = Masks.from_dense(np.ones((2, 1, 3), dtype=bool), scores=[0.1, 0.9])
    from segmetry.overlaps.count import overlap

    assert mask_places(true, pred, overlap(true, pred)) == {"true": [1, 0], "pred": [1, 0]}


def test_the_example_of_packed_spans() -> None:
    assert packed_spans(Spans.from_masses([5, 3])) == packed_lists(np.array([0, 0]), np.array([5, 3]))


def test_the_example_of_varints() -> None:
    assert list(varints(np.array([5, 300]))) == [5, 172, 2]


def test_the_example_of_packed_lists() -> None:
    assert (
        zlib.decompress(base64.b64decode(packed_lists(np.array([5]), np.array([300, 1]))), wbits=-15).hex(" ")
        == "01 05 02 ac 02 01"
    )
