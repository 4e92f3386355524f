"""The protocol of MONAI against its metric classes, their reductions and their readings of empty classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from monai.metrics import (
    DiceMetric,
    HausdorffDistanceMetric,
    MeanIoU,
    SurfaceDiceMetric,
    SurfaceDistanceMetric,
    utils,
)
from numpy.typing import NDArray

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

Volume = NDArray[np.int64]
Image = tuple[Volume, Volume]
CLASSES = 2
SINGLE = 1e-5
"""Precision of distances in single precision, of which percentiles are interpolated."""


def blobs(rng: np.random.Generator, shape: tuple[int, ...]) -> Volume:
    """Blocks of labels, or single elements."""
    coarse = rng.integers(0, CLASSES + 1, [-(-size // 2) for size in shape])
    blocks = np.kron(coarse, np.ones([2] * len(shape), np.int64))[tuple(slice(size) for size in shape)]
    return np.where(rng.random(shape) < 0.1, rng.integers(0, CLASSES + 1, shape), blocks)


def random_images(rng: np.random.Generator) -> list[Image]:
    shape = tuple(rng.integers(1, 6, rng.integers(2, 4)).tolist())
    images = []
    for _ in range(rng.choice([1, 1, 2])):
        true = blobs(rng, shape) * (rng.random() < 0.95)
        pred = np.where(rng.random(shape) < rng.choice([0, 0.5, 0.9, 1]), true, blobs(rng, shape))
        if rng.random() < 0.3:
            pred = np.where(pred == rng.integers(1, CLASSES + 1), 0, pred)
        images.append((true, pred * (rng.random() < 0.95)))
    return images


def degenerate_images() -> list[list[Image]]:
    blank, one, two = np.zeros((3, 3), int), np.ones((3, 3), int), np.full((3, 3), 2)
    return [
        [(one, blank)],
        [(blank, one)],
        [(one, two)],
        [(np.ones((1, 1), int), np.ones((1, 1), int))],
        [(one, one), (blank, blank)],
        [(one, one), (two, blank), (blank, two)],
    ]


@pytest.fixture(autouse=True)
def edges_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """MONAI finds the same edges for each of four metrics, which takes most of its time: find them once."""
    find, found = utils.get_mask_edges, dict[Any, Any]()

    def remembered(seg_pred: torch.Tensor, seg_gt: torch.Tensor, **options: Any) -> Any:
        key = (tuple(seg_gt.shape), *(mask.numpy().tobytes() for mask in (seg_pred, seg_gt)), str(options))
        if key not in found:
            found[key] = find(seg_pred, seg_gt, **options)
        return found[key]

    monkeypatch.setattr(utils, "get_mask_edges", remembered)


def metrics() -> dict[str, Any]:
    background = {"include_background": False}
    return {
        "Dice": DiceMetric(**background),
        "IoU": MeanIoU(**background),
        "HD": HausdorffDistanceMetric(**background),
        "HD95": HausdorffDistanceMetric(percentile=95, **background),
        "ASD": SurfaceDistanceMetric(**background),
        "NSD": SurfaceDiceMetric([1.0] * CLASSES, **background),
    }


def one_hot(labels: list[Volume]) -> torch.Tensor:
    return torch.tensor(np.stack([np.stack([image == c for c in range(CLASSES + 1)]) for image in labels]))


def reference(images: list[Image], spacing: tuple[float, ...]) -> dict[str, tuple[float, list[float]]]:
    """The reductions mean and mean_batch; NaN where MONAI has no value, though it writes 0."""
    true, pred = (one_hot([image[side] for image in images]) for side in (0, 1))
    values = {}
    for name, metric in metrics().items():
        metric(pred, true, **({} if name in ("Dice", "IoU") else {"spacing": list(spacing)}))
        metric.get_not_nans = True
        mean, count = metric.aggregate("mean")
        by_class, counts = metric.aggregate("mean_batch")
        values[name] = (
            mean.item() if count.item() else math.nan,
            [value if n else math.nan for value, n in zip(by_class.tolist(), counts.tolist(), strict=True)],
        )
    return values


def same(value: float | None, expected: float) -> bool:
    if value is None or math.isnan(expected):
        return value is None and math.isnan(expected)
    return math.isclose(value, expected, rel_tol=SINGLE, abs_tol=SINGLE)


def check(images: list[Image], spacing: tuple[float, ...]) -> None:
    sides = ({f"{at}": image[side] for at, image in enumerate(images)} for side in (0, 1))
    read = {"spacing": spacing}
    run = sm.evaluate(*sides, protocol="monai", read=read, engine="serial")
    assert run.modified == ()
    row, cells = shown(run).get("mean", {}), shown(run, classes=True)
    for name, (mean, by_class) in reference(images, spacing).items():
        assert same(row.get(name), mean), (name, row, mean, images)
        for at, expected in enumerate(by_class, 1):
            cell = cells.get(str(at), {}).get(name)
            assert same(cell, expected), (name, at, cell, expected, images)


def test_monai_equals_its_metrics() -> None:
    rng = np.random.default_rng(61)
    for _ in range(DATA_SETS):
        images = random_images(rng)
        steps = rng.choice([0.5, 1, 2], images[0][0].ndim)
        check(images, tuple(steps.tolist()))


@pytest.mark.parametrize("at", range(len(degenerate_images())))
def test_monai_equals_its_metrics_on_degenerate_images(at: int) -> None:
    check(degenerate_images()[at], (1.0, 1.0))
