"""The BF score against distance transforms of scipy, and superpixel boundaries against a transcription of the published
benchmark (C++ of 2018, which is not on PyPI).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import binary_erosion, distance_transform_edt

import segmetry as sm
from tests.geometry.strategies import random_blobs
from tests.profiles import count

Labels = NDArray[np.int64]


def pairs(seed: int, n_pairs: int, largest: int) -> list[tuple[Labels, Labels]]:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n_pairs):
        shape = tuple(rng.integers(1, largest, 2).tolist())
        true = rng.integers(0, 3) + random_blobs(rng, shape).astype(np.int64)
        pred = np.where(rng.random(shape) < rng.choice([0, 0.02, 0.3]), rng.integers(0, 4, shape), np.roll(true, 1, 0))
        made.append((true, pred))
    return made


def bf_by_distance_transforms(true: Labels, pred: Labels, theta: float) -> float:
    """The mean over classes of F; boundaries by erosion with the border repeated, distances by a transform."""
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)
    values = []
    for name in sorted({*np.unique(true).tolist(), *np.unique(pred).tolist()} - {0}):
        edges = []
        for side in (true, pred):
            mask = side == name
            edges.append(mask & ~binary_erosion(np.pad(mask, 1, mode="edge"), cross, border_value=1)[1:-1, 1:-1])
        if not (edges[0].any() or edges[1].any()):
            continue
        if not (edges[0].any() and edges[1].any()):
            values.append(0.0)
            continue
        recall = float(np.mean(distance_transform_edt(~edges[1])[edges[0]] < theta))
        precision = float(np.mean(distance_transform_edt(~edges[0])[edges[1]] < theta))
        values.append(2 * precision * recall / (precision + recall) if precision + recall else 0.0)
    return sum(values) / len(values) if values else math.nan


def test_the_bf_score_equals_distance_transforms() -> None:
    for true, pred in pairs(11, count(1), 60):
        theta = 0.0075 * math.hypot(*true.shape)
        for tolerance, limit in ((None, theta), (2.3, 2.3)):
            expected = bf_by_distance_transforms(true, pred, limit)
            assert sm.bf_score(true, pred, tolerance=tolerance).value == pytest.approx(expected, nan_ok=True)


def is_boundary(labels: Labels, i: int, j: int) -> bool:
    height, width = labels.shape
    around = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
    return any(labels[i, j] != labels[k, m] for k, m in around if 0 <= k < height and 0 <= m < width)


def benchmark(labels: Labels, gt: Labels, d: float) -> tuple[float, float]:
    """Recall and precision of the benchmark: loops over pixels and windows, 0 in place of 0/0."""
    height, width = gt.shape
    r = math.floor(d * math.sqrt(height * height + width * width) + 0.5)
    edge = {
        name: {(i, j) for i in range(height) for j in range(width) if is_boundary(side, i, j)}
        for name, side in (("labels", labels), ("gt", gt))
    }
    tp = fn = fp = 0
    for i in range(height):
        for j in range(width):
            window = {(k, m) for k in range(i - r, i + r + 1) for m in range(j - r, j + r + 1)}
            if (i, j) in edge["gt"]:
                hit = bool(window & edge["labels"])
                tp, fn = tp + hit, fn + (not hit)
            elif (i, j) in edge["labels"]:
                fp += not window & edge["gt"]
    return tp / (tp + fn) if tp + fn else 0.0, tp / (tp + fp) if tp + fp else 0.0


def test_superpixel_boundaries_equal_the_benchmark_where_it_does_not_divide_by_zero() -> None:
    rng = np.random.default_rng(12)
    for true, pred in pairs(12, count(1), 14):
        share = float(rng.choice([0.0025, 0.05, 0.15]))
        radius = math.floor(share * math.hypot(*true.shape) + 0.5)
        keys = ("superpixel_boundary_recall", "superpixel_boundary_precision")
        for key, expected in zip(keys, benchmark(pred, true, share), strict=True):
            score = getattr(sm, key)(true, pred, radius=radius)
            assert score.or_else(0).value == pytest.approx(expected), key
