"""Distances of matched pairs, against definitions over all pairs of points."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import segmetry as sm
from segmetry._base.exact import fraction
from segmetry.errors import InputError, KindError, OptionError, SegmetryError
from segmetry.geometry.class_shapes import ClassShapes, class_masks
from segmetry.geometry.matched_shapes import closeness, matched_shapes
from segmetry.geometry.segment_shapes import median_set_distance, redrawn, runs_of, shapes_of, skeleton, trimmed
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from tests.geometry.strategies import as_masks, similar_labels

Point = tuple[int, ...]
Points = set[Point]


def points_of(found: sm.LabelArray, label: int) -> Points:
    return {tuple(map(int, at)) for at in np.argwhere(found.labels == label)}


def surface_of(points: Points) -> Points:
    """Elements with a neighbour along an axis that is not in the set."""
    steps = [(axis, step) for axis in range(len(next(iter(points)))) for step in (-1, 1)]
    return {
        point
        for point in points
        if any((*point[:axis], point[axis] + step, *point[axis + 1 :]) not in points for axis, step in steps)
    }


def directed(first: Points, second: Points, spacing: tuple[float, ...]) -> list[Fraction]:
    """Exact squared distances to the nearest of all points; every spacing used here is a whole number of hundredths."""
    steps = np.array([int(fraction(step) * 100) for step in spacing])
    here, there = np.array(sorted(first)) * steps, np.array(sorted(second)) * steps
    squares = ((here[:, None] - there[None]) ** 2).sum(axis=-1).min(axis=1)
    return [Fraction(square, 100**2) for square in squares.tolist()]


def pairs_by_definition(true: sm.LabelArray, pred: sm.LabelArray) -> list[tuple[Points, Points]]:
    """θ& over sets of points."""
    found = []
    for t, h in product(sorted({*true.labels.flat} - {0}), sorted({*pred.labels.flat} - {0})):
        first, second = points_of(true, t), points_of(pred, h)
        shared = len(first & second)
        if shared > len(first - second) and shared > len(second - first):
            found.append((first, second))
    return found


def roots(squares: list[Fraction]) -> list[float]:
    return [math.sqrt(square) for square in squares]


@given(similar_labels())
def test_surface_distances_equal_their_definitions(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    shapes = matched_shapes(*pair, rule="theta_and")
    expected = pairs_by_definition(*pair)
    assert shapes.alignment.n_pairs == len(expected)
    spacing = pair[0].spacing
    ways = [
        (directed(surface_of(t), surface_of(h), spacing), directed(surface_of(h), surface_of(t), spacing))
        for t, h in expected
    ]
    close: Callable[[list[float]], Any] = lambda values: pytest.approx(values, rel=1e-12, abs=1e-12)  # noqa: E731
    assert shapes.hausdorff().tolist() == close([math.sqrt(max(a + b)) for a, b in ways])
    assert shapes.hausdorff95().tolist() == close([max(np.percentile(roots(part), 95) for part in way) for way in ways])
    assert shapes.hausdorff95("pooled").tolist() == close([float(np.percentile(roots(a + b), 95)) for a, b in ways])
    assert shapes.average_surface_distance().tolist() == close([float(np.mean(roots(a + b))) for a, b in ways])
    assert shapes.average_surface_distance("directed").tolist() == close(
        [float(np.mean([np.mean(roots(a)), np.mean(roots(b))])) for a, b in ways]
    )


@given(similar_labels())
def test_surface_dice_is_decided_exactly(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    shapes, spacing = matched_shapes(*pair, rule="theta_and"), pair[0].spacing
    for tolerance in ("0", "0.3", "1", "3/2", "2"):
        shares = shapes.surface_dice(tolerance, weights="elements")
        limit = Fraction(tolerance) ** 2
        for at, (t, h) in enumerate(pairs_by_definition(*pair)):
            squares = directed(surface_of(t), surface_of(h), spacing) + directed(surface_of(h), surface_of(t), spacing)
            assert shares[at] == sum(square <= limit for square in squares) / len(squares)


def test_three_steps_of_a_tenth_are_within_three_tenths() -> None:
    true, pred = (sm.LabelArray([row], spacing=(1, 0.1)) for row in ([1] * 12, [1] * 9 + [0] * 3))
    assert 0.1 * 3 > 0.3
    assert sm.surface_dice(true, pred, tolerance=0.3).value == 1
    assert sm.surface_dice(true, pred, tolerance=0.29).value < 1


def test_a_spacing_with_many_digits_is_compared_as_floats() -> None:
    true, pred = (sm.LabelArray([row], spacing=(1, math.pi)) for row in ([1] * 12, [1] * 11 + [0]))
    assert sm.surface_dice(true, pred, tolerance=math.pi).value == 1
    assert sm.surface_dice(true, pred, tolerance=3.14).value < 1


@given(similar_labels())
def test_distances_from_all_elements_equal_their_definition(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    shapes, spacing = matched_shapes(*pair, rule="theta_and"), pair[0].spacing
    ways = [(roots(directed(t, h, spacing)), roots(directed(h, t, spacing))) for t, h in pairs_by_definition(*pair)]
    assert shapes.hausdorff("all").tolist() == pytest.approx([max(a + b) for a, b in ways])
    assert shapes.hausdorff95(points="all").tolist() == pytest.approx(
        [max(np.percentile(part, 95) for part in way) for way in ways]
    )


@given(similar_labels())
def test_centres_are_means_over_elements(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    spacing = np.array(pair[0].spacing)
    expected = [
        float(np.linalg.norm((np.mean(sorted(t), axis=0) - np.mean(sorted(h), axis=0)) * spacing))
        for t, h in pairs_by_definition(*pair)
    ]
    assert matched_shapes(*pair, rule="theta_and").centre_distance().tolist() == pytest.approx(expected, abs=1e-12)


@given(similar_labels(dimensions=(2, 3)))
def test_masks_have_the_distances_of_the_label_array(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    labels, masks = matched_shapes(*pair), matched_shapes(as_masks(pair[0]), as_masks(pair[1]))
    assert masks.hausdorff().tolist() == labels.hausdorff().tolist()
    assert masks.centre_distance().tolist() == labels.centre_distance().tolist()
    assert masks.diagonals.tolist() == labels.diagonals.tolist()
    for metric in ("euclidean", "chessboard"):
        assert masks.boundary_iou(metric=metric).tolist() == labels.boundary_iou(metric=metric).tolist()


def test_spans_have_the_distances_of_a_line() -> None:
    true, pred = sm.Spans.from_spans([(0, 6), (7, 12)], 14), sm.Spans.from_spans([(1, 6), (6, 12)], 14)
    shapes = matched_shapes(true, pred)
    line = matched_shapes([1] * 6 + [0] + [2] * 5 + [0] * 2, [0] + [1] * 5 + [2] * 6 + [0] * 2)
    assert shapes.hausdorff().tolist() == line.hausdorff().tolist() == [1, 1]
    for d in (1, 2, 3):
        assert shapes.boundary_iou(d).tolist() == line.boundary_iou(d).tolist()


def test_void_elements_leave_the_shapes_where_the_policy_says_so() -> None:
    true = sm.LabelArray([[1, 1, 1, 1, 9, 9, 9]], void=9)
    pred = [[1, 1, 1, 1, 1, 1, 0]]
    assert sm.hausdorff(true, pred, policy="none").value == 2
    for policy in ("coco", "strict-void"):
        assert sm.hausdorff(true, pred, policy=policy).value == 0
    assert matched_shapes(true, pred, policy="coco").diagonals.tolist() == [math.hypot(1, 4)]


def test_a_distance_becomes_a_weight() -> None:
    shapes = matched_shapes([[1, 1, 1, 1, 0], [2, 2, 2, 2, 2]], [[1, 1, 1, 0, 0], [2, 2, 2, 2, 2]])
    assert shapes.weights("hausdorff", furthest=2).tolist() == [0.5, 1]
    assert shapes.weights("hausdorff", furthest=0.5).tolist() == [0, 1]
    assert shapes.weights("hausdorff").tolist() == [1 - 1 / math.hypot(1, 4), 1]
    assert shapes.weights("hausdorff95", percentile="pooled", furthest=1).tolist() == pytest.approx([1 - 0.7, 1])
    assert shapes.weights("surface_dice", tolerance=0, weights="elements").tolist() == [6 / 7, 1]
    assert shapes.weights("boundary_iou", d=9).tolist() == [3 / 4, 1]


@given(similar_labels())
def test_every_weight_lies_in_the_unit_interval(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    shapes = matched_shapes(*pair)
    for by in ("hausdorff", "hausdorff95", "average_surface_distance", "centre_distance"):
        weights = shapes.weights(by)
        assert ((weights > 0) & (weights <= 1)).all(), "the diagonal is longer than any distance inside its box"


def test_curves_and_npq_speak_of_the_new_weights() -> None:
    """IoUs 3/4 and 1, weighed 1/2 and 1 by distance: the area under F1 is the mean weight, PQ stays as it was."""
    true, pred = [[1, 1, 1, 1, 0], [2, 2, 2, 2, 2]], [[1, 1, 1, 0, 0], [2, 2, 2, 2, 2]]
    tally = matched_shapes(true, pred).reweighted("hausdorff", furthest=2)
    assert sm.npq(tally).value == sm.curves(tally).area("f1") == 0.75
    assert sm.f1_at(tally, t="0.5").value == 1
    assert sm.f1_at(tally, t="0.6").value == 0.5
    assert sm.pq(tally).value == 7 / 8


def test_one_measurement_serves_all_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    from segmetry.geometry import measured_shapes as matched

    calls: list[int] = []
    real = matched.surface_distances
    monkeypatch.setattr(matched, "surface_distances", lambda *given: calls.append(1) or real(*given))
    keys = ["hausdorff", "hausdorff95", "average_surface_distance", "surface_dice"]
    sm.score([[1, 1, 2]], [[1, 1, 2]], keys, options={"surface_dice": {"tolerance": 1}})
    assert len(calls) == 2


OK = [[1, 1, 0], [1, 1, 0]]
SPACED = sm.LabelArray(OK, spacing=(2, 1))
EVEN = sm.LabelArray(OK, spacing=(1, 1))
CASES: dict[str, tuple[Callable[[], Any], type[SegmetryError], str]] = {
    "two spacings": (
        lambda: sm.hausdorff(SPACED, EVEN),
        InputError,
        r"true has spacing 2, 1 and pred 1, 1;",
    ),
    "two spacings, bands": (lambda: sm.boundary_iou(SPACED, EVEN), InputError, "give both sides the same spacing"),
    "negative spacing": (lambda: sm.LabelArray(OK, spacing=(1, -2)), OptionError, "positive finite"),
    "spacing of words": (lambda: sm.LabelArray(OK, spacing=("a", "b")), OptionError, "expected 2 numbers"),  # type: ignore[arg-type]
    "spacing of masks": (
        lambda: sm.Masks.from_dense(np.ones((1, 2, 2), dtype=bool), spacing=(1, 0)),
        OptionError,
        "positive finite",
    ),
    "tolerance NaN": (lambda: sm.surface_dice(OK, OK, tolerance=math.nan), OptionError, "tolerance is nan; expected"),
    "tolerance infinite": (
        lambda: sm.surface_dice(OK, OK, tolerance=math.inf),
        OptionError,
        "tolerance is inf; expected",
    ),
    "tolerance negative": (lambda: sm.surface_dice(OK, OK, tolerance=-1), OptionError, "tolerance is -1; expected"),
    "tolerance missing": (lambda: sm.surface_dice(OK, OK), OptionError, "surface_dice needs the option 'tolerance'"),
    "points": (
        lambda: sm.hausdorff(OK, OK, points="edge"),
        OptionError,
        "points is 'edge'; expected 'surface' or 'all'",
    ),
    "percentile": (lambda: sm.hausdorff95(OK, OK, percentile="max"), OptionError, "percentile is 'max'; expected"),
    "average": (lambda: sm.average_surface_distance(OK, OK, average="max"), OptionError, "average is 'max'; expected"),
    "furthest": (
        lambda: matched_shapes(OK, OK).weights("hausdorff", furthest=0),
        OptionError,
        "furthest is 0; expected positive",
    ),
    "furthest NaN": (
        lambda: matched_shapes(OK, OK).weights("hausdorff", furthest=math.nan),
        OptionError,
        "furthest is nan",
    ),
    "furthest of a similarity": (
        lambda: matched_shapes(OK, OK).weights("boundary_iou", furthest=1),
        OptionError,
        "boundary_iou is already a similarity",
    ),
    "weight": (lambda: matched_shapes(OK, OK).weights("iou"), OptionError, "by is 'iou'; expected one of hausdorff"),
    "sets": (
        lambda: sm.hausdorff(sm.Sets([{1}]), sm.Sets([{1}])),
        KindError,
        "hausdorff takes labels or masks or spans",
    ),
    "a table": (lambda: sm.hausdorff(sm.overlap(OK, OK)), KindError, "needs the segmentations themselves"),
    "an option nobody reads": (lambda: sm.stq(OK, OK, rule="theta_plus"), OptionError, "stq has no option 'rule'"),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_one_clear_error(case: str) -> None:
    act, error, message = CASES[case]
    with pytest.raises(error, match=message):
        act()


def test_the_example_of_class_masks() -> None:
    rows = class_masks(LabelArray([[1, 1, 2]]), LabelArray([[1, 2, 2]]))
    assert [(name, first.astype(int).tolist(), second.astype(int).tolist()) for name, first, second in rows] == [
        (1, [[1, 1, 0]], [[1, 0, 0]]),
        (2, [[0, 0, 1]], [[0, 1, 1]]),
    ]


def test_the_example_of_class_shapes() -> None:
    from segmetry.overlaps.count import overlap
    from segmetry.segmentation.labels import LabelArray

    true, pred = LabelArray([[1, 1, 1, 2]]), LabelArray([[1, 0, 0, 0]])
    shapes = ClassShapes(overlap(true, pred), true, pred)
    assert repr((shapes.names, shapes.hausdorff().tolist())) == "((1, 2), [2.0, nan])"


def test_the_example_of_closeness() -> None:
    assert closeness(np.array([0.0, 1.0, 9.0]), 4).tolist() == [1.0, 0.75, 0.0]


def test_the_example_of_shapes_of() -> None:
    shapes = shapes_of(LabelArray([[0, 7, 7], [0, 0, 7]]), np.array([7]))
    assert (shapes.boxes.tolist(), shapes.crop(0, shapes.boxes[0]).astype(int).tolist()) == (
        [[[0, 2], [1, 3]]],
        [[1, 1], [0, 1]],
    )


def test_the_example_of_trimmed() -> None:
    masks = np.array([0, 1, 0, 0], dtype=bool), np.array([0, 0, 1, 0], dtype=bool)
    assert [mask.tolist() for mask in trimmed(*masks)] == [[True, False], [False, True]]


def test_the_example_of_redrawn() -> None:
    masks = Masks.from_dense(np.array([[[True, True, False, False]]]))
    assert redrawn(masks, np.logical_not, margin=1).sizes.tolist() == [1]


def test_the_example_of_runs_of() -> None:
    assert runs_of([np.array([1, 2, 5])]).stops.tolist() == [3, 6]


def test_the_example_of_skeleton() -> None:
    assert (skeleton(np.ones((5, 5), dtype=bool)).sum() < 5) == np.True_


def test_the_example_of_median_set_distance() -> None:
    assert median_set_distance(np.array([True, True, True, True]), np.array([True, False, False, False]), (1.0,)) == 2.0
