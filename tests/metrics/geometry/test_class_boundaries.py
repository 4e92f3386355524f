"""The BF score, trimap IoU and superpixel boundaries, against distances between all pairs of elements and windows."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry._base.exact import fraction
from segmetry.errors import InputError, KindError, OptionError
from tests.geometry.strategies import as_masks, similar_labels
from tests.profiles import examples

Pair = tuple[sm.LabelArray, sm.LabelArray]
Place = tuple[int, ...]


def neighbours(place: Place, shape: Place) -> list[Place]:
    steps = [(axis, step) for axis in range(len(shape)) for step in (-1, 1)]
    around = [(*place[:axis], place[axis] + step, *place[axis + 1 :]) for axis, step in steps]
    return [other for other in around if all(0 <= at < size for at, size in zip(other, shape, strict=True))]


def boundary(labels: NDArray[Any], name: int) -> set[Place]:
    return {
        place
        for place in product(*map(range, labels.shape))
        if labels[place] == name and any(labels[other] != name for other in neighbours(place, labels.shape))
    }


def squared(a: Place, b: Place, spacing: tuple[float, ...]) -> Fraction:
    return sum(((fraction(step) * (i - j)) ** 2 for i, j, step in zip(a, b, spacing, strict=True)), start=Fraction(0))


def share_close(points: set[Place], others: set[Place], limit: Fraction, spacing: tuple[float, ...]) -> Fraction | None:
    close = [point for point in points if any(squared(point, other, spacing) < limit for other in others)]
    return Fraction(len(close), len(points)) if points else None


def means(rows: list[tuple[Fraction | None, Fraction | None]]) -> dict[str, float]:
    f_scores = [2 * p * r / (p + r) if p and r else Fraction(0) for p, r in rows if (p, r) != (None, None)]
    columns = {
        "bf_precision": [p for p, _ in rows if p is not None],
        "bf_recall": [r for _, r in rows if r is not None],
        "bf_score": f_scores,
    }
    return {key: float(sum(column) / len(column)) if column else math.nan for key, column in columns.items()}


@examples(4)
@given(similar_labels(dimensions=(2, 3)), st.sampled_from([None, "0.3", "1", "1.5", "2"]))
def test_the_bf_score_is_that_of_all_pairs_of_boundary_elements(pair: Pair, tolerance: str | None) -> None:
    true, pred = pair
    diagonal = sum((size * fraction(step)) ** 2 for size, step in zip(true.domain, true.spacing, strict=True))
    limit = Fraction(3, 400) ** 2 * diagonal if tolerance is None else Fraction(tolerance) ** 2
    rows = []
    for name in (1, 2):
        of_true, of_pred = boundary(true.labels, name), boundary(pred.labels, name)
        rows.append(
            (share_close(of_pred, of_true, limit, true.spacing), share_close(of_true, of_pred, limit, true.spacing))
        )
    for key, expected in means(rows).items():
        value = getattr(sm, key)(true, pred, tolerance=tolerance).value
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True), key


def test_a_distance_of_exactly_the_default_tolerance_is_too_far() -> None:
    true, pred = np.zeros((480, 640), dtype=int), np.zeros((480, 640), dtype=int)
    true[:, :100], pred[:, :106] = 1, 1
    assert sm.bf_score(true, pred).value == 0
    assert sm.bf_score(true, pred, strict=False).value == 1
    pred[:, 105] = 0
    assert sm.bf_score(true, pred).value == 1


def test_the_bf_score_of_masks_is_that_of_their_foreground() -> None:
    rng = np.random.default_rng(3)
    true, pred = (sm.LabelArray((rng.random((9, 11)) < 0.4).astype(int)) for _ in range(2))
    masks = as_masks(true), as_masks(pred)
    assert sm.bf_score(*masks, tolerance=1.5).value == sm.bf_score(true, pred, tolerance=1.5).value


def test_the_bf_score_of_a_data_set_is_by_item_and_by_class() -> None:
    true = {"a": sm.LabelArray.from_classes([[1, 1, 2, 2]]), "b": sm.LabelArray.from_classes([[1, 1, 0, 0]])}
    pred = {"a": sm.LabelArray.from_classes([[1, 2, 2, 1]]), "b": sm.LabelArray.from_classes([[1, 1, 0, 0]])}
    options = {"bf_score": {"tolerance": 1}}
    averages = sm.evaluate(true, pred, metrics=["bf_score"], options=options, engine="serial").summary()["bf_score"]
    assert averages["by_item_of_classes"].value == pytest.approx((1 / 3 + 1) / 2)
    assert averages["by_class_of_items"].value == pytest.approx(((0 + 1) / 2 + 2 / 3) / 2)


def test_elements_that_are_void_on_a_side_are_removed_from_both() -> None:
    true = sm.LabelArray([[1, 1, 255, 0, 0, 0]], void=255)
    assert sm.bf_score(true, sm.LabelArray([[1, 1, 1, 0, 0, 0]]), tolerance=1).value == 1
    assert sm.trimap_iou(true, sm.LabelArray([[1, 1, 1, 0, 0, 0]]), width=1).value == 1


def test_bad_options_and_inputs_are_errors() -> None:
    with pytest.raises(OptionError, match="tolerance is 0; expected a positive distance"):
        sm.bf_score([[1, 0]], [[1, 0]], tolerance=0)
    with pytest.raises(OptionError, match=r"width is 0\.5; expected at least one step"):
        sm.trimap_iou([[1, 0]], [[1, 0]], width=0.5)
    with pytest.raises(OptionError, match="radius is -1"):
        sm.superpixel_boundary_recall([[1, 2]], [[1, 2]], radius=-1)
    with pytest.raises(KindError, match="2 to 3 axes"):
        sm.bf_score([1, 0], [1, 0])
    with pytest.raises(InputError, match="the same spacing"):
        sm.bf_score(sm.LabelArray([[1, 0]], spacing=(1, 1)), sm.LabelArray([[1, 0]], spacing=(2, 1)))


# --- trimap


@examples(4)
@given(similar_labels(dimensions=(2, 3)), st.sampled_from(["1", "1.5", "2", "100"]))
def test_trimap_iou_counts_elements_near_another_true_label(pair: Pair, factor: str) -> None:
    true, pred = pair
    width = Fraction(factor) * fraction(min(true.spacing))
    places = list(product(*map(range, true.domain)))
    inside = [
        place
        for place in places
        if any(
            true.labels[place] != true.labels[other] and squared(place, other, true.spacing) <= width**2
            for other in places
        )
    ]
    values = []
    for name in (1, 2):
        of_true, of_pred = ({place for place in inside if side.labels[place] == name} for side in (true, pred))
        if of_true | of_pred:
            values.append(Fraction(len(of_true & of_pred), len(of_true | of_pred)))
    expected = float(sum(values) / len(values)) if values else math.nan
    assert sm.trimap_iou(true, pred, width=str(width)).value == pytest.approx(expected, abs=1e-12, nan_ok=True)


# --- superpixels


def windows(image: NDArray[Any], radius: int) -> tuple[set[Place], set[Place]]:
    """The boundary elements, and the elements with one of them in the window around them."""
    marked = set().union(*(boundary(image, name) for name in np.unique(image).tolist()))
    near = {
        place
        for place in product(*map(range, image.shape))
        if any(all(abs(i - j) <= radius for i, j in zip(place, other, strict=True)) for other in marked)
    }
    return marked, near


@examples(4)
@given(similar_labels(dimensions=(2, 3), uneven=False), st.integers(0, 2))
def test_superpixel_boundaries_are_counted_on_true_boundary_elements(pair: Pair, radius: int) -> None:
    true, pred = pair
    (of_true, near_true), (of_pred, near_pred) = windows(true.labels, radius), windows(pred.labels, radius)
    found = len(of_true & near_pred)
    expected = (found, len(of_true)), (found, found + len(of_pred - near_true))
    for key, (top, bottom) in zip(("recall", "precision"), expected, strict=True):
        score = getattr(sm, f"superpixel_boundary_{key}")(true, pred, radius=radius)
        assert (score.numerator, score.denominator) == (top, bottom)
        assert score.is_defined == (bottom > 0)


def test_the_default_radius_is_that_of_the_benchmark() -> None:
    true, pred = np.ones((321, 481), dtype=int), np.ones((321, 481), dtype=int)
    true[:, 100:], pred[:, 102:] = 2, 2
    assert sm.superpixel_boundary_recall(true, pred).value == 0.5  # radius 1
    assert sm.superpixel_boundary_recall(true[:100, :150], pred[:100, :150]).value == 0  # radius 0


def test_equal_labels_outside_are_one_segment_and_void_does_not_count() -> None:
    true = sm.LabelArray([[0, 9, 1, 1]], outside=(0, 9))
    assert sm.superpixel_boundary_recall(true, [[1, 1, 2, 2]], radius=0).denominator == 2
    void = sm.LabelArray([[1, 1, 255, 2]], void=255)
    assert sm.superpixel_boundary_recall(void, [[1, 1, 2, 2]], radius=0).denominator == 2
