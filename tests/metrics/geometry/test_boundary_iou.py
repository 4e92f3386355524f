"""Boundary IoU and boundary PQ, against one erosion per mask and against distances between all elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry._base.exact import fraction
from segmetry.errors import OptionError, SegmetryError
from segmetry.geometry.band_overlaps import band_table, band_width, banded, contour_band, default_width, outside_label
from segmetry.segmentation.labels import LabelArray
from tests.geometry.strategies import similar_labels

Mask = NDArray[np.bool_]


def eroded_band(mask: Mask, d: int) -> Mask:
    """The mask less d erosions with a square (a cube) of 3, after a frame of zeros was put round it."""
    from scipy.ndimage import binary_erosion

    padded = np.pad(mask, 1)
    kept = binary_erosion(padded, np.ones((3,) * mask.ndim, dtype=bool), iterations=d)
    band: Mask = (padded & ~kept)[(slice(1, -1),) * mask.ndim]
    return band


def euclidean_band(mask: Mask, d: Fraction, spacing: tuple[float, ...]) -> Mask:
    """Elements of the mask within d of an element that is not in it; there is one such element all round the image."""
    padded = np.pad(mask, 1)
    steps = np.array([int(fraction(step) * 100) for step in spacing])
    inside, outside = np.argwhere(padded) * steps, np.argwhere(~padded) * steps
    squares = ((inside[:, None] - outside[None]) ** 2).sum(axis=-1).min(axis=1)
    band = np.zeros(padded.shape, dtype=bool)
    near = np.array([Fraction(square, 100**2) <= d**2 for square in squares.tolist()], dtype=bool)
    band[tuple((np.argwhere(padded)[near]).T)] = True
    cut: Mask = band[(slice(1, -1),) * mask.ndim]
    return cut


def iou(first: Mask, second: Mask) -> Fraction:
    return Fraction(int((first & second).sum()), int((first | second).sum()))


def reference_pq(true: NDArray[Any], pred: NDArray[Any], band: Callable[[Mask], Mask]) -> float:
    """Boundary PQ of the published tool for disjoint segments without classes: a match where both IoUs exceed 1/2."""
    trues, preds = ([result == label for label in np.unique(result) if label] for result in (true, pred))
    weights = [min(iou(t, h), iou(band(t), band(h))) for t, h in product(trues, preds) if (t & h).any()]
    matched = [weight for weight in weights if 2 * weight > 1]
    return float(2 * sum(matched) / (len(trues) + len(preds)))


@given(similar_labels(dimensions=(2, 3), uneven=False), st.integers(1, 4))
def test_chessboard_bands_are_erosions(pair: tuple[sm.LabelArray, sm.LabelArray], d: int) -> None:
    true, pred = pair
    if not (true.labels.any() or pred.labels.any()):
        return
    result = sm.boundary_pq(true, pred, d=d)
    assert result.value == pytest.approx(reference_pq(true.labels, pred.labels, lambda m: eroded_band(m, d)), abs=1e-12)


@given(similar_labels(dimensions=(1, 3)), st.sampled_from(["1", "1.5", "2", "3"]))
def test_euclidean_bands_are_exact(pair: tuple[sm.LabelArray, sm.LabelArray], d: str) -> None:
    true, pred = pair
    width = Fraction(d) * fraction(min(true.spacing))
    if not (true.labels.any() or pred.labels.any()):
        return
    result = sm.boundary_pq(true, pred, d=float(width), metric="euclidean", rule="theta_plus")
    expected = reference_pq(true.labels, pred.labels, lambda m: euclidean_band(m, width, true.spacing))
    assert result.value == pytest.approx(expected, abs=1e-12)


@given(similar_labels(dimensions=(2, 2), uneven=False))
def test_under_theta_and_the_rule_must_hold_for_segments_and_bands(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    true, pred = (result.labels for result in pair)
    total, count = Fraction(0), 0
    trues, preds = ([result == label for label in np.unique(result) if label] for result in (true, pred))
    for t, h in product(trues, preds):
        td, hd = eroded_band(t, 1), eroded_band(h, 1)
        if all((a & b).sum() > max((a & ~b).sum(), (b & ~a).sum()) for a, b in ((t, h), (td, hd))):
            total, count = total + min(iou(t, h), iou(td, hd)), count + 1
    if trues or preds:
        expected = float(2 * total / (len(trues) + len(preds)))
        result = sm.boundary_pq(*pair, d=1, rule="theta_and")
        assert result.value == pytest.approx(expected, abs=1e-12)


@st.composite
def coco_pairs(draw: st.DrawFn) -> tuple[sm.LabelArray, sm.LabelArray, dict[int, str]]:
    """Label maps with classes, void (0) in the truth and one crowd of cats, mostly agreeing."""
    shape = (draw(st.integers(2, 7)), draw(st.integers(2, 7)))
    blocks = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 4)), max_size=5))
    true = np.zeros(shape, dtype=np.int64)
    for row, column, label in blocks:
        true[row : row + 4, column : column + 4] = label
    pred = np.roll(true, draw(st.integers(-1, 1)), axis=draw(st.integers(0, 1)))
    pred[pred == 0] = draw(st.integers(0, 3))
    classes = {1: "cat", 2: draw(st.sampled_from(["cat", "dog"])), 3: "dog", 4: "cat"}
    crowd = draw(st.sampled_from([None, 4]))
    return (
        sm.LabelArray(true, outside=None, void=0, classes=classes, crowd=crowd),
        sm.LabelArray(pred, classes=classes),
        classes,
    )


def published_counts(
    true: sm.LabelArray, pred: sm.LabelArray, classes: dict[int, str], band: Callable[[Mask], Mask]
) -> tuple[Fraction, int]:
    """Σ min(IoU, boundary IoU) and 2 TP + FP + FN of the published tool, over all classes."""
    void = true.labels == 0
    trues = {label: true.labels == label for label in np.unique(true.labels).tolist() if label}
    preds = {label: pred.labels == label for label in np.unique(pred.labels).tolist() if label}
    matched_true, matched_pred, total = set(), set(), Fraction(0)
    for t, h in product(trues, preds):
        if t in true.crowd or classes[t] != classes[h] or not (trues[t] & preds[h]).any():
            continue
        ious = [
            Fraction(int((a & b).sum()), int((a | (b & ~void)).sum()))
            for a, b in ((trues[t], preds[h]), (band(trues[t]), band(preds[h])))
        ]
        if 2 * min(ious) > 1:
            total += min(ious)
            matched_true.add(t)
            matched_pred.add(h)
    missed = [t for t in trues if t not in matched_true and t not in true.crowd]
    crowds = {classes[t]: trues[t] for t in trues if t in true.crowd}
    spurious = [
        h
        for h in preds
        if h not in matched_pred
        and 2 * (preds[h] & (void | crowds.get(classes[h], np.zeros_like(void)))).sum() <= preds[h].sum()
    ]
    return total, 2 * len(matched_true) + len(missed) + len(spurious)


@given(coco_pairs(), st.integers(1, 2))
def test_the_coco_policy_gives_the_counts_of_the_published_tool(
    case: tuple[sm.LabelArray, sm.LabelArray, dict[int, str]], d: int
) -> None:
    true, pred, classes = case
    total, count = published_counts(true, pred, classes, lambda mask: eroded_band(mask, d))
    result = sm.boundary_pq(true, pred, d=d, metric="chessboard", policy="coco", average="segments")
    assert result.denominator == count
    assert result.numerator == pytest.approx(float(2 * total), abs=1e-12)


def test_the_default_width_is_that_of_the_reference() -> None:
    for height, width in ((480, 640), (1024, 2048), (10, 10), (3, 4), (37, 911)):
        diagonal = np.sqrt(height**2 + width**2)
        assert default_width((height, width), (1.0, 1.0)) == max(1, round(0.02 * float(diagonal)))
    assert default_width((100, 100, 20), (0.5, 0.5, 3.0)) == 0.5 * round(0.02 * math.hypot(50, 50, 60) / 0.5)


def test_three_steps_of_a_tenth_are_within_three_tenths() -> None:
    bands = banded(sm.LabelArray([[1] * 20], spacing=(1, 0.1)), 0.3, "euclidean")
    assert isinstance(bands, sm.LabelArray)
    assert bands.labels.sum() == 6


def test_a_void_element_is_never_background_of_a_band() -> None:
    """The union leaves out the pred's void elements in the bands, too, wherever in the void they lie."""
    true = sm.LabelArray([[1] * 3 + [9] * 7] * 5, void=9)
    pred = [[1] * 7 + [0] * 3] * 5
    bands = banded(true, 1, "chessboard")
    assert isinstance(bands, sm.LabelArray)
    assert (bands.labels == 9).sum() == 35
    # 20 elements in pred's band, 11 of them void, 3 of those deep in the void; 12 in true's band; 9 in both.
    assert sm.boundary_iou(true, pred, d=1, metric="chessboard", policy="coco").value == 9 / (12 + 20 - 11 - 9)


