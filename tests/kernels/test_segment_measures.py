"""Geometry against counting over Python sets, in one to four axes, for every kind of array."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.label_arrays import as_label_array
from segmetry.kernels.segment_measures import (
    SegmentGeometry,
    count_near,
    label_boundaries,
    label_changes,
    segment_geometry,
)

Array = NDArray[Any]
Kernel = Callable[[Array], SegmentGeometry]

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
KERNELS: list[Kernel] = [segment_geometry, lambda labels: numpy_twin(segment_geometry)(as_label_array(labels))]
both_kernels = pytest.mark.parametrize("kernel", KERNELS, ids=["in use", "twin"])

Position = tuple[int, ...]


@st.composite
def label_arrays(draw: st.DrawFn, axes: st.SearchStrategy[int]) -> Array:
    """Few labels, so that segments fall to pieces and touch each other and the frame in every way."""
    ndim = draw(axes)
    shape = draw(hnp.array_shapes(min_dims=ndim, max_dims=ndim, min_side=1, max_side=70 if ndim == 1 else 7))
    return draw(hnp.arrays(np.int8, shape, elements=st.integers(-1, 1), fill=st.integers(-1, 1)))


def neighbours(position: Position) -> Iterator[Position]:
    for axis in range(len(position)):
        for step in (-1, 1):
            yield (*position[:axis], position[axis] + step, *position[axis + 1 :])


def counted(labels: Array) -> dict[int, tuple[object, ...]]:
    """(area, box, perimeter, frame, inner elements) per label, straight from the definitions."""
    segments: dict[int, set[Position]] = defaultdict(set)
    for position, label in np.ndenumerate(labels):
        segments[int(label)].add(position)
    everything = set(np.ndindex(labels.shape))
    result: dict[int, tuple[object, ...]] = {}
    for label, elements in segments.items():
        edges = [n for p in elements for n in neighbours(p) if n not in elements]
        box = [[min(column), max(column) + 1] for column in zip(*elements, strict=True)]
        inner = sum(any(n not in elements for n in neighbours(p)) for p in elements)
        result[label] = (len(elements), box, len(edges), sum(n not in everything for n in edges), inner)
    return result


def reported(geometry: SegmentGeometry) -> dict[int, tuple[object, ...]]:
    columns = [column.tolist() for column in geometry]
    return {label: tuple(rest) for label, *rest in zip(*columns, strict=True)}


@both_kernels
@given(labels=label_arrays(st.integers(1, 4)))
def test_geometry_equals_counting_over_sets(kernel: Kernel, labels: Array) -> None:
    geometry = kernel(labels)
    assert reported(geometry) == counted(labels)
    assert geometry.labels.tolist() == sorted(set(labels.ravel().tolist()))


@both_kernels
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_integer_type_gives_the_same_numbers(kernel: Kernel, dtype: str) -> None:
    labels = (np.random.default_rng(3).random((9, 40)) < 0.3).astype(dtype)
    assert reported(kernel(labels)) == counted(labels)
    assert kernel(labels).labels.dtype == (np.uint64 if dtype == "u8" else np.int64)


@both_kernels
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">u8"])
def test_extreme_labels_keep_their_sign_and_order(kernel: Kernel, dtype: str) -> None:
    limits = np.iinfo(dtype)
    labels = np.array([[limits.max, limits.min], [limits.max - 1, limits.min + 1]], dtype)
    assert kernel(labels).labels.tolist() == sorted(labels.ravel().tolist())


@both_kernels
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)])
@pytest.mark.parametrize("flip", [1, -1])
@pytest.mark.parametrize("step", [1, 2])
def test_strides_do_not_matter(kernel: Kernel, order: tuple[int, ...], flip: int, step: int) -> None:
    stored = np.random.default_rng(5).integers(0, 3, (6, 7, 40)).astype(np.int16)
    view = stored.transpose(order)[::flip, ::step, :: flip * step]
    assert reported(kernel(view)) == counted(view)


@both_kernels
def test_fields_of_packed_records_read_only_arrays_and_foreign_byte_order(kernel: Kernel) -> None:
    plain = np.array([[3, 3, 4], [3, 4, 4]], np.int32)
    records = np.zeros(plain.shape, np.dtype([("flag", "u1"), ("label", "i4")]))
    records["label"] = plain
    frozen = plain.copy()
    frozen.flags.writeable = False
    for labels in (records["label"], frozen, plain.astype(">i4"), np.broadcast_to(plain[:1], (4, 3))):
        assert reported(kernel(labels)) == counted(labels)


@both_kernels
@pytest.mark.parametrize("length", [1, 2, 7, 8, 63, 64, 65, 66, 129, 200])
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
def test_long_runs_end_where_they_end(kernel: Kernel, length: int, dtype: str) -> None:
    for end in range(1, length):
        row = np.zeros(length, dtype)
        row[end:] = 1
        assert kernel(row).area.tolist() == [end, length - end]


@both_kernels
def test_huge_ids_and_many_of_them(kernel: Kernel) -> None:
    ids = (2**62 + 1 + np.arange(5000, dtype=np.uint64) * 2**32).reshape(50, 100)
    geometry = kernel(ids)
    np.testing.assert_array_equal(geometry.labels, np.sort(ids.ravel()))
    assert set(geometry.area.tolist()) == {1}
    assert set(geometry.perimeter.tolist()) == {4}
    assert set(geometry.inner_pixels.tolist()) == {1}


@both_kernels
@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (2, 0, 3)])
def test_an_empty_array_has_no_segments(kernel: Kernel, shape: tuple[int, ...]) -> None:
    geometry = kernel(np.zeros(shape, np.int32))
    assert [column.shape for column in geometry] == [(0,), (0,), (0, len(shape), 2), (0,), (0,), (0,)]


@both_kernels
def test_a_rectangle_and_a_box(kernel: Kernel) -> None:
    assert reported(kernel(np.ones((3, 5), int))) == {1: (15, [[0, 3], [0, 5]], 16, 16, 12)}
    assert reported(kernel(np.ones((2, 3, 4), int))) == {1: (24, [[0, 2], [0, 3], [0, 4]], 52, 52, 24)}


def test_floats_and_single_numbers_are_rejected() -> None:
    with pytest.raises(TypeError, match="labels are float64"):
        segment_geometry(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="single number"):
        segment_geometry(np.int64(3))


@given(labels=label_arrays(st.integers(1, 3)))
def test_native_code_and_twin_agree(labels: Array) -> None:
    for ours, twin in zip(segment_geometry(labels), numpy_twin(segment_geometry)(labels), strict=True):
        np.testing.assert_array_equal(ours, twin)
        assert ours.dtype == twin.dtype


def test_the_example_of_count_near() -> None:
    one, other = (label_boundaries([labels], [1]) for labels in ([1, 0, 0, 0, 0], [1, 1, 1, 1, 0]))
    pair = np.array([0]), np.array([0])
    assert [count_near(one, other, pair, (1, 5), radius).tolist() for radius in (2, 3)] == [[0], [1]]


def test_the_example_of_label_changes() -> None:
    assert label_changes(np.array([[1, 1, 2], [1, 1, 1]])).astype(int).tolist() == [[0, 1, 1], [0, 0, 1]]
