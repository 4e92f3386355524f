"""The protocol of COCO panoptic against a transcription of its definition, degenerate images included."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

THINGS, STUFF = (1, 2, 3), (11, 12)
Image = tuple[NDArray[Any], dict[int, int], list[int]]
"""Ids of the pixels (0 is void), the class of every segment, and the crowd segments in the order of their list."""


def image(rng: np.random.Generator, truth: NDArray[Any] | None = None) -> Image:
    """Blocks of segments with gaps of void; a prediction is like the truth in places."""
    shape = tuple(rng.integers(1, 9, 2)) if truth is None else truth.shape
    ids = np.kron(rng.integers(0, rng.integers(1, 7), (4, 4)), np.ones((2, 2), dtype=int))[: shape[0], : shape[1]]
    if truth is not None and rng.random() < 0.8:
        ids = np.where(rng.random(shape) < rng.choice([0.2, 0.5, 0.9, 1]), truth, ids)
    segments = [number for number in np.unique(ids).tolist() if number]
    classes = {number: int(rng.choice((*THINGS, *STUFF))) for number in rng.permutation(segments).tolist()}
    crowd = [number for number in classes if truth is None and rng.random() < 0.25]
    return ids, classes, crowd


def degenerate_images() -> Iterator[tuple[Image, Image]]:
    """Empty sides, only void, one pixel, everything ignored, several crowds of a class."""
    blank, one = np.zeros((2, 3), dtype=int), np.ones((1, 1), dtype=int)
    half, whole = np.array([[1, 1, 2], [1, 1, 2]]), np.ones((2, 3), dtype=int)
    yield (half, {1: 1, 2: 11}, []), (blank, {}, [])
    yield (blank, {}, []), (half, {1: 1, 2: 11}, [])
    yield (blank, {}, []), (blank, {}, [])
    yield (one, {1: 2}, []), (one, {1: 2}, [])
    yield (one, {1: 2}, []), (one, {1: 3}, [])
    yield (half, {1: 1, 2: 1}, [1, 2]), (whole, {1: 1}, [])
    yield (half, {2: 1, 1: 1}, [2, 1]), (whole, {1: 1}, [])
    yield (np.array([[0, 0, 1, 2]]), {1: 1, 2: 1}, [1, 2]), (np.array([[1, 1, 1, 1]]), {1: 1}, [])


def reference_counts(true: Image, pred: Image, counts: dict[int, list[float]]) -> None:
    """TP, FP, FN and the sum of IoUs by class, as the reference defines them, over sets of pixels."""
    (true_ids, true_classes, crowd), (pred_ids, pred_classes, _) = true, pred

    def pixels(ids: NDArray[Any], number: int) -> set[tuple[int, ...]]:
        return set(map(tuple, np.argwhere(ids == number).tolist()))

    void = pixels(true_ids, 0)
    truths = {number: pixels(true_ids, number) for number in true_classes}
    preds = {number: pixels(pred_ids, number) for number in pred_classes}
    found_true, found_pred = set(), set()
    for t, t_pixels in truths.items():
        for p, p_pixels in preds.items():
            if t in crowd or true_classes[t] != pred_classes[p]:
                continue
            iou = Fraction(len(t_pixels & p_pixels), len(t_pixels | (p_pixels - void)))
            if iou > Fraction(1, 2):
                found_true.add(t)
                found_pred.add(p)
                counts[true_classes[t]][0] += 1
                counts[true_classes[t]][3] += float(iou)
    for t, name in true_classes.items():
        counts[name][2] += t not in found_true and t not in crowd
    last_crowd = {true_classes[number]: number for number in true_classes if number in crowd}
    for p, name in pred_classes.items():
        excused = preds[p] & void
        if name in last_crowd:
            excused = excused | (preds[p] & truths[last_crowd[name]])
        counts[name][1] += p not in found_pred and not 2 * len(excused) > len(preds[p])


def reference_averages(counts: dict[int, list[float]], classes: tuple[int, ...]) -> dict[str, float]:
    occurring = [counts[name] for name in classes if name in counts and sum(counts[name][:3])]
    if not occurring:
        return {"PQ": math.nan, "SQ": math.nan, "RQ": math.nan, "N": 0}
    rows = [
        (iou / (tp + fp / 2 + fn / 2), iou / tp if tp else 0.0, tp / (tp + fp / 2 + fn / 2))
        for tp, fp, fn, iou in occurring
    ]
    n = len(rows)
    return {key: sum(row[at] for row in rows) / n for at, key in enumerate(("PQ", "SQ", "RQ"))} | {"N": n}


def check_panoptic(images: list[tuple[Image, Image]]) -> None:
    counts: dict[int, list[float]] = defaultdict(lambda: [0, 0, 0, 0.0])
    for true, pred in images:
        reference_counts(true, pred, counts)
    sides = (
        {
            f"{at}": sm.LabelArray(ids, outside=None, void=0, classes=classes, crowd=crowd)
            for at, ((ids, classes, crowd), _) in enumerate(images)
        },
        {f"{at}": sm.LabelArray(ids, classes=classes) for at, (_, (ids, classes, _)) in enumerate(images)},
    )
    run = sm.evaluate(*sides, protocol="coco-panoptic", groups={"things": THINGS, "stuff": STUFF}, engine="serial")
    assert run.modified == ()
    rows = shown(run)
    for row, classes in (("All", (*THINGS, *STUFF)), ("Things", THINGS), ("Stuff", STUFF)):
        for heading, expected in reference_averages(counts, classes).items():
            assert same(rows[row][heading], expected), (row, heading, rows, counts)


def test_coco_panoptic_equals_the_reference() -> None:
    rng = np.random.default_rng(31)
    for _ in range(DATA_SETS):
        truths = [image(rng) for _ in range(rng.integers(1, 5))]
        check_panoptic([(truth, image(rng, truth[0])) for truth in truths])


@pytest.mark.parametrize("at", range(len(list(degenerate_images()))))
def test_coco_panoptic_equals_the_reference_on_degenerate_images(at: int) -> None:
    check_panoptic([list(degenerate_images())[at]])
