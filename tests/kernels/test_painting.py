"""Painting against a dictionary looked up element by element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from segmetry.kernels import painting as paint_module
from segmetry.kernels.painting import paint

Array = NDArray[Any]

DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


@pytest.fixture(params=["in use", "twin"], autouse=True)
def kernel(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test runs with the kernel in use and with the numpy twin (in blocks of 7, so that there are several)."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "twin":
            patch.setattr(paint_module, "native", None)
            patch.setattr(paint_module, "_BLOCK", 7)
        yield


def looked_up(labels: Array, ids: list[int], values: Array, fill: object) -> Array:
    value_of = dict(zip(ids, values, strict=True))
    flat = [value_of.get(int(label), fill) for label in labels.ravel()]
    return np.array(flat, values.dtype).reshape(labels.shape + values.shape[1:])


@given(
    labels=hnp.arrays(np.int16, hnp.array_shapes(min_dims=1, max_dims=4, max_side=9), elements=st.integers(-3, 3)),
    ids=st.lists(st.integers(-4, 4), unique=True).map(sorted),
    kind=st.sampled_from(["f4", "f8", "rgba"]),
)
def test_every_element_gets_the_value_of_its_label(labels: Array, ids: Any, kind: str) -> None:
    numbers = np.arange(1, len(ids) + 1)
    if kind == "rgba":
        values = np.stack([numbers, numbers + 50, numbers + 100, numbers + 150], axis=1).astype(np.uint8)
        fill: Any = (9, 8, 7, 6)
    else:
        values, fill = (numbers / 7).astype(kind), -2.5
    painted = paint(labels, np.array(ids, np.int64), values, fill)
    np.testing.assert_array_equal(painted, looked_up(labels, ids, values, fill), strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_integer_type_up_to_its_limits(dtype: str) -> None:
    limits = np.iinfo(dtype)
    labels = np.array([[limits.max, limits.min, 5], [limits.max - 1, limits.min + 1, 6]], dtype)
    ids = sorted({limits.min, 5, limits.max})
    wide = np.array(ids, np.uint64 if dtype == "u8" else np.int64)
    values = np.linspace(0.1, 0.3, len(ids))
    np.testing.assert_array_equal(paint(labels, wide, values, 0.0), looked_up(labels, ids, values, 0.0))


def test_ids_that_the_label_type_cannot_hold_paint_nothing() -> None:
    # 256 + 1 and -1 must not be taken for 1 and 255.
    painted = paint(np.array([1, 255, 7], np.uint8), [-1, 7, 257], [0.1, 0.2, 0.3], fill=0.0)
    assert painted.tolist() == [0.0, 0.0, 0.2]
    assert paint(np.array([2**64 - 1], np.uint64), np.array([-1]), [0.5], fill=0.0).tolist() == [0.0]
    assert paint(np.array([-1]), np.array([2**64 - 1], np.uint64), [0.5], fill=0.0).tolist() == [0.0]


def test_neighbouring_huge_ids_are_told_apart() -> None:
    labels = np.array([2**62, 2**62 + 1, 2**62 + 2])
    assert paint(labels, [2**62 + 1], [1.0], fill=0.0).tolist() == [0.0, 1.0, 0.0]


def test_byte_order_does_not_matter() -> None:
    labels = np.array([-2, 1, 256, -(2**40)], ">i8")
    assert paint(labels, np.array([-(2**40), -2, 256], ">i8"), [0.1, 0.2, 0.3], fill=0.0).tolist() == [
        0.2,
        0.0,
        0.3,
        0.1,
    ]
    assert paint(np.array([1, 256], ">u2"), [1], [0.5], fill=0.0).tolist() == [0.5, 0.0]


def test_booleans_are_labels() -> None:
    assert paint([[True, False]], [1], [0.5], fill=0.0).tolist() == [[0.5, 0.0]]


@pytest.mark.parametrize("view", [np.s_[::-1, ::-1], np.s_[::2, ::3], np.s_[:, :], np.s_[1:, 2:]])
@pytest.mark.parametrize("layout", ["C", "F"])
def test_strides_do_not_matter(view: Any, layout: Literal["C", "F"]) -> None:
    labels = np.asarray(np.random.default_rng(2).integers(0, 4, (12, 50)), order=layout)[view]
    values = np.array([0.5, 0.25, 0.125])
    painted = paint(labels, [0, 1, 3], values, fill=np.nan)
    np.testing.assert_array_equal(painted, looked_up(labels, [0, 1, 3], values, np.nan))
    assert painted.flags.c_contiguous


def test_without_ids_or_without_elements() -> None:
    assert paint([[1, 2]], [], np.zeros(0), fill=3.0).tolist() == [[3.0, 3.0]]
    assert paint(np.zeros((0, 4), int), [1], [0.5], fill=0.0).shape == (0, 4)
    assert paint(np.zeros((4, 0), int), [1], np.zeros((1, 4), np.uint8), fill=(0, 0, 0, 0)).shape == (4, 0, 4)


def test_values_need_not_be_contiguous() -> None:
    assert paint([1, 2], [1, 2], np.arange(4.0)[::2], fill=0.0).tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    ("ids", "values", "fill", "error", "message"),
    [
        ([2, 1], [0.1, 0.2], 0.0, ValueError, "ids must be ascending"),
        ([1, 1], [0.1, 0.2], 0.0, ValueError, "ids must be ascending"),
        ([1, 2], [0.1], 0.0, ValueError, "2 ids and 1 values"),
        ([1.0], [0.1], 0.0, TypeError, "ids are float64"),
        ([1], [3], 0, TypeError, "values are int64"),
        ([1], np.zeros((1, 3), np.uint8), (0, 0, 0), TypeError, "values are uint8 of shape"),
        ([1], np.zeros((1, 4), np.uint8), 0, ValueError, "fill is 0"),
        ([1], np.zeros((1, 4), np.uint8), (0, 0, 0, 256), ValueError, "from 0 to 255"),
        ([1], [0.1], (0.0, 0.0), ValueError, "one number"),
    ],
)
def test_wrong_ids_values_and_fills_are_rejected(
    ids: Any, values: Any, fill: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        paint([[1, 2]], ids, values, fill)
