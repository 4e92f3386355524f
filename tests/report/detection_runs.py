"""A small data set of scored masks that overlap, with hostile names."""

from __future__ import annotations

import numpy as np

import segmetry as sm

CLASSES = ("person", "<b>bike", "\x01car with a name that is longer than a legend")
NAMES = ("image 1", "</script><img src=x onerror=alert(1)>", "image 3")


def scored_masks(seed: int = 3) -> tuple[dict[str, sm.Masks], dict[str, sm.Masks]]:
    """Rectangles; most are found a little further on, some are missed, and some predictions are of nothing."""
    numbers = np.random.default_rng(seed)

    def rectangles(count: int) -> tuple[np.ndarray, list[str]]:
        stack = np.zeros((count, 64, 64), dtype=bool)
        for mask in stack:
            top, left = numbers.integers(0, 30, 2)
            height, width = numbers.integers(8, 50, 2)
            mask[top : top + height, left : left + width] = True
        return stack, [CLASSES[at] for at in numbers.integers(0, 3, count)]

    true, pred = {}, {}
    for name in NAMES:
        masks, classes = rectangles(6)
        found = np.flatnonzero(numbers.random(6) < 0.8)
        others, other_classes = rectangles(2)
        stack = np.concatenate((np.roll(masks[found], (1, 2), (1, 2)), others))
        named = [classes[at] for at in found] + other_classes
        true[name] = sm.Masks.from_dense(masks, ids=[9, 4, 7, 2, 11, 30], classes=classes)
        pred[name] = sm.Masks.from_dense(stack, classes=named, scores=numbers.random(len(stack)).round(3))
    return true, pred
