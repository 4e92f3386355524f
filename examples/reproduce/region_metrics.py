"""Table 1 of a study of region metrics (seven metrics for segmentations of images) on a worked image.

Each metric is computed twice: by its formula, over Python sets of pixels, and by segmetry. Every row must agree.
"""

from __future__ import annotations

from itertools import combinations
from math import sqrt

import numpy as np

import segmetry as sm

from beside import OWN, Beside, finish

TRUE = np.array([[1, 1, 1, 2, 2, 2], [1, 1, 1, 2, 2, 2], [1, 1, 1, 2, 2, 2], [3, 3, 3, 3, 4, 4], [3, 3, 3, 3, 4, 4]])
PRED = np.array([[1, 1, 1, 1, 2, 2], [1, 1, 1, 1, 2, 2], [1, 1, 1, 1, 2, 2], [3, 3, 5, 5, 5, 5], [3, 3, 5, 5, 5, 5]])
Pixels = frozenset[tuple[int, int]]


def segments(labels: np.ndarray) -> list[Pixels]:
    """Return the pixels of every segment, by ascending id."""
    return [
        frozenset(zip(*map(np.ndarray.tolist, np.nonzero(labels == one)), strict=True)) for one in np.unique(labels)
    ]


def partner(t: Pixels, preds: list[Pixels]) -> Pixels:
    """Return the predicted segment with the largest intersection, then the larger IoU, then the smaller id."""
    return max(preds, key=lambda h: (len(t & h), len(t & h) / len(t | h), -preds.index(h)))


def shape(segment: Pixels) -> float:
    """Return the perimeter divided by four times the root of the area; the perimeter counts unit edges."""
    steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
    edges = sum((row + down, column + right) not in segment for row, column in segment for down, right in steps)
    return edges / (4 * sqrt(len(segment)))


def rand(trues: list[Pixels], preds: list[Pixels]) -> float:
    """Return the share of pairs of pixels on which both segmentations agree."""

    def of(pixel: tuple[int, int], family: list[Pixels]) -> int:
        return next(at for at, one in enumerate(family) if pixel in one)

    places = {pixel: (of(pixel, trues), of(pixel, preds)) for t in trues for pixel in t}
    agree = [(a[0] == b[0]) == (a[1] == b[1]) for a, b in combinations(places.values(), 2)]
    return sum(agree) / len(agree)


def by_formula() -> dict[str, float]:
    """Return the seven metrics by their formulas."""
    trues, preds = segments(TRUE), segments(PRED)
    n = len(trues)
    partners = [partner(t, preds) for t in trues]
    correct = sum(len(t & h) >= 0.8 * len(h) and len(t & h) >= 0.8 * len(t) for t in trues for h in preds)
    precision = [len(t & h) / len(h) for t, h in zip(trues, partners, strict=True)]
    recall = [len(t & h) / len(t) for t, h in zip(trues, partners, strict=True)]
    f = [2 * p * r / (p + r) for p, r in zip(precision, recall, strict=True)]
    return {
        "hoover_index": 1 - correct / n,
        "area_fit_index": sum((len(t) - len(h)) / len(t) for t, h in zip(trues, partners, strict=True)) / n,
        "shape_index": sum(shape(t) - shape(h) for t, h in zip(trues, partners, strict=True)) / n,
        "rand_error": 1 - rand(trues, preds),
        "partner_f_error": 1 - sum(f) / n,
        "covering": sum(len(t) * max(len(t & h) / len(t | h) for h in preds) for t in trues) / sum(map(len, trues)),
        "rbsb": sum(len(t ^ h) / len(t) for t, h in zip(trues, partners, strict=True)) / n,
    }


if __name__ == "__main__":
    table = Beside("Seven region metrics on an image of 5 × 6 pixels", OWN)
    found = sm.score(TRUE, PRED, list(by_formula()))
    for key, value in by_formula().items():
        table.same(key, None, found[key].value, value, digits=12)
    finish([table])
