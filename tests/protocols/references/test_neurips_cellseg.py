"""The protocol ``neurips-cellseg`` against a transcription of the arithmetic of the script of the challenge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from tests.protocols.references.cell_images import Image, Pair, cells, consecutive, degenerate, evaluated
from tests.protocols.references.table_values import DATA_SETS, same

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

BORDER = 2


def inner(image: Image) -> list[np.ndarray]:
    """The cells without a pixel among the two outermost rows or columns."""
    edge = np.ones(image.shape, dtype=bool)
    edge[BORDER : image.shape[0] - BORDER, BORDER : image.shape[1] - BORDER] = False
    return [image == label for label in np.unique(image) if label and not (image == label)[edge].any()]


def image_values(true: Image, pred: Image) -> dict[str, float]:
    truths, preds = inner(true), inner(pred)
    if not truths or not preds:
        return {"F1": 0.0, "precision": 0.0, "recall": 0.0}
    ious = np.array([[(t & p).sum() / (t | p).sum() for p in preds] for t in truths])
    costs = -(ious >= 0.5).astype(float) - ious / (2 * min(ious.shape))
    hits = int((ious[linear_sum_assignment(costs)] >= 0.5).sum())
    both = len(truths) + len(preds)
    return {"F1": 2 * hits / both, "precision": hits / len(preds), "recall": hits / len(truths)}


def larger_pair(rng: np.random.Generator) -> Pair:
    """Blocks of cells with a margin, some of which reach the border."""
    true, pred = (np.pad(cells(rng, (8, 8)), int(rng.integers(0, 3))) for _ in range(2))
    pred = true.copy() if true.shape != pred.shape else pred
    pred = np.where(rng.random(true.shape) < rng.choice([0.5, 0.9, 1]), true, pred)
    return consecutive(true), consecutive(pred)


def check(images: list[Pair]) -> None:
    (row,) = evaluated(images, "neurips-cellseg").values()
    values = [image_values(*image) for image in images]
    for heading in values[0]:
        expected = math.fsum(value[heading] for value in values) / len(values)
        assert same(row[heading], expected), (heading, row, values, images)


def test_equals_the_transcription() -> None:
    rng = np.random.default_rng(64)
    for _ in range(DATA_SETS):
        check([larger_pair(rng) for _ in range(rng.integers(1, 3))])
    for images in degenerate():
        check([images])
