"""The protocol ``cvppp`` against a transcription of the arithmetic of the script of the leaf segmentation challenge."""

from __future__ import annotations

import math

import numpy as np
import pytest

import segmetry as sm
from tests.protocols.references.cell_images import Image, data_sets, evaluated
from tests.protocols.references.table_values import same

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]


def best_dice(first: Image, second: Image) -> float:
    """The mean over the labels 1 … n of one image of the best Dice with those of the other; 0 without a label."""
    n, m = int(first.max()), int(second.max())
    if not n:
        return 0.0
    best = [max((dice(first == i, second == j) for j in range(1, m + 1)), default=0.0) for i in range(1, n + 1)]
    return math.fsum(best) / n


def dice(first: np.ndarray, second: np.ndarray) -> float:
    total = int(first.sum() + second.sum())
    return 2 * int((first & second).sum()) / total if total else 0.0


def image_values(true: Image, pred: Image) -> dict[str, float]:
    difference = int(pred.max()) - int(true.max())
    return {
        "SBD": min(best_dice(pred, true), best_dice(true, pred)),
        "FBD": dice(true > 0, pred > 0),
        "DiC": difference,
        "|DiC|": abs(difference),
    }


def test_equals_the_transcription() -> None:
    for images in data_sets(63):
        (row,) = evaluated(images, "cvppp").values()
        values = [image_values(*image) for image in images]
        for heading in values[0]:
            expected = math.fsum(value[heading] for value in values) / len(values)
            assert same(row[heading], expected), (heading, row, values, images)


def test_gaps_between_labels_do_not_count() -> None:
    """The smallest example of the exception: labels 1 and 3 are two leaves; the script counts 3 − 0."""
    true, pred = np.array([[0, 1, 2]]), np.array([[0, 1, 3]])
    assert pred.max() - pred.min() - (true.max() - true.min()) == 1
    assert sm.count_difference(true, pred) == 0
