"""The protocols ``pannuke`` and ``conic`` against transcriptions of their scripts, with the constants left out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from tests.protocols.references.cell_images import Image, Pair, degenerate, pair
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

CLASSES = (1, 2, 3)
Typed = tuple[Image, dict[int, int]]
"""Instances, and the class of each."""


def typed(rng: np.random.Generator, image: Image) -> Typed:
    labels = [label for label in np.unique(image).tolist() if label]
    return image, {label: int(rng.choice(CLASSES[: rng.integers(1, 4)])) for label in labels}


def data_sets(seed: int) -> Iterator[list[tuple[Typed, Typed]]]:
    rng = np.random.default_rng(seed)
    for _ in range(DATA_SETS):
        yield [_typed_pair(rng, pair(rng)) for _ in range(rng.integers(1, 3))]
    for images in degenerate():
        yield [_typed_pair(rng, images)]
    yield [_typed_pair(rng, images) for images in degenerate()]


def _typed_pair(rng: np.random.Generator, images: Pair) -> tuple[Typed, Typed]:
    true, pred = typed(rng, images[0]), typed(rng, images[1])
    kept = {label: true[1].get(label, name) if rng.random() < 0.7 else name for label, name in pred[1].items()}
    return true, (pred[0], kept)


def counts(true: Image, pred: Image) -> tuple[int, int, int, float]:
    """TP, FP, FN and the sum of IoUs above one half."""
    truths, preds = ([image == label for label in np.unique(image) if label] for image in (true, pred))
    ious = [float((t & p).sum() / (t | p).sum()) for t in truths for p in preds]
    matched = [iou for iou in ious if iou > 0.5]
    return len(matched), len(preds) - len(matched), len(truths) - len(matched), math.fsum(matched)


def pq(tp: int, fp: int, fn: int, iou: float) -> float:
    return iou / (tp + fp / 2 + fn / 2) if tp + fp + fn else 0.0


def of_class(side: Typed, name: int) -> Image:
    image, classes = side
    return np.where(np.isin(image, [label for label, own in classes.items() if own == name]), image, 0)


def evaluated(images: list[tuple[Typed, Typed]], protocol: str) -> sm.Run:
    sides = (
        {f"{at}": sm.LabelArray(both[side][0], classes=both[side][1]) for at, both in enumerate(images)}
        for side in (0, 1)
    )
    run = sm.evaluate(*sides, protocol=protocol, engine="serial")
    assert run.modified == ()
    return run


def mean(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def test_pannuke_equals_its_script() -> None:
    for images in data_sets(56):
        run = evaluated(images, "pannuke")
        (row,) = shown(run).values()
        by_class = [[pq(*counts(*sides)) if sides[0].any() else math.nan for sides in _sides(both)] for both in images]
        binary = [pq(*counts(true[0], pred[0])) if true[0].any() else math.nan for true, pred in images]
        assert same(row["mPQ"], mean([mean(values) for values in by_class])), (row, images)
        assert same(row["bPQ"], mean(binary)), (row, images)
        parts = run.summary().parts
        for at, name in enumerate(CLASSES):
            expected = mean([values[at] for values in by_class])
            if name in parts and not math.isnan(expected):
                assert same(parts[name]["mpq"]["by_item"].value, expected), (name, images)


def _sides(both: tuple[Typed, Typed]) -> list[tuple[Image, Image]]:
    return [(of_class(both[0], name), of_class(both[1], name)) for name in CLASSES]


def test_conic_equals_its_script() -> None:
    for images in data_sets(57):
        (row,) = shown(evaluated(images, "conic")).values()
        totals = [
            np.array([counts(of_class(true, name), of_class(pred, name)) for true, pred in images]).sum(axis=0)
            for name in CLASSES
        ]
        occurring = [pq(*total) for total in totals if total[:3].sum()]
        assert same(row["mPQ+"], mean(occurring)), (row, images)
        assert same(row["PQ"], mean([pq(*counts(true[0], pred[0])) for true, pred in images])), (row, images)


def test_conic_counts_its_six_classes_in_files(tmp_path: Path) -> None:
    """Classes 1 and 2 found, 3 to 6 nowhere: ``multi_pq+`` of compute_stats.py (c1c4964) is 2/6, here exactly."""
    images = np.zeros((1, 16, 16, 2), np.int32)
    images[0, :4, :4], images[0, 8:, 8:] = (1, 1), (2, 2)
    np.save(tmp_path / "true.npy", images)
    np.save(tmp_path / "pred.npy", images)
    run = sm.evaluate(tmp_path / "true.npy", tmp_path / "pred.npy", engine="serial")
    (row,) = shown(run).values()
    assert (row["mPQ+"], row["PQ"], row["classes"]) == (pytest.approx(2 / 6), 1, 6)
