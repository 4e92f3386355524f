"""J and F of DAVIS against sets of pixels, and what they refuse."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as from_numpy
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import InputError, OptionError
from segmetry.metrics.video.video_objects import statistics_of_frames
from tests.profiles import examples

SHAPE = (4, 5, 6)
VIDEOS = from_numpy.arrays(np.int64, SHAPE, elements=st.sampled_from([0, 0, 1, 1, 2]))
Pixels = set[tuple[int, ...]]


def pixels(frame: NDArray[np.int64], number: int) -> Pixels:
    return set(map(tuple, np.argwhere(frame == number).tolist()))


def boundary(mask: Pixels) -> Pixels:
    edge = set()
    for row, column in np.ndindex(SHAPE[1:]):
        block = {(r, c) for r in (row, row + 1) for c in (column, column + 1) if r < SHAPE[1] and c < SHAPE[2]}
        if block & mask and block - mask:
            edge.add((row, column))
    return edge


def near(mask: Pixels, other: Pixels) -> int:
    return sum(any(math.dist(a, b) <= 1 for b in other) for a in mask)


def j(true: Pixels, pred: Pixels) -> Fraction:
    return Fraction(len(true & pred), len(true | pred)) if true | pred else Fraction(1)


def f(true: Pixels, pred: Pixels) -> Fraction:
    t, p = boundary(true), boundary(pred)
    if not (t and p):
        return Fraction(not t and not p)
    precision, recall = Fraction(near(p, t), len(p)), Fraction(near(t, p), len(t))
    return 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)


@examples(4)
@given(VIDEOS, VIDEOS)
def test_j_and_f_are_means_over_frames_then_objects(true: NDArray[np.int64], pred: NDArray[np.int64]) -> None:
    objects = sorted(set(true[0].ravel().tolist()) - {0})
    rows = {
        name: [
            sum(measure(pixels(true[at], o), pixels(pred[at], o)) for at in (1, 2)) / 2 for o in objects
        ]
        for name, measure in (("j", j), ("f", f))
    }  # fmt: skip
    for key, name in (("region_similarity", "j"), ("contour_accuracy", "f")):
        score = getattr(sm, key)(true, pred)
        assert score.is_defined == bool(objects)
        if objects:
            assert math.isclose(score, sum(rows[name]) / len(objects))
    if objects:
        assert math.isclose(sm.j_and_f(true, pred), (sum(rows["j"]) + sum(rows["f"])) / len(objects) / 2)


def test_proposals_are_assigned() -> None:
    true = np.array([[[1, 1, 2, 2]]] * 3)
    pred = np.array([[[7, 7, 5, 5]]] * 3)
    assert sm.j_and_f(true, pred, task="unsupervised") == 1
    assert sm.region_similarity(true, pred) == 0
    assert sm.region_similarity(true, np.array([[[7, 7, 7, 0]]] * 3), task="unsupervised") == (2 / 3 + 0) / 2


def test_void_of_the_truth_is_removed_from_proposals_only() -> None:
    true = sm.LabelArray([[[1, 1, 255, 0]]] * 3, void=255)
    pred = np.array([[[1, 1, 1, 0]]] * 3)
    assert sm.region_similarity(true, pred, task="unsupervised") == 1
    assert math.isclose(sm.region_similarity(true, pred), 2 / 3)
    every = sm.LabelArray([[[1, 1, 1, 2]]] * 3, outside=None)
    assert math.isclose(sm.region_similarity(true, every, task="unsupervised"), 1)


def test_statistics_of_many_frames() -> None:
    frames = np.where(np.arange(400) < 100, 0.9, 0.4)
    assert np.allclose(statistics_of_frames(frames), [0.525, 0.25, 0.5], atol=5e-3)


def test_a_video_without_a_frame_that_counts_is_undefined() -> None:
    video = sm.LabelArray(np.ones((2, 3, 3), dtype=np.int64))
    score = sm.region_similarity(video, video)  # the first and the last frame are left out
    assert score.reason == "no object in the first frame of the truth, or no frame that counts"
    assert sm.region_similarity(video, video, task="unsupervised") == 1


def test_what_is_rejected() -> None:
    video = np.ones((3, 2, 2), int)
    with pytest.raises(OptionError, match="task is 'both'"):
        sm.j_and_f(video, video, task="both")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="tolerance is 0"):
        sm.j_and_f(video, video, tolerance=0)
    with pytest.raises(InputError, match="at most 20 proposals"):
        sm.j_and_f(np.ones((3, 1, 30), int), np.arange(90).reshape(3, 1, 30), task="unsupervised")
