"""HOTA, CLEAR MOT and IDF1 against their definitions over sets of pixels, with all matchings tried."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as from_numpy
from numpy.typing import NDArray

import segmetry as sm
from tests.profiles import examples

VIDEOS = from_numpy.arrays(np.int64, (3, 1, 9), elements=st.sampled_from([0, 1, 1, 2, 2]))
Pair = tuple[int, int]


def ious(true: NDArray[Any], pred: NDArray[Any]) -> list[dict[Pair, Fraction]]:
    """The IoUs of all pairs of labels of each frame."""
    frames = []
    for first, second in zip(true, pred, strict=True):
        labels = [sorted(set(side.ravel().tolist()) - {0}) for side in (first, second)]
        frames.append(
            {
                (t, p): Fraction(int(((first == t) & (second == p)).sum()), int(((first == t) | (second == p)).sum()))
                for t in labels[0]
                for p in labels[1]
            }
        )
    return frames


def matchings(pairs: list[Pair]) -> list[tuple[Pair, ...]]:
    return [
        chosen
        for count in range(len(pairs) + 1)
        for chosen in itertools.combinations(pairs, count)
        if len({t for t, _ in chosen}) == count == len({p for _, p in chosen})
    ]


def lengths(video: NDArray[Any]) -> dict[int, int]:
    return {number: int((video == number).any(axis=(1, 2)).sum()) for number in set(video.ravel().tolist()) - {0}}


def higher_order(true: NDArray[Any], pred: NDArray[Any]) -> float:
    frames, of_true, of_pred = ious(true, pred), lengths(true), lengths(pred)
    together: dict[Pair, Fraction] = {(t, p): Fraction(0) for t in of_true for p in of_pred}
    for frame in frames:
        for (t, p), iou in frame.items():
            total = sum(value for (a, b), value in frame.items() if a == t or b == p)
            together[t, p] += iou / total if total else 0
    aligned = {(t, p): m / (of_true[t] + of_pred[p] - m) for (t, p), m in together.items()}
    matched = [
        max(
            matchings([pair for pair in frame if frame[pair]]),
            key=lambda m: sum(aligned[pair] * frame[pair] for pair in m),
        )
        for frame in frames
    ]
    values = []
    for k in range(1, 20):
        hits = [pair for frame, m in zip(frames, matched, strict=True) for pair in m if frame[pair] >= Fraction(k, 20)]
        either = sum(of_true.values()) + sum(of_pred.values()) - len(hits)
        shares = [Fraction(hits.count((t, p)), of_true[t] + of_pred[p] - hits.count((t, p))) for t, p in hits]
        association = sum(shares, Fraction(0)) / len(hits) if hits else Fraction(0)
        values.append(math.sqrt(Fraction(len(hits), either) * association))
    return sum(values) / 19


@examples(4)
@given(VIDEOS, VIDEOS)
def test_hota_is_as_defined(true: NDArray[Any], pred: NDArray[Any]) -> None:
    score = sm.hota(true, pred)
    if not (true.any() or pred.any()):
        assert not score.is_defined
    elif not score.details["ties"]:
        assert math.isclose(score, higher_order(true, pred), abs_tol=1e-12)


@examples(4)
@given(VIDEOS, VIDEOS)
def test_idf1_is_as_defined(true: NDArray[Any], pred: NDArray[Any]) -> None:
    of_true, of_pred = lengths(true), lengths(pred)
    if not (of_true or of_pred):
        return
    frames = ious(true, pred)
    shared = {(t, p): sum(frame.get((t, p), 0) >= Fraction(1, 2) for frame in frames) for t in of_true for p in of_pred}
    best = max(sum(shared[pair] for pair in matching) for matching in matchings(list(shared)))
    assert sm.idf1(true, pred) == 2 * best / (sum(of_true.values()) + sum(of_pred.values()))


def test_switches_are_counted_from_the_last_match() -> None:
    """Object 1 is matched to 5, not at all, then to 6: one switch; 5 again is another."""
    true = np.array([[[1, 1, 1]]] * 4)
    pred = np.array([[[5, 5, 5]], [[0, 0, 0]], [[6, 6, 6]], [[5, 5, 5]]])
    assert sm.motsa(true, pred) == (3 - 0 - 2) / 4
    assert sm.smotsa(true, pred) == (3 - 0 - 2) / 4


def test_a_match_of_the_frame_before_goes_first() -> None:
    """In frame 2 objects 5 and 6 both have IoU 1/2; 5 was matched before."""
    true = np.array([[[1, 1, 0, 0]], [[1, 1, 1, 1]]])
    pred = np.array([[[6, 6, 0, 0]], [[5, 5, 6, 6]]])
    assert sm.motsa(true, pred) == (2 - 1 - 0) / 2


def test_unmatched_predictions_in_ignore_regions_are_removed() -> None:
    true = sm.LabelArray([[[1, 1, 8, 8, 8]]], void=8)
    assert sm.deta(true, sm.LabelArray([[[1, 1, 2, 2, 0]]])) == 1
    assert sm.deta(true, sm.LabelArray([[[1, 1, 0, 0, 0]]])) == 1
    assert sm.motsa(true, sm.LabelArray([[[2, 3, 3, 0, 0]]])) == 0
    assert sm.motsa(true, sm.LabelArray([[[2, 3, 3, 3, 3]]])) == 1


def test_classes_are_scored_one_by_one() -> None:
    classes = {1: "car", 2: "person"}
    true, pred = (
        {"a": sm.LabelArray([[[1, 1, 2]]], classes=classes)},
        {"a": sm.LabelArray([[[1, 1, 0]]], classes=classes)},
    )
    run = sm.evaluate(true, pred, metrics=["hota", "motsa"], engine="serial")
    summary = run.summary()
    assert [summary.parts[name]["hota"].over_data_set.value for name in ("car", "person")] == [1, 0]
    assert summary["hota"]["by_class"].value == 0.5
