"""The protocol ``superpixels`` against a transcription of the arithmetic of superpixel-benchmark."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.protocols.references.cell_images import Image, data_sets, evaluated
from tests.protocols.references.table_values import same

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]


def is_boundary(image: Image) -> np.ndarray:
    """Which pixels have a neighbour of another label above, below, left or right."""
    padded = np.pad(image, 1, mode="edge")
    around = padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]
    return np.logical_or.reduce([image != neighbour for neighbour in around])


def compactness(labels: Image) -> float:
    padded = np.pad(labels, 1, constant_values=-1)
    around = padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]
    edges = np.sum([labels != neighbour for neighbour in around], axis=0)
    total = 0.0
    for label in np.unique(labels):
        area, perimeter = int((labels == label).sum()), int(edges[labels == label].sum())
        total += area * 4 * math.pi * area / perimeter**2
    return total / labels.size


def image_values(true: Image, pred: Image) -> dict[str, float]:
    """The values of an image; the window of the boundary recall of such small images is the pixel itself."""
    (_, g), (_, s) = (np.unique(image, return_inverse=True) for image in (true, pred))
    table = np.zeros((g.max() + 1, s.max() + 1), dtype=int)
    np.add.at(table, (g.ravel(), s.ravel()), 1)
    n, sizes, true_sizes = true.size, table.sum(axis=0), table.sum(axis=1)
    of_true, of_pred = is_boundary(true), is_boundary(pred)
    found, spurious = int((of_true & of_pred).sum()), int((of_pred & ~of_true).sum())
    leaks = np.where(table > 0, sizes[None], 0).sum(axis=1) - true_sizes
    return {
        "BR": found / int(of_true.sum()) if of_true.any() else 0.0,
        "BP": found / (found + spurious) if found + spurious else 0.0,
        "UE": float((sizes - table).min(axis=0).sum()) / n,
        "UE NP": float(np.where(table > 0, np.minimum(table, sizes - table), 0).sum()) / n,
        "UE Levin": float((leaks / true_sizes).mean()),
        "ASA": float(table.max(axis=0).sum()) / n,
        "CO": compactness(pred),
    }


def test_equals_the_transcription() -> None:
    for images in data_sets(65):
        (row,) = evaluated(images, "superpixels").values()
        values = [image_values(*image) for image in images]
        for heading in values[0]:
            expected = math.fsum(value[heading] for value in values) / len(values)
            assert same(row[heading], expected), (heading, row, values, images)
