"""Segmentations for the tests of the page: rectangles, segments of more than 2⁵³ elements, masks that overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

import segmetry as sm


def blobs(n_items: int, seed: int, *, side: int = 24, classes: int = 3) -> tuple[dict[str, Any], dict[str, Any]]:
    """Label images of rectangles, and predictions that shift, cut, merge and invent some; their ids are beyond 2⁵³."""
    random = np.random.default_rng(seed)
    true: dict[str, Any] = {}
    pred: dict[str, Any] = {}
    for item in range(n_items):
        sides = [np.zeros((side, side), dtype=np.int64) for _ in range(2)]
        for segment in range(1, int(random.integers(1, 9))):
            top, left, height, width = random.integers(1, side // 2, size=4).tolist()
            sides[0][top : top + height, left : left + width] = segment
            if random.random() < 0.85:
                down, right = random.integers(-2, 3, size=2).tolist()
                sides[1][max(0, top + down) : top + height, max(0, left + right) : left + width] = segment + 3 * 2**58
        name = f"image {item}"
        true[name], pred[name] = (_labelled(labels, classes) for labels in sides)
    return true, pred


def _labelled(labels: Any, classes: int) -> sm.LabelArray:
    if not classes:
        return sm.LabelArray(labels)
    return sm.LabelArray(
        labels, classes={int(label): f"class {int(label) % classes}" for label in np.unique(labels) if label}
    )


def huge_spans() -> tuple[dict[str, Any], dict[str, Any]]:
    """Segments of more than 2⁵³ elements: a pair at IoU = 1/2 + 2⁻⁵⁶ or so, one at exactly 1/2, one a hair below."""
    half = 2**55
    lengths = {
        "above": ([2 * half - 1, half], [half, half - 1, half]),
        "at": ([2 * half, 5], [half, half, 5]),
        "below": ([2 * half + 1, half, 7], [half, half + 1, half, 7]),
        "third": ([3 * half, 3], [half + 1, 2 * half - 1, 3]),
    }
    sides = ({name: sm.Spans.from_masses(both[at]) for name, both in lengths.items()} for at in (0, 1))
    true, pred = sides
    return true, pred


def overlapping_masks(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Boolean masks of rectangles that overlap each other, so that rules are not one-to-one."""
    random = np.random.default_rng(seed)

    def masks(count: int) -> sm.Masks:
        stack = np.zeros((count, 20, 20), dtype=bool)
        for mask in stack:
            top, left, height, width = random.integers(3, 10, size=4).tolist()
            mask[top : top + height, left : left + width] = True
        return sm.Masks.from_dense(stack)

    names = [f"item {at}" for at in range(6)]
    return {name: masks(5) for name in names}, {name: masks(6) for name in names}