@pytest.mark.parametrize(
    "labels",
    [
        sm.LabelArray(np.array([[0, 0, 0, 1, 1, 1]] * 3, dtype=np.int8), outside=None),
        sm.LabelArray(np.array([[False, False, False, True, True, True]] * 3), outside=None),
        sm.LabelArray(np.arange(256, dtype=np.uint8).reshape(16, 16), outside=None),
        sm.LabelArray(np.array([[5, 5, 5, 200, 200, 200]] * 3, dtype=np.uint8), outside=-1),
    ],
)
def test_bands_need_no_free_label(labels: sm.LabelArray) -> None:
    assert sm.boundary_pq(labels, labels).value == 1


def test_a_segment_whose_id_is_a_class_number_is_scored_right() -> None:
    """The published tool marks interiors with the id max category + 1, which may be a segment's."""
    labels = np.repeat(np.arange(1, 4), 8)[None].repeat(9, axis=0)
    assert sm.boundary_pq(labels, labels, rule="theta_plus", metric="chessboard").value == 1


def test_overlapping_masks_have_their_own_bands() -> None:
    stack = np.zeros((2, 7, 7), dtype=bool)
    stack[0, :6, :6] = stack[1, 1:, 1:] = True
    masks = sm.Masks.from_dense(stack)
    assert sm.boundary_pq(masks, masks, resolve="assign", d=1).value == 1
    bands = banded(masks, 1, "chessboard")
    assert isinstance(bands, sm.Masks)
    assert [band.tolist() for band in bands.dense()] == [eroded_band(mask, 1).tolist() for mask in stack]


