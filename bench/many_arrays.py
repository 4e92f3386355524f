"""50,000 small label arrays in memory, from the lists to the table, against a loop over them in numpy.

Not from files: a training loop, a simulation or a table of crops has them in memory.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from bench.cases import Call, Contest, Limit, case

LOOP = "np.bincount and five numbers of every item, in a loop"
N_ITEMS, N_CLASSES = 50_000, 3
Arrays = list[NDArray[Any]]


@cache
def class_maps() -> tuple[Arrays, Arrays]:
    """Maps of three classes in blocks of 4×4, of which a tenth of the elements are another class."""
    numbers = np.random.default_rng(0)
    true = numbers.integers(0, N_CLASSES, (N_ITEMS, 8, 8)).repeat(4, 1).repeat(4, 2)
    return list(true), list(np.where(numbers.random(true.shape) < 0.9, true, 0))


@cache
def instances() -> tuple[Arrays, Arrays]:
    """Up to five instances in blocks of 8×8, some of which move."""
    numbers = np.random.default_rng(1)
    true = numbers.integers(0, 6, (N_ITEMS, 4, 4))
    pred = np.where(numbers.random(true.shape) < 0.8, true, 0)
    return tuple(list(side.repeat(8, 1).repeat(8, 2)) for side in (true, pred))  # type: ignore[return-value]


def loop() -> list[float]:
    """Return the means over items of mIoU, Dice and mean accuracy, with the accuracies of the elements."""
    rows, total = [], np.zeros((N_CLASSES, N_CLASSES), dtype=np.int64)
    for true, pred in zip(*class_maps(), strict=True):
        matrix = np.bincount((true * N_CLASSES + pred).ravel(), minlength=N_CLASSES**2).reshape(N_CLASSES, N_CLASSES)
        total += matrix
        shared, of_true, of_pred = matrix.diagonal(), matrix.sum(axis=1), matrix.sum(axis=0)
        union = of_true + of_pred - shared
        used, present = union > 0, of_true > 0
        ious = shared[used] / union[used]
        dice = 2 * shared[used] / (of_true + of_pred)[used]
        recall = shared[present] / of_true[present]
        weighted = (of_true[used] * ious).sum() / of_true.sum()
        rows.append((ious.mean(), dice.mean(), recall.mean(), shared.sum() / of_true.sum(), weighted))
    return [float(mean) for mean in np.mean(rows, axis=0)]


def _table(sides: tuple[Arrays, Arrays], **options: Any) -> Call:
    return lambda: str(sm.evaluate(*sides, engine="serial", **options).summary())


@case("protocol semantic", Limit(LOOP, at_least=1), quick=False)
def semantic() -> Contest:
    run = sm.evaluate(*class_maps(), protocol="semantic")
    found, expected = run.summary()["mean_iou"]["by_item_of_classes"].value, loop()[0]
    if abs(found - expected) > 1e-9:
        raise AssertionError(f"evaluate gives {found}, the loop {expected}")
    return Contest(_table(class_maps(), protocol="semantic"), {LOOP: loop})


@case("PQ of up to five instances", Limit(LOOP, at_least=1), quick=False)
def pq() -> Contest:
    return Contest(_table(instances(), metrics="pq"), {LOOP: loop})


@case("protocol stardist, nine IoU thresholds", Limit(LOOP, at_least=1), quick=False)
def stardist() -> Contest:
    return Contest(_table(instances(), protocol="stardist"), {LOOP: loop})
