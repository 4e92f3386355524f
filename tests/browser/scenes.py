"""Small data sets for the report: scenes with classes, void and crowd, volumes, overlapping masks, lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import segmetry as sm

CLASSES = ("car", "person", "sky")


def cells(numbers: np.random.Generator, shape: tuple[int, ...], count: int) -> NDArray[np.int64]:
    """Every element belongs to the nearest of some points."""
    points = numbers.uniform(0, 1, (count, len(shape))) * shape
    places = np.stack(np.meshgrid(*(np.arange(length) for length in shape), indexing="ij"), axis=-1)
    return np.argmin(((places[..., None, :] - points) ** 2).sum(axis=-1), axis=-1)


def moved(numbers: np.random.Generator, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same segments a little further on, one of them cut in two and one of them gone."""
    changed = np.roll(labels, numbers.integers(1, 4, labels.ndim), tuple(range(labels.ndim)))
    known = np.unique(changed)
    half = np.zeros(changed.shape, dtype=bool)
    half[..., : changed.shape[-1] // 2] = True
    changed = np.where((changed == known[0]) & half, changed.max() + 1, changed)
    return np.where(changed == known[-1], 0, changed)


def street_like(n_items: int = 6) -> tuple[dict[str, sm.LabelArray], dict[str, sm.LabelArray]]:
    """Scenes under the policy of COCO: label 200 is void in the truth, and some true segments are crowds."""
    numbers = np.random.default_rng(11)
    true, pred = {}, {}
    for at in range(n_items):
        labels = cells(numbers, (36, 48), 6 + at) * 3 + 5
        predicted = moved(numbers, labels)
        labels = np.where(labels == labels[0, 0], 200, labels)
        classes = [
            {int(segment): CLASSES[int(segment) % 3] for segment in np.unique(side)} for side in (labels, predicted)
        ]
        crowd = [int(np.unique(labels)[1])] if at % 2 else None
        name = f"scene {at}" if at else "</script><img src=x onerror=alert(1)>\u2028\u202eהו"
        true[name] = sm.LabelArray(labels, void=200, classes=classes[0], crowd=crowd)
        pred[name] = sm.LabelArray(predicted, classes=classes[1])
    return true, pred


def volumes() -> tuple[dict[str, sm.LabelArray], dict[str, sm.LabelArray]]:
    numbers = np.random.default_rng(12)
    labels = cells(numbers, (9, 20, 16), 7) + 1
    labels[:2] = 0
    return {"brain": sm.LabelArray(labels)}, {"brain": sm.LabelArray(moved(numbers, labels))}


def overlapping() -> tuple[dict[str, sm.Masks], dict[str, sm.Masks]]:
    numbers = np.random.default_rng(13)
    down, across = np.mgrid[0:30, 0:40]

    def discs(count: int) -> NDArray[np.bool_]:
        spots = numbers.uniform((0, 0, 5), (30, 40, 11), (count, 3))
        return np.stack([(down - y) ** 2 + (across - x) ** 2 < r * r for y, x, r in spots])

    true = discs(5)
    pred = np.concatenate((np.roll(true[:4], (1, 2), (1, 2)), discs(3)))
    return {"cells": sm.Masks.from_dense(true, ids=[9, 4, 7, 2, 11])}, {"cells": sm.Masks.from_dense(pred)}


def lines() -> tuple[dict[str, sm.Spans], dict[str, sm.Spans]]:
    """Lines with near misses, also in a chain; with gaps; whose mean length is halved to 2.5; of one element; long."""
    true = {
        "hearst": sm.Spans.from_masses([2, 3, 3, 1, 3, 6, 3]),
        "near": sm.Spans.from_masses([5, 3, 5]),
        "gaps": sm.Spans.from_spans([(2, 5), (7, 9)], n=10),
        "chain": sm.Spans.from_masses([3, 2, 7]),
        "half": sm.Spans.from_masses([5, 5]),
        "one": sm.Spans.from_masses([1]),
        "long": sm.Spans.from_masses([7, 30, 12, 51, 200, 400, 9, 91]),
    }
    pred = {
        "hearst": sm.Spans.from_masses([2, 6, 4, 2, 4, 3]),
        "near": sm.Spans.from_masses([4, 4, 5]),
        "gaps": sm.Spans.from_spans([(2, 6), (7, 9)], n=10),
        "chain": sm.Spans.from_masses([4, 8]),
        "half": sm.Spans.from_masses([3, 7]),
        "one": sm.Spans.from_masses([1]),
        "long": sm.Spans.from_masses([8, 29, 12, 250, 400, 101]),
    }
    return true, pred
