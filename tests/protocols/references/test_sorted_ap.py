"""The protocol ``sorted-ap`` against a transcription of the arithmetic of its ``Evaluator``."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from tests.protocols.references.cell_images import Image, Pair, data_sets, evaluated

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

LEAST = 0.001
Matrix = NDArray[np.float64]


def overlaps(true: Image, pred: Image) -> tuple[Matrix, Matrix, Matrix]:
    """Intersections of predictions with true objects, and the sizes of both."""
    truths, preds = (
        np.array([(image == label).ravel() for label in np.unique(image) if label], dtype=float).reshape(-1, image.size)
        for image in (true, pred)
    )
    return preds @ truths.T, truths.sum(axis=1), preds.sum(axis=1)


def jaccard(shared: Matrix, true: Matrix, pred: Matrix) -> Matrix:
    return shared / (pred[:, None] + true[None] - shared + 1e-12)


def assigned(values: Matrix) -> list[float]:
    """The IoUs of the assignment of all objects that have an overlap; some of its pairs may have none."""
    if not values.size:
        return []
    kept = np.where(values < LEAST, 0, values)
    rows, columns = np.flatnonzero(kept.max(axis=1) > 0), np.flatnonzero(kept.max(axis=0) > 0)
    part = kept[np.ix_(rows, columns)]
    return part[linear_sum_assignment(1 - part)].tolist()


def area(ious: list[float], n_true: int, n_pred: int) -> float:
    if not ious:
        return 0.0 if n_true or n_pred else 1.0  # the reference stops where there are only predictions (an exception)
    steps = [(iou, (len(ious) - k) / (n_pred + n_true - len(ious) + k)) for k, iou in enumerate(sorted(ious))]
    total, before, height = 0.0, 0.0, steps[0][1]
    for iou, value in steps:
        total, before, height = total + (iou - before) * (value + height) / 2, iou, value
    return total + (1 - before) * height / 2


def aggregated(shared: Matrix, true: Matrix, pred: Matrix) -> tuple[float, float]:
    """The intersection and the union of the aggregated Jaccard index; an object without overlap has prediction 0."""
    if not true.size or not pred.size:
        return 0.0, max(true.sum(), pred.sum())
    best = shared.argmax(axis=0)
    columns = [at for at in range(true.size) if shared[best[at], at] > 0]
    common = sum(shared[best[at], at] for at in columns)
    unused = [size for at, size in enumerate(pred) if at not in best]
    return common, true.sum() + sum(pred[best[at]] for at in columns) - common + sum(unused)


def reference(images: list[Pair]) -> dict[str, float]:
    tables = [overlaps(*image) for image in images]
    ious = [jaccard(*table) for table in tables]
    n_true, n_pred = (sum(table[side].size for table in tables) for side in (1, 2))
    common, union = (sum(part) for part in zip(*(aggregated(*table) for table in tables), strict=True))

    def accuracy(threshold: float) -> float:
        hits = sum(int((values > threshold).sum()) for values in ious)
        return hits / (n_true + n_pred - hits) if n_true + n_pred else 1.0

    hits = sum(int((values > 0.5).sum()) for values in ious)
    return {
        "sortedAP": area([iou for values in ious for iou in assigned(values)], n_true, n_pred),
        "mAP": math.fsum(accuracy((50 + 5 * step) / 100) for step in range(10)) / 10,
        "AP50": accuracy(0.5),
        "AJI": common / union if union else 1.0,
        "RQ": 2 * hits / (n_true + n_pred) if n_true + n_pred else 1.0,
    }


def test_equals_the_transcription() -> None:
    for images in data_sets(58):
        (row,) = evaluated(images, "sorted-ap").values()
        for heading, expected in reference(images).items():
            value = row[heading]
            assert value is not None and math.isclose(value, expected, rel_tol=1e-11, abs_tol=1e-12), (
                heading,
                value,
                expected,
                images,
            )
