"""Distances between whole classes against sets of elements: classes on one side, void, regions, a data set."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from tests.profiles import examples

SHAPE, SPACING, TOLERANCE = (3, 4), (2.0, 0.5), 1
VOID = 9
GRIDS = st.lists(st.sampled_from([0, 0, 1, 1, 2, VOID]), min_size=12, max_size=12)
PAIRS = st.tuples(GRIDS, GRIDS)
Points = set[tuple[int, int]]


def sides(true: list[int], pred: list[int]) -> tuple[sm.LabelArray, sm.LabelArray]:
    first, second = (sm.LabelArray(np.array(x).reshape(SHAPE), void=VOID, spacing=SPACING) for x in (true, pred))
    return first, second


def elements(side: list[int], other: list[int], label: int) -> Points:
    kept = [at for at in range(12) if VOID not in (side[at], other[at]) and side[at] == label]
    return {(at // 4, at % 4) for at in kept}


def surface(points: Points) -> Points:
    return {(y, x) for y, x in points if not {(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)} <= points}


def directed(true: Points, pred: Points) -> tuple[list[float], list[float]]:
    def nearest(point: tuple[int, int], others: Points) -> float:
        return min(math.hypot((point[0] - y) * SPACING[0], (point[1] - x) * SPACING[1]) for y, x in others)

    first, second = surface(true), surface(pred)
    return [nearest(point, second) for point in first], [nearest(point, first) for point in second]


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


@examples(4)
@given(PAIRS)
def test_distances_are_those_of_sets(pair: tuple[list[int], list[int]]) -> None:
    found: dict[str, list[float]] = {"hd": [], "hd95": [], "assd": [], "masd": [], "asd": [], "nsd": []}
    one_sided = 0
    for label in (1, 2):
        true, pred = elements(pair[0], pair[1], label), elements(pair[1], pair[0], label)
        if true and pred:
            first, second = directed(true, pred)
            found["hd"].append(max(first + second))
            found["hd95"].append(max(float(np.percentile(part, 95)) for part in (first, second)))
            found["assd"].append(mean(first + second))
            found["masd"].append((mean(first) + mean(second)) / 2)
            found["asd"].append(mean(second))
            found["nsd"].append(mean([float(distance <= TOLERANCE) for distance in first + second]))
        one_sided += bool(true) != bool(pred)
    both = sides(*pair)
    for score, name in (
        (sm.class_hausdorff(*both), "hd"),
        (sm.class_hausdorff95(*both), "hd95"),
        (sm.class_surface_distance(*both), "assd"),
        (sm.class_mean_surface_distance(*both), "masd"),
        (sm.class_surface_distance(*both, average="pred_to_true"), "asd"),
        (sm.class_surface_dice(*both, tolerance=TOLERANCE, weights="elements", missing=None), "nsd"),
    ):
        assert score.is_defined == bool(found[name])
        if found[name]:
            assert score.value == pytest.approx(mean(found[name])), name
        assert score.details["pairs"] == len(found[name])
        assert score.details["missed"] + score.details["spurious"] == one_sided
    if found["hd"] or one_sided:
        penalised = sm.class_hausdorff(*both, missing=374)
        assert penalised.value == pytest.approx(mean(found["hd"] + [374] * one_sided))
        zero = sm.class_surface_dice(*both, tolerance=TOLERANCE, weights="elements")
        assert zero.value == pytest.approx(mean(found["nsd"] + [0.0] * one_sided))


@given(PAIRS)
def test_one_mask_has_the_distances_of_a_matched_pair(pair: tuple[list[int], list[int]]) -> None:
    true, pred = (sm.LabelArray((np.array(x) == 1).astype(int).reshape(SHAPE), spacing=SPACING) for x in pair)
    if not ((true.labels > 0) & (pred.labels > 0)).any():
        return
    for metric, other, options in (
        (sm.class_hausdorff, sm.hausdorff, {}),
        (sm.class_hausdorff95, sm.hausdorff95, {"weights": "area"}),
        (sm.class_surface_distance, sm.average_surface_distance, {}),
        (sm.class_surface_dice, sm.surface_dice, {"tolerance": "1/2"}),
    ):
        assert metric(true, pred, **options).value == other(true, pred, rule="largest_overlap", **options).value


def test_classes_on_one_side() -> None:
    true, pred = [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]]
    assert not sm.class_hausdorff(true, pred).is_defined
    assert sm.class_hausdorff(true, pred).details == {"pairs": 0, "missed": 1, "spurious": 1, "unit": "pixels"}
    assert sm.class_hausdorff95(true, pred, missing="diagonal").value == 5
    assert sm.class_surface_distance(true, pred, missing="inf").value == math.inf
    assert sm.class_surface_dice(true, pred, tolerance=1).value == 0


def test_segments_of_one_class_count_together_and_regions_overlap() -> None:
    classes = {1: "liver", 2: "liver"}
    true = sm.LabelArray([[1, 0, 0, 0, 2]], classes=classes)
    pred = sm.LabelArray([[1, 0, 0, 2, 0]], classes=classes)
    assert sm.class_hausdorff(true, pred).value == 1
    masks = [sm.Masks.from_dense(np.array([[[1, 1, 0]], [[1, 0, 0]]], bool), classes=["WT", "TC"]) for _ in range(2)]
    assert sm.class_hausdorff(*masks).value == 0
    assert sm.class_hausdorff(*masks).details["pairs"] == 2


def test_a_class_of_a_data_set_is_its_mean_over_items() -> None:
    true = {"a": [[1, 1, 1, 0]], "b": [[1, 0, 0, 2]]}
    pred = {"a": [[1, 0, 0, 0]], "b": [[1, 1, 0, 0]]}
    run = sm.evaluate(true, pred, metrics="class_hausdorff", read={"labels": "classes"}, engine="serial")
    summary = run.summary()
    assert summary["class_hausdorff"]["by_item_of_classes"].value == (2 + 1) / 2
    assert summary.classes[1]["class_hausdorff"]["by_item"].value == (2 + 1) / 2
    assert not summary.classes[2]["class_hausdorff"]["by_item"].is_defined


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        (sm.class_surface_distance, {"average": "mean"}),
        (sm.class_hausdorff95, {"weights": "length"}),
        (sm.class_hausdorff95, {"percentile": "mean"}),
        (sm.class_hausdorff95, {"weights": "area", "percentile": "pooled"}),
        (sm.class_surface_dice, {"tolerance": 1, "weights": "length"}),
    ],
)
def test_options_have_names(metric: object, options: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        metric([[1, 0]], [[1, 1]], **options)  # type: ignore[operator]


def test_a_missed_class_does_not_have_the_value_of_one_that_is_nowhere() -> None:
    """0 would be the best score for the worst result."""
    true, pred, nothing = (sm.LabelArray([labels], classes={1: "a"}) for labels in ([1, 1, 0, 0], [0] * 4, [0] * 4))
    with pytest.raises(OptionError, match="both_empty is 0, but missing is None; expected also the distance"):
        sm.class_hausdorff95(true, pred, both_empty=0)
    assert sm.class_hausdorff95(true, pred, both_empty=0, missing=9).value == 9
    assert sm.class_hausdorff95(nothing, nothing, both_empty=0, missing=9).value == 0
