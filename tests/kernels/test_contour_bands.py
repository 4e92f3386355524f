"""Boundary bands against the definition, element by element, and against erosion mask by mask."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from segmetry.kernels import contour_bands as bands
from segmetry.kernels.backend import in_use
from segmetry.kernels.contour_bands import boundary_band, chessboard_band_numpy, euclidean_band_numpy, steps_within

Array = NDArray[Any]
Metric = Literal["euclidean", "chessboard"]

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8"]
METRICS: list[Metric] = ["euclidean", "chessboard"]


@pytest.fixture(params=["in use", "twin"])
def kernel(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "twin":
            patch.setattr(bands, "native", None)
        yield


@st.composite
def label_arrays(draw: st.DrawFn, most_axes: int = 4) -> Array:
    """A few labels in patches: single elements, fragments, and areas large enough to have an inside."""
    ndim = draw(st.integers(1, most_axes))
    side = {1: 40, 2: 9, 3: 6, 4: 4}[ndim]
    shape = draw(hnp.array_shapes(min_dims=ndim, max_dims=ndim, min_side=1, max_side=side))
    labels = np.zeros(shape, np.int8)
    for _ in range(draw(st.integers(0, 4))):
        corner = [draw(st.integers(0, size - 1)) for size in shape]
        extent = [draw(st.integers(1, size)) for size in shape]
        box = tuple(slice(a, a + n) for a, n in zip(corner, extent, strict=True))
        labels[box] = draw(st.integers(-1, 2))
    return labels


def by_definition(labels: Array, within: Callable[[tuple[int, ...]], bool]) -> Array:
    """`within(offset)` tells whether an offset is at most d; positions outside of the array differ from everything."""
    offsets = [
        offset
        for offset in itertools.product(*(range(-size, size + 1) for size in labels.shape))
        if any(offset) and within(offset)
    ]
    everything = {position: int(labels[position]) for position in np.ndindex(labels.shape)}
    band = np.zeros(labels.shape, bool)
    for position, label in everything.items():
        others = (tuple(a + b for a, b in zip(position, offset, strict=True)) for offset in offsets)
        band[position] = any(everything.get(other) != label for other in others)
    return band


@pytest.mark.usefixtures("kernel")
@given(labels=label_arrays(), d=st.integers(0, 5))
def test_euclidean_band_is_the_definition(labels: Array, d: float) -> None:
    expected = by_definition(labels, lambda offset: sum(k * k for k in offset) <= d * d)
    np.testing.assert_array_equal(boundary_band(labels, d), expected, strict=True)


@pytest.mark.usefixtures("kernel")
@given(labels=label_arrays(), d=st.integers(0, 5))
def test_chessboard_band_is_the_definition(labels: Array, d: float) -> None:
    expected = by_definition(labels, lambda offset: max(map(abs, offset)) <= d)
    np.testing.assert_array_equal(boundary_band(labels, d, metric="chessboard"), expected, strict=True)


# Multiples of 1/4 have exact squares and sums in float64, so the definition can be checked with fractions.
quarters = st.integers(1, 12).map(lambda n: n / 4)


@pytest.mark.usefixtures("kernel")
@given(labels=label_arrays(3), d=st.integers(0, 24).map(lambda n: n / 4), data=st.data())
def test_spaced_band_is_the_definition(labels: Array, d: float, data: st.DataObject) -> None:
    spacing = [data.draw(quarters) for _ in labels.shape]

    def within(offset: tuple[int, ...]) -> bool:
        return sum((Fraction(s) * k) ** 2 for s, k in zip(spacing, offset, strict=True)) <= Fraction(d) ** 2

    np.testing.assert_array_equal(boundary_band(labels, d, spacing=spacing), by_definition(labels, within))


@given(labels=label_arrays(3), d=st.floats(0, 6), data=st.data())
def test_native_code_and_twin_decide_on_the_same_bits(labels: Array, d: float, data: st.DataObject) -> None:
    spacing = [data.draw(st.floats(0.1, 3)) for _ in labels.shape]
    steps = steps_within(d, spacing, labels.shape)
    np.testing.assert_array_equal(boundary_band(labels, d, spacing=spacing), euclidean_band_numpy(labels, steps))


@pytest.mark.usefixtures("kernel")
def test_rounded_squares_are_added_from_the_last_axis_to_the_first() -> None:
    rng = np.random.default_rng(0)
    labels = np.zeros((7, 7, 7), int)
    labels[3, 3, 3] = 1
    seen: set[bool] = set()
    while len(seen) < 2:
        spacing = rng.uniform(1, 1.2, 3).tolist()
        first, second, third = (length * length for length in spacing)
        ours, other = (third + second) + first, (first + second) + third
        d = np.sqrt(min(ours, other))
        if ours != other and d * d == min(ours, other):
            seen.add(ours < other)
            assert boundary_band(labels, d, spacing=spacing)[4, 4, 4] == (ours < other)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("shape", [(61, 150), (26, 30, 41)])
@pytest.mark.parametrize("d", [1, 2, 5, 6])
def test_larger_pictures_against_erosion_and_distance_transform_of_each_mask(shape: tuple[int, ...], d: float) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    rng = np.random.default_rng(len(shape))
    seeds = np.zeros(shape, bool)
    seeds.ravel()[rng.choice(seeds.size, 4, replace=False)] = True
    nearest = ndimage.distance_transform_edt(~seeds, return_distances=False, return_indices=True)
    labels = np.arange(seeds.size).reshape(shape)[tuple(nearest)]
    chessboard, euclidean = np.zeros((2, *shape), bool)
    for label in np.unique(labels):
        mask = np.pad(labels == label, 1)
        inside = (slice(1, -1),) * len(shape)
        eroded = ndimage.binary_erosion(mask, np.ones((3,) * len(shape), bool), iterations=d)
        chessboard |= (mask & ~eroded)[inside]
        squared = np.rint(ndimage.distance_transform_edt(mask) ** 2)
        euclidean |= (mask & (squared <= d * d))[inside]
    assert 0 < euclidean.sum() < chessboard.sum() < labels.size
    np.testing.assert_array_equal(boundary_band(labels, d, metric="chessboard"), chessboard)
    np.testing.assert_array_equal(boundary_band(labels, d), euclidean)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(40,), (12, 40), (7, 8, 20)])
def test_every_integer_type_gives_the_same_band(metric: Metric, dtype: str, shape: tuple[int, ...]) -> None:
    labels = np.zeros(shape, dtype)
    labels[..., 15:] = 1
    np.testing.assert_array_equal(
        boundary_band(labels, 2, metric=metric), boundary_band(labels.astype(np.int32), 2, metric=metric)
    )
    assert boundary_band(labels, 2, metric=metric)[(5 if len(shape) == 2 else 3,) * (len(shape) - 1)].tolist() == [
        x < 2 or 13 <= x < 17 or x >= shape[-1] - 2 for x in range(shape[-1])
    ]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("metric", METRICS)
def test_huge_ids_that_float64_cannot_tell_apart(metric: Metric) -> None:
    labels = np.full((9, 9), 2**62)
    labels[4, 4] += 1
    assert boundary_band(labels, 1, metric=metric)[4, 4]
    assert boundary_band(labels, 1, metric=metric)[4, 3]
    assert not boundary_band(labels, 1, metric=metric)[2, 2]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("shape", [(9,), (8,), (9, 9), (8, 30), (9, 30, 12)])
def test_from_half_the_shortest_side_on_everything_is_near_the_frame(metric: Metric, shape: tuple[int, ...]) -> None:
    labels = np.ones(shape, int)
    half = (min(shape) + 1) // 2
    assert not boundary_band(labels, half - 1, metric=metric).all()
    for d in (half, half + 1, 10**6, 10**30):
        assert boundary_band(labels, d, metric=metric).all()


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("metric", METRICS)
def test_strides_do_not_matter(metric: Metric) -> None:
    stored = np.repeat(np.repeat(np.random.default_rng(1).integers(0, 3, (6, 8)), 5, 0), 5, 1)
    for view in (stored[::-1, ::-1], stored.T, stored[::2, 1::3], np.asfortranarray(stored)):
        expected = boundary_band(view.copy(order="C"), 2, metric=metric)
        np.testing.assert_array_equal(boundary_band(view, 2, metric=metric), expected)
    np.testing.assert_array_equal(boundary_band(stored.T, 2, metric=metric), boundary_band(stored, 2, metric=metric).T)


def test_forty_thousand_steps_do_not_wrap() -> None:
    # Counters of 16 bits end at 32767.
    labels = np.zeros(140_001, np.uint8)
    band = boundary_band(labels, 40_000)
    assert band.sum() == 80_000
    assert not band[40_000:100_001].any()


@pytest.mark.parametrize("d", [0, 0.5, 0.999])
def test_distances_below_one_step_reach_nobody(d: float) -> None:
    assert not boundary_band([[1, 2], [3, 4]], d).any()
    assert not boundary_band([[1, 2], [3, 4]], 0, metric="chessboard").any()
    assert not boundary_band([[1, 2], [3, 4]], d, spacing=(1.5, 1.25)).any()


@pytest.mark.usefixtures("kernel")
def test_spacing_of_one_axis_beyond_d() -> None:
    # Rows are too far apart to matter; within a row everything but the middle is near a change.
    labels = np.array([[1, 1, 1, 2, 2, 2], [3, 3, 3, 3, 3, 3]])
    assert boundary_band(labels, 1, spacing=(2, 1)).astype(int).tolist() == [[1, 0, 1, 1, 0, 1], [1, 0, 0, 0, 0, 1]]


def test_a_fractional_distance_is_compared_exactly() -> None:
    # sqrt(2) as a float is a little more than the root, its predecessor a little less.
    labels = np.ones((5, 5), int)
    labels[0, 0] = 2
    root = np.sqrt(2.0)
    assert boundary_band(labels, root)[1, 1]
    corner = np.zeros((7, 7), int)
    corner[2, 2] = 1
    assert boundary_band(corner, root)[3, 3]
    assert not boundary_band(corner, np.nextafter(root, 0))[3, 3]


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0, 2)])
@pytest.mark.parametrize("metric", METRICS)
def test_an_empty_array_has_an_empty_band(shape: tuple[int, ...], metric: Metric) -> None:
    assert boundary_band(np.zeros(shape, int), 2, metric=metric).shape == shape


@pytest.mark.parametrize("metric", METRICS)
def test_more_steps_than_the_counters_of_volumes_hold_go_to_the_twin(
    metric: Metric, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = np.random.default_rng(4).integers(0, 2, (9, 9, 9))
    expected = boundary_band(labels, 2, metric=metric)
    monkeypatch.setattr(bands, "_MOST_STEPS", 1)
    if in_use() == "native":
        monkeypatch.setattr(bands, "native", object())
    np.testing.assert_array_equal(boundary_band(labels, 2, metric=metric), expected)


def test_twins_cover_what_the_kernel_short_cuts() -> None:
    labels = np.ones((4, 4), int)
    assert chessboard_band_numpy(labels, 2).all()
    assert euclidean_band_numpy(labels, steps_within(2, None, labels.shape)).all()


@pytest.mark.parametrize(
    ("d", "options", "message"),
    [
        (-1, {}, "d is -1"),
        (float("nan"), {}, "d is nan"),
        (float("inf"), {}, "d is inf"),
        (1.5, {"metric": "chessboard"}, "integer number of steps"),
        (1, {"metric": "chessboard", "spacing": (1, 1)}, "spacing has no meaning"),
        (1, {"metric": "taxicab"}, "metric is 'taxicab'"),
        (1, {"spacing": (1,)}, "expected 2 positive numbers"),
        (1, {"spacing": (1, 0)}, "expected 2 positive numbers"),
        (1, {"spacing": (1, float("inf"))}, "expected 2 positive numbers"),
    ],
)
def test_wrong_options_are_rejected(d: float, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        boundary_band([[1, 2], [1, 2]], d, **options)
