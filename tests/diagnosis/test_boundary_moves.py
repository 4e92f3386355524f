"""Moves against sets of coordinates, and single segments against scipy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import ndimage

import segmetry as sm
from segmetry.diagnosis.boundary_sensitivity import Move, move_segments, moves
from segmetry.errors import KindError
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks

VOID = 9
Place = tuple[int, ...]


@st.composite
def images(draw: st.DrawFn, *, void: bool = True) -> np.ndarray[Any, Any]:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    labels = [0, 0, 1, 1, 2, 7] + ([VOID] if void else [])
    size = int(np.prod(shape))
    return np.array(draw(st.lists(st.sampled_from(labels), min_size=size, max_size=size)), dtype=np.uint8).reshape(
        shape
    )


def near(place: Place) -> list[Place]:
    steps = [(axis, step) for axis in range(len(place)) for step in (-1, 1)]
    return [tuple(x + step * (a == axis) for a, x in enumerate(place)) for axis, step in steps]


def moved_by_hand(labels: dict[Place, int], move: Move) -> dict[Place, int]:
    """The label of every place after a move; 0 is outside."""
    segments = {place: label for place, label in labels.items() if label not in (0, VOID)}
    after = {place: label if label == VOID else 0 for place, label in labels.items()}
    if move.kind == "shift":
        for place, label in segments.items():
            there = tuple(x + move.step * (axis == move.axis) for axis, x in enumerate(place))
            if there in after and after[there] != VOID:
                after[there] = label
        return after
    for place, label in labels.items():
        around = [labels[other] for other in near(place) if other in labels]
        if move.kind == "erode":
            keep = place in segments and all(other == label for other in around)
        else:
            keep = place in segments
            joins = sorted(other for other in around if other not in (0, VOID))
            if label == 0 and joins:
                after[place] = joins[0]
        if keep:
            after[place] = label
    return after


def as_places(labels: np.ndarray[Any, Any]) -> dict[Place, int]:
    return {place: int(labels[place]) for place in product(*map(range, labels.shape))}


@given(images(), st.data())
def test_labels_move_as_places_do(labels: np.ndarray[Any, Any], data: st.DataObject) -> None:
    move = data.draw(st.sampled_from(moves(labels.ndim)))
    moved = move_segments(LabelArray(labels, void=VOID), move)
    assert isinstance(moved.segmentation, LabelArray)
    before, after = as_places(labels), moved_by_hand(as_places(labels), move)
    assert as_places(moved.segmentation.labels) == after
    of = [{(place, label) for place, label in side.items() if label not in (0, VOID)} for side in (before, after)]
    assert moved.changed == len(of[0] ^ of[1])


@given(images(void=False), st.data())
def test_masks_move_each_on_its_own_as_scipy_moves_them(labels: np.ndarray[Any, Any], data: st.DataObject) -> None:
    move = data.draw(st.sampled_from(moves(labels.ndim)))
    ids = [1, 2, 7]
    stack = np.array([labels == label for label in ids] + [labels > 0])
    masks = Masks.from_dense(stack, ids=[*ids, 8], scores=[0.1, 0.2, 0.3, 0.4], classes=["a", "b", "c", "d"])
    after = move_segments(masks, move)
    assert isinstance(after.segmentation, Masks)
    cross = ndimage.generate_binary_structure(labels.ndim, 1)
    expected = []
    for mask in stack:
        if move.kind == "dilate":
            expected.append(ndimage.binary_dilation(mask, cross))
        elif move.kind == "erode":
            expected.append(ndimage.binary_erosion(mask, cross, border_value=1))
        else:
            steps = [move.step * (axis == move.axis) for axis in range(labels.ndim)]
            expected.append(ndimage.shift(mask.astype(np.uint8), steps, order=0, cval=0).astype(bool))
    kept = [at for at, mask in enumerate(expected) if mask.any() or not stack[at].any()]
    assert after.segmentation.ids.tolist() == [[*ids, 8][at] for at in kept]
    assert after.segmentation.scores is not None
    assert after.segmentation.scores.tolist() == [[0.1, 0.2, 0.3, 0.4][at] for at in kept]
    assert np.array_equal(after.segmentation.dense(), np.array(expected)[kept])
    assert after.changed == sum(int((old != new).sum()) for old, new in zip(stack, expected, strict=True))


@given(images(void=False).filter(lambda labels: bool((labels == 1).any())), st.data())
def test_one_segment_alone_moves_as_scipy_moves_it(labels: np.ndarray[Any, Any], data: st.DataObject) -> None:
    move = data.draw(st.sampled_from(moves(labels.ndim)[:2]))
    mask, cross = labels == 1, ndimage.generate_binary_structure(labels.ndim, 1)
    moved = move_segments(LabelArray(mask), move).segmentation
    assert isinstance(moved, LabelArray)
    grown = ndimage.binary_dilation(mask, cross)
    shrunk = ndimage.binary_erosion(mask, cross, border_value=1)
    assert np.array_equal(moved.labels == 1, grown if move.kind == "dilate" else shrunk)


def test_an_image_without_outside_gets_one() -> None:
    labels = np.array([[0, 0, 1]], dtype=np.uint8)
    moved = move_segments(LabelArray(labels, outside=None, classes={0: "a", 1: "b"}), Move("shift", 1, 1)).segmentation
    assert isinstance(moved, LabelArray)
    assert moved.labels.tolist() == [[2, 0, 0]] and moved.outside == (2,) and moved.classes == {0: "a", 1: "b"}
    full = np.arange(256, dtype=np.uint8).reshape(16, 16)
    eroded = move_segments(LabelArray(full, outside=None), Move("erode"))
    assert eroded.changed == 256 and len(sm.overlap(LabelArray(full, outside=None), eroded.segmentation).pred) == 0


def test_several_labels_may_mean_outside() -> None:
    labels = LabelArray(np.array([[0, 5, 1, 5, 0]]), outside=(0, 5))
    after = move_segments(labels, Move("dilate"))
    assert isinstance(after.segmentation, LabelArray)
    assert after.segmentation.labels.tolist() == [[0, 1, 1, 1, 0]] and after.changed == 2


def test_lines_and_sets_do_not_move() -> None:
    with pytest.raises(KindError, match="'spans' have no outline of pixels"):
        move_segments(sm.Spans.from_masses([2]), Move("erode"))
