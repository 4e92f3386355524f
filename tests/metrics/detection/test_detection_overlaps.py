"""Overlaps of masks, boxes and boundaries, by brute force over pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.metrics.detection.detections import boxes_of, overlap_rows

Mask = NDArray[np.bool_]


def boundary(mask: Mask, steps: int) -> Mask:
    """The mask without what is left after some erosions by a square of 3×3; outside the image nothing is."""
    left = np.pad(mask, 1)
    for _ in range(steps):
        shifted = [np.roll(left, (down, right), (0, 1)) for down in (-1, 0, 1) for right in (-1, 0, 1)]
        left = np.logical_and.reduce(shifted)
    return mask & ~left[1:-1, 1:-1]


def iou(true: Mask, pred: Mask, *, crowd: bool) -> float:
    shared = int((true & pred).sum())
    whole = int(pred.sum()) if crowd else int((true | pred).sum())
    return shared / whole if shared else 0.0


def expected(true: Mask, pred: Mask, kind: str, *, crowd: bool) -> float:
    overlap = iou(true, pred, crowd=crowd)
    if kind == "segm" or crowd:
        return overlap
    steps = max(1, round(0.02 * float(np.hypot(*true.shape))))
    return min(overlap, iou(boundary(true, steps), boundary(pred, steps), crowd=False))


def blobs(rng: np.random.Generator, n: int) -> Mask:
    stack = np.zeros((n, 60, 80), dtype=bool)
    for mask in stack:
        top, left = rng.integers(0, 40, 2)
        mask[top : top + int(rng.integers(0, 25)), left : left + int(rng.integers(0, 40))] = True
        mask[rng.random(mask.shape) < 0.02] ^= True
    return stack


@pytest.mark.parametrize("kind", ["segm", "boundary"])
@pytest.mark.parametrize("seed", range(6))
def test_overlaps_are_those_of_the_pixels(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    trues, preds = blobs(rng, 4), blobs(rng, 5)
    crowd = rng.random(4) < 0.3
    rows = overlap_rows(sm.Masks.from_dense(trues), sm.Masks.from_dense(preds), crowd, kind, None)
    found = np.zeros((5, 4))
    found[rows.pred, rows.true] = rows.overlap
    for p, pred in enumerate(preds):
        for t, true in enumerate(trues):
            assert found[p, t] == expected(true, pred, kind, crowd=bool(crowd[t]))


@pytest.mark.parametrize("seed", range(4))
def test_boxes_of_masks_are_the_smallest(seed: int) -> None:
    stack = blobs(np.random.default_rng(seed), 4)
    stack[0] = False
    for box, mask in zip(boxes_of(sm.Masks.from_dense(stack)).tolist(), stack, strict=True):
        rows, columns = np.nonzero(mask)
        spans = [(int(at.min()), int(at.max() - at.min() + 1)) if at.size else (0, 0) for at in (columns, rows)]
        assert box == [spans[0][0], spans[1][0], spans[0][1], spans[1][1]]


def with_boxes(*boxes: list[float], **facts: Any) -> sm.Masks:
    stack = np.zeros((len(boxes), 8, 8), dtype=bool)
    stack[:, 0, 0] = True
    return sm.Masks.from_dense(stack, detection=sm.DetectionFacts(boxes=boxes), **facts)


def test_stated_boxes_are_compared_by_their_areas() -> None:
    true, pred = with_boxes([0, 0, 4, 2]), with_boxes([2, 0, 4, 2], [4, 0, 1, 1], scores=[0.9, 0.8])
    rows = overlap_rows(true, pred, np.array([False]), "bbox", None)
    assert (rows.pred.tolist(), rows.overlap.tolist()) == ([0], [4 / 12])
    assert overlap_rows(true, pred, np.array([True]), "bbox", None).overlap.tolist() == [4 / 8]
    assert sm.average_precision(true, pred, thresholds="0.3", iou_type="bbox") == 1
    assert sm.average_precision(true, pred, thresholds="0.4", iou_type="bbox") == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"iou_type": "keypoints"}, "iou_type is 'keypoints'; expected one of segm, bbox, boundary"),
        ({"iou_type": "bbox", "rule": "theta_and"}, "rule counts the elements of masks"),
        ({"size": "tiny"}, "size is 'tiny'; expected all, small, medium, large"),
        ({"size": [9, 1]}, "expected the least area first"),
        ({"size": 3}, "size is 3; expected all, small"),
        ({"limit": "file"}, "limit is 'file'; expected 'class' or 'image'"),
    ],
)
def test_wrong_options_are_rejected(options: dict[str, Any], words: str) -> None:
    mask = sm.Masks.from_dense(np.ones((1, 2, 2), dtype=bool), scores=[1.0])
    with pytest.raises(OptionError, match=words):
        sm.average_precision(mask, mask, **options)
