"""Lesion-wise scores against sets of elements: neighbours, paths and distances one by one."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.geometry.lesions import dilate, find_lesions, lesions_by_class
from tests.geometry.strategies import similar_labels
from tests.profiles import examples

Pair = tuple[sm.LabelArray, sm.LabelArray]
Place = tuple[int, ...]


def steps(ndim: int, most_axes: int) -> list[Place]:
    return [step for step in product((-1, 0, 1), repeat=ndim) if 0 < sum(map(abs, step)) <= most_axes]


def moved(places: set[Place], around: list[Place], shape: Place) -> set[Place]:
    reached = {tuple(a + b for a, b in zip(place, step, strict=True)) for place in places for step in around}
    return {place for place in reached if all(0 <= at < size for at, size in zip(place, shape, strict=True))}


def grown(places: set[Place], times: int, shape: Place) -> set[Place]:
    for _ in range(times):
        places = places | moved(places, steps(len(shape), 2), shape)
    return places


def parts(places: set[Place], shape: Place) -> list[set[Place]]:
    left, found = set(places), []
    while left:
        part = {left.pop()}
        front = part
        while front:
            front = moved(front, steps(len(shape), len(shape)), shape) & left
            left -= front
            part = part | front
        found.append(part)
    return found


def reference(
    true: set[Place], pred: set[Place], dilation: int, floor: float, voxel: float, shape: Place
) -> list[float]:
    """Found, missed and spurious lesions, and the sum of Dice."""
    components = parts(pred, shape)
    areas = parts(grown(true, dilation, shape), shape)
    dices, missed = [], 0
    for area in areas:
        lesion, touching = true & area, [part for part in components if part & area]
        if len(lesion) * voxel <= floor:
            continue
        together = set().union(*touching)
        dices += [2 * len(lesion & together) / (len(lesion) + len(together))] if touching else []
        missed += not touching
    spurious = sum(not any(part & area for area in areas) for part in components)
    return [len(dices), missed, spurious, math.fsum(dices)]


def places_of(mask: NDArray[np.bool_]) -> set[Place]:
    return set(map(tuple, np.argwhere(mask).tolist()))


@examples(4)
@given(similar_labels(dimensions=(2, 3)), st.integers(0, 2), st.sampled_from([0, 1, 2.5]))
def test_lesions_are_those_of_sets(pair: Pair, dilation: int, floor: float) -> None:
    true, pred = pair
    options = {"dilation": dilation, "least_volume": floor}
    dices, f1, counts = [], [], []
    for label in (1, 2):
        if not ((true.labels == label).any() or (pred.labels == label).any()):
            continue
        masks = (places_of(side.labels == label) for side in pair)
        found, missed, spurious, total = reference(*masks, dilation, floor, math.prod(true.spacing), true.domain)
        counts.append((found, missed, spurious))
        if found + missed + spurious:
            dices.append(total / (found + missed + spurious))
            f1.append(2 * found / (2 * found + missed + spurious))
    for key, values in (("lesion_dice", dices), ("lesion_f1", f1)):
        expected = sum(values) / len(values) if values else math.nan
        assert getattr(sm, key)(*pair, **options).value == pytest.approx(expected, nan_ok=True)
    for at, key in enumerate(("lesions_found", "lesions_missed", "lesions_spurious")):
        assert getattr(sm, key)(*pair, **options).value == sum(row[at] for row in counts)


@examples(2)
@given(st.integers(0, 2**32), st.integers(0, 3), st.sampled_from([(5, 6), (3, 5, 4), (1, 30), (30, 1, 1)]))
def test_dilation_grows_by_neighbours_that_share_an_edge(seed: int, times: int, shape: Place) -> None:
    mask = np.random.default_rng(seed).random(shape) < 0.1
    assert places_of(dilate(mask, times)) == grown(places_of(mask), times, shape)


def test_distances_of_missed_and_spurious_lesions_are_the_penalty() -> None:
    true, pred = np.zeros((3, 20), dtype=int), np.zeros((3, 20), dtype=int)
    true[0, :2], pred[0, :2] = 1, 1  # found, without an error
    true[2, 10], pred[2, 19] = 1, 1  # missed, and spurious
    options = {"dilation": 1}
    assert sm.lesion_hausdorff95(true, pred, **options).value == pytest.approx(2 * 374 / 3)
    assert sm.lesion_hausdorff95(true, pred, missing=9, **options).value == pytest.approx(18 / 3)
    assert sm.lesion_hausdorff95(true, pred, missing=9, least_volume=1, **options).value == pytest.approx(9 / 2)


def test_a_component_may_serve_two_lesions() -> None:
    true, pred = [[1, 1, 0, 0, 0, 0, 1, 1]], [[1, 1, 1, 1, 1, 1, 1, 1]]
    assert sm.lesion_dice(true, pred, dilation=1).value == pytest.approx(2 * 2 / 10)
    assert sm.lesions_found(true, pred, dilation=1).value == 2


def test_items_without_a_class_have_the_value_of_both_empty() -> None:
    true, pred = {"a": [[1, 2]], "b": [[1, 0]]}, {"a": [[1, 0]], "b": [[0, 0]]}
    sides = ({name: sm.LabelArray.from_classes(labels) for name, labels in side.items()} for side in (true, pred))
    options = {"lesion_dice": {"both_empty": 1, "dilation": 0}}
    summary = sm.evaluate(*sides, metrics=["lesion_dice"], options=options, engine="serial").summary()
    values = {name: row["lesion_dice"]["by_item"].value for name, row in summary.parts.items()}
    assert values == {1: (1 + 0) / 2, 2: (0 + 1) / 2}
    assert sm.lesion_dice([[0, 0]], [[0, 0]], both_empty=1).value == 1
    assert sm.lesion_hausdorff95([[0, 0]], [[0, 0]], both_empty=0).value == 0
    assert not sm.lesion_f1([[0, 0]], [[0, 0]]).is_defined


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dilation": -1}, "dilation is -1; expected a number of steps"),
        ({"dilation": "far"}, "dilation is 'far'"),
        ({"least_volume": "tiny"}, "least_volume"),
        ({"missing": "diagonal"}, "missing is 'diagonal'; expected a distance"),
    ],
)
def test_bad_options_are_errors(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        sm.lesion_hausdorff95([[1, 0]], [[1, 0]], **options)


def test_the_example_of_lesions_by_class() -> None:
    from segmetry.segmentation.labels import LabelArray

    by_class = lesions_by_class(LabelArray([[1, 0, 2]]), LabelArray([[1, 0, 0]]), 1)
    assert {name: [lesion.found for lesion in found.lesions] for name, found in by_class.items()} == {
        1: [True],
        2: [False],
    }


def test_the_example_of_find_lesions() -> None:
    true = np.array([[True, False, True, False, False, False, False, False]])
    pred = np.array([[True, False, False, False, False, True, False, True]])
    assert [(len(found.lesions), found.spurious) for found in (find_lesions(true, pred, k) for k in (0, 1, 3))] == [
        (2, 2),
        (1, 2),
        (1, 1),
    ]


def test_the_example_of_dilate() -> None:
    assert dilate(np.array([[False, False, False], [False, False, False], [True, False, False]]), 1).astype(
        int
    ).tolist() == [[0, 0, 0], [1, 1, 0], [1, 1, 0]]