def test_masks_without_elements_have_empty_bands() -> None:
    stack = np.zeros((2, 4, 4), dtype=bool)
    stack[0, :2] = True
    masks = sm.Masks.from_dense(stack)
    assert sm.boundary_iou(masks, masks).value == 1
    assert sm.boundary_pq(masks, masks).value == 0.5


def test_classes_must_agree() -> None:
    true = sm.LabelArray([[1, 1], [1, 1]], classes={1: "cat"})
    pred = sm.LabelArray([[1, 1], [1, 1]], classes={1: "dog"})
    assert sm.boundary_pq(true, pred).value == 0
    assert sm.boundary_pq(true, pred, classes="ignore").value == 1


def test_an_unmatched_pred_in_a_crowd_is_ignored_as_a_whole_segment() -> None:
    classes = {1: "cat", 2: "cat"}
    true = sm.LabelArray([[1, 1, 1, 2, 2, 2]], classes=classes, crowd=2)
    pred = sm.LabelArray([[1, 1, 1, 2, 2, 0]], classes=classes)
    assert sm.boundary_pq(true, pred, policy="coco").value == 1
    assert sm.boundary_pq(true, pred, policy="none", rule="theta_plus").value == pytest.approx((1 + 2 / 3) / 2)


OK = [[1, 1, 0], [1, 1, 0]]
CASES: dict[str, tuple[Callable[[], Any], type[SegmetryError], str]] = {
    "d of 0": (lambda: sm.boundary_pq(OK, OK, d=0), OptionError, "d is 0; expected a distance of at least one step, 1"),
    "d below 1": (lambda: sm.boundary_iou(OK, OK, d=0.5), OptionError, "d is 0.5; expected"),
    "d negative": (lambda: sm.boundary_iou(OK, OK, d=-3), OptionError, "d is -3; expected"),
    "d NaN": (lambda: sm.boundary_iou(OK, OK, d=math.nan), OptionError, "d is nan; expected"),
    "d infinite": (lambda: sm.boundary_iou(OK, OK, d=math.inf), OptionError, "d is inf; expected"),
    "d below the spacing": (
        lambda: sm.boundary_iou(*(sm.LabelArray(OK, spacing=(3, 2)) for _ in range(2)), d=1, metric="euclidean"),
        OptionError,
        "at least one step, 2",
    ),
    "d of words": (lambda: sm.boundary_iou(OK, OK, d="two"), OptionError, "d is 'two'; expected a distance"),
    "half a step": (
        lambda: sm.boundary_iou(OK, OK, d=1.5, metric="chessboard"),
        OptionError,
        "integer number of steps",
    ),
    "metric": (lambda: sm.boundary_iou(OK, OK, metric="manhattan"), OptionError, "metric is 'manhattan'; expected"),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_one_clear_error(case: str) -> None:
    act, error, message = CASES[case]
    with pytest.raises(error, match=message):
        act()


def test_the_example_of_default_width() -> None:
    assert (
        default_width((480, 640), (1.0, 1.0)),
        default_width((5, 5), (1.0, 1.0)),
        default_width((100, 100), (0.5, 0.5)),
    ) == (16.0, 1.0, 1.5)


def test_the_example_of_band_width() -> None:
    assert (band_width(None, "chessboard", (480, 640), (0.5, 0.5)), band_width(2, "euclidean", (9, 9), (1.0, 1.0))) == (
        16.0,
        2.0,
    )


def test_the_example_of_band_table() -> None:
    table = band_table(LabelArray([1, 1, 1, 1, 1]), LabelArray([1, 1, 1, 2, 2]), 1, "euclidean")
    assert (table.true.sizes.tolist(), table.pred.sizes.tolist(), table.shared.tolist()) == ([2], [2, 2], [1, 1])


def test_the_example_of_contour_band() -> None:
    assert contour_band(np.array([[1, 1, 1, 1, 1, 1]] * 9), 0.3, "euclidean", (0.1, 0.1))[4].astype(int).tolist() == [
        1,
        1,
        1,
        1,
        1,
        1,
    ]


def test_the_example_of_outside_label() -> None:
    assert outside_label(LabelArray([[1, 0]], outside=None))[0] == 2
