"""The protocol ``hover-net`` against a transcription of the arithmetic of its ``stats_utils``, over masks of pixels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from tests.protocols.references.cell_images import Image, Pair, data_sets, evaluated
from tests.protocols.references.table_values import same

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

EPSILON = 1e-6
Matrix = NDArray[np.float64]


def masks(image: Image) -> NDArray[np.int64]:
    labels = [label for label in np.unique(image).tolist() if label]
    return np.array([(image == label).ravel() for label in labels], dtype=np.int64).reshape(len(labels), image.size)


def aggregated(shared: Matrix, union: Matrix, pairs: list[tuple[int, int]], sizes: tuple[Matrix, Matrix]) -> float:
    true, pred = {t for t, _ in pairs}, {p for _, p in pairs}
    bottom = sum(union[t, p] for t, p in pairs)
    bottom += sum(size for at, size in enumerate(sizes[0]) if at not in true)
    bottom += sum(size for at, size in enumerate(sizes[1]) if at not in pred)
    return float(sum(shared[t, p] for t, p in pairs) / bottom)


def image_values(true: Image, pred: Image) -> dict[str, float]:
    """Every value of an image; 0 where the reference stops: nothing on a side."""
    truths, preds = masks(true).astype(float), masks(pred).astype(float)
    headings = ("Dice", "AJI", "DQ", "SQ", "PQ", "AJI+", "Dice2")
    if not len(truths) or not len(preds):
        return dict.fromkeys(headings, 0.0)
    shared = truths @ preds.T
    sizes = truths.sum(axis=1), preds.sum(axis=1)
    total = sizes[0][:, None] + sizes[1][None]
    union = total - shared
    iou = shared / (union + EPSILON)
    best = [(t, int(np.argmax(iou[t]))) for t in range(len(truths)) if iou[t].max() > 0]
    assigned = [(t, p) for t, p in zip(*linear_sum_assignment(-iou), strict=True) if iou[t, p] > 0]
    matched = (shared / union)[shared / union > 0.5]
    unmatched = len(truths) + len(preds) - 2 * matched.size
    dq = matched.size / (matched.size + unmatched / 2)
    sq = float(matched.sum()) / matched.size if matched.size else 0.0  # the reference adds EPSILON (an exception)
    touching = shared > 0
    return {
        "Dice": 2 * float(((true > 0) & (pred > 0)).sum()) / float((true > 0).sum() + (pred > 0).sum()),
        "AJI": aggregated(shared, union, best, sizes),
        "DQ": dq,
        "SQ": sq,
        "PQ": dq * sq,
        "AJI+": aggregated(shared, union, assigned, sizes),
        "Dice2": float(2 * shared.sum() / total[touching].sum()) if touching.any() else 0.0,
    }


def check(images: list[Pair]) -> None:
    (row,) = evaluated(images, "hover-net").values()
    values = [image_values(*image) for image in images]
    for heading in values[0]:
        expected = math.fsum(value[heading] for value in values) / len(values)
        assert same(row[heading], expected), (heading, row, values, images)


def test_equals_the_transcription() -> None:
    for images in data_sets(55):
        check(images)


def test_the_added_constant_lowers_sq_by_at_most_a_millionth_per_pair() -> None:
    """The smallest example of the exception: one nucleus, found exactly, has an SQ of 1/(1 + 1e-6) in the reference."""
    (row,) = evaluated([(np.array([[1, 0]]), np.array([[1, 0]]))], "hover-net").values()
    assert row["SQ"] == 1 and 0 < 1 - 1 / (1 + EPSILON) < 2e-6
