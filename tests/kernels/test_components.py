"""Connected components: native and numpy versions against a flood fill and scipy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as from_numpy
from numpy.typing import NDArray

from segmetry.errors import OptionError
from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.components import NEIGHBOURS, Components, label_components
from tests.profiles import examples

STEPS = {
    number: [
        step
        for step in product((-1, 0, 1), repeat=axes)
        if 0 < sum(map(abs, step)) <= {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}[number]
    ]
    for number, axes in {4: 2, 8: 2, 6: 3, 18: 3, 26: 3}.items()
}


def flood_fill(labels: NDArray[Any], neighbours: int, ignored: tuple[int, ...]) -> NDArray[np.int32]:
    """Number the components element by element, in the order of their first elements."""
    numbers = np.zeros(labels.shape, np.int32)
    count = 0
    for start in np.ndindex(labels.shape):
        if numbers[start] or int(labels[start]) in ignored:
            continue
        count += 1
        pending = [start]
        numbers[start] = count
        while pending:
            place = pending.pop()
            for step in STEPS[neighbours]:
                beside = tuple(at + by for at, by in zip(place, step, strict=True))
                inside = all(0 <= at < size for at, size in zip(beside, labels.shape, strict=True))
                if inside and not numbers[beside] and labels[beside] == labels[start]:
                    numbers[beside] = count
                    pending.append(beside)
    return numbers


def check(found: Components, labels: NDArray[Any], neighbours: int, ignored: tuple[int, ...]) -> None:
    expected = flood_fill(labels, neighbours, ignored)
    assert np.array_equal(found.numbers, expected)
    assert found.sizes.tolist() == np.bincount(expected.ravel())[1:].tolist()
    assert found.labels.tolist() == [int(labels[expected == at][0]) for at in range(1, int(expected.max()) + 1)]


@st.composite
def images(draw: st.DrawFn) -> tuple[NDArray[Any], int]:
    neighbours = draw(st.sampled_from(sorted(STEPS)))
    axes = NEIGHBOURS[neighbours]
    shape = draw(from_numpy.array_shapes(min_dims=axes, max_dims=axes, min_side=1, max_side=7))
    dtype = draw(st.sampled_from([np.bool_, np.uint8, np.int8, np.uint16, np.int32, np.uint64, np.int64]))
    low = 0 if np.dtype(dtype).kind in "bu" else -2
    values = st.integers(low, 1 if dtype is np.bool_ else 3)
    array = np.array(draw(st.lists(values, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))).astype(dtype)
    array = array.reshape(shape)
    order = draw(st.permutations(range(array.ndim)))
    steps = tuple(slice(None, None, draw(st.sampled_from([1, -1]))) for _ in shape)
    return np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))[steps], neighbours


@examples(20)
@given(image=images(), ignored=st.sampled_from([(), (0,), (0, 2), (-2, 300)]))
def test_components_equal_a_flood_fill(image: tuple[NDArray[Any], int], ignored: tuple[int, ...]) -> None:
    labels, neighbours = image
    check(label_components(labels, neighbours, ignored), labels, neighbours, ignored)
    check(numpy_twin(label_components)(labels, neighbours, ignored), labels, neighbours, ignored)


@pytest.mark.parametrize("neighbours", sorted(STEPS))
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_components_equal_scipy(neighbours: int, share: float) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    axes = 2 if neighbours in (4, 8) else 3
    rank = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}[neighbours]
    mask = np.random.default_rng(neighbours).random((150, 170) if axes == 2 else (20, 40, 50)) < share
    expected, _ = ndimage.label(mask, structure=ndimage.generate_binary_structure(axes, rank))
    for order in ("C", "F"):
        assert np.array_equal(label_components(np.asarray(mask, order=order), neighbours).numbers, expected)
    assert np.array_equal(numpy_twin(label_components)(mask, neighbours, (0,)).numbers, expected)


def test_a_spiral_is_one_component() -> None:
    spiral = np.zeros((31, 31), np.uint8)
    y, x, dy, dx, length = 15, 15, 0, 1, 2
    while length < 30:
        for _ in range(2):
            for _ in range(length):
                spiral[y, x] = 9
                y, x = y + dy, x + dx
            dy, dx = dx, -dy
        length += 2
    assert label_components(spiral, 4).labels.tolist() == [9]
    assert numpy_twin(label_components)(spiral, 4, (0,)).labels.tolist() == [9]


def test_nothing_and_one_element() -> None:
    for function in (label_components, numpy_twin(label_components)):
        assert function(np.zeros((3, 4), np.int32), 8, (0,)).labels.size == 0
        assert function(np.zeros((0, 4), np.int32), 8, (0,)).numbers.shape == (0, 4)
        assert function(np.array([[[7]]]), 26, (0,)).numbers.tolist() == [[[1]]]
        assert function(np.zeros((2, 2), bool), 4, ()).sizes.tolist() == [4]


@pytest.mark.parametrize(("neighbours", "axes"), [(4, 3), (8, 1), (26, 2), (6, 4), (5, 2)])
def test_neighbours_must_fit_the_axes(neighbours: int, axes: int) -> None:
    with pytest.raises(OptionError, match=f"components is {neighbours} and the labels have {axes} axes; "):
        label_components(np.ones((2,) * axes, int), neighbours)


@pytest.mark.skipif(native is None, reason="the native kernels are not in use here")
def test_the_native_version_rejects_planes_with_4_neighbours() -> None:
    labels, out = np.ones((2, 2, 2), np.uint8), np.zeros((2, 2, 2), np.int32)
    with pytest.raises(ValueError, match="one plane"):
        native.label_components(labels, 4, np.zeros(0, np.uint64), np.zeros(3, np.int64), out)  # type: ignore[union-attr]
