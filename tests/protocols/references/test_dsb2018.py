"""The protocol ``dsb2018`` against the metric on the page of the competition, transcribed over sets of pixels."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tests.protocols.references.cell_images import Image, data_sets, evaluated
from tests.protocols.references.table_values import same

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

THRESHOLDS = [Fraction(50 + 5 * step, 100) for step in range(10)]


def masks(image: Image) -> list[set[int]]:
    flat = image.ravel().tolist()
    return [{at for at, label in enumerate(flat) if label == own} for own in sorted(set(flat) - {0})]


def scores(true: Image, pred: Image) -> list[float]:
    """TP/(TP + FP + FN) at each threshold; pairs with IoU above one half are unique."""
    truths, preds = masks(true), masks(pred)
    ious = [Fraction(len(t & p), len(t | p)) for t in truths for p in preds]
    hits = [sum(iou > threshold for iou in ious) for threshold in THRESHOLDS]
    both = len(truths) + len(preds)
    return [hit / (both - hit) for hit in hits] if both else []


def test_equals_the_definition() -> None:
    for images in data_sets(54):
        (row,) = evaluated(images, "dsb2018").values()
        by_image = [values for image in images if (values := scores(*image))]
        expected = [math.fsum(values) / 10 for values in by_image]
        assert same(row["score"], math.fsum(expected) / len(expected) if expected else math.nan), (row, images)
        first = [values[0] for values in by_image]
        assert same(row["IoU > 0.5"], math.fsum(first) / len(first) if first else math.nan), (row, images)
