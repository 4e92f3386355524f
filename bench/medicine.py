"""Medical volumes: a folder as nnU-Net evaluates it, and distances of structures, against the packages of the field.

Two volumes stand for the twenty of a folder, and ten structures for a hundred: time is proportional to both.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from bench.cases import Contest, Limit, case, optional

SIZE, LABELS, STRUCTURES = 256, 10, 10
LOOP, MONAI, SURFACE = "nnU-Net's loop over labels", "monai", "surface-distance"
Volume = NDArray[np.uint8]


def balls(count: int, seed: int) -> Volume:
    """Return balls of different labels on a grid, each in a cell of its own."""
    numbers = np.random.default_rng(seed)
    volume = np.zeros((SIZE,) * 3, np.uint8)
    for label in range(count):
        centre = [25 + 51 * (label % 5), 25 + 51 * (label // 5 % 5), 32 + 64 * (label // 25)]
        radius = int(numbers.integers(14, 22))
        box = tuple(slice(max(0, at - radius), at + radius + 1) for at in centre)
        distances = sum((axis - at) ** 2 for axis, at in zip(np.ogrid[box], centre, strict=True))
        volume[box][distances <= radius**2] = label + 1
    return volume


def _loop(cases: list[tuple[Volume, Volume]]) -> float:
    """Return the foreground mean of Dice, from TP, FP, FN and TN of each case and label."""
    values = []
    for label in range(1, LABELS + 1):
        of_label = []
        for true, pred in cases:
            in_true, in_pred, used = true == label, pred == label, np.ones(true.shape, bool)
            tp, fp = np.sum((in_true & in_pred) & used), np.sum(((~in_true) & in_pred) & used)
            fn, _tn = np.sum((in_true & (~in_pred)) & used), np.sum(((~in_true) & (~in_pred)) & used)
            of_label.append(2 * tp / (2 * tp + fp + fn))
        values.append(np.nanmean(of_label))
    return float(np.mean(values))


@case("nnU-Net's folder evaluation, 2 volumes of 256³ with 10 labels", Limit(LOOP, at_least=10), quick=False)
def nnunet_folder() -> Contest:
    cases = [(balls(LABELS, seed), np.roll(balls(LABELS, seed), 2, axis=0)) for seed in range(2)]
    sides: Any = [{str(at): pair[side] for at, pair in enumerate(cases)} for side in (0, 1)]

    def ours() -> float:
        run: Any = sm.evaluate(*sides, protocol="nnunet", engine="serial")
        return float(run.protocol_table().rows[0].cells[0].value)

    assert math.isclose(ours(), _loop(cases)), "both must compute the same number"
    return Contest(ours, {LOOP: lambda: _loop(cases)})


def _with_monai(true: Volume, pred: Volume) -> list[float]:
    import torch

    hausdorff = optional("monai.metrics.hausdorff_distance", "compute_hausdorff_distance")
    dice = optional("monai.metrics.surface_dice", "compute_surface_dice")
    values = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for label in range(1, STRUCTURES + 1):
            first, second = (torch.tensor(side == label)[None, None] for side in (true, pred))
            options = {"include_background": True, "spacing": 1.0}
            values.append(
                [
                    hausdorff(second, first, percentile=95, **options).item(),
                    dice(second, first, [1.0], **options).item(),
                ]
            )
    return [float(value) for value in np.mean(values, axis=0)]


def _with_surface_distance(true: Volume, pred: Volume) -> list[float]:
    measure = optional("surface_distance", "compute_surface_distances")
    hausdorff = optional("surface_distance", "compute_robust_hausdorff")
    dice = optional("surface_distance", "compute_surface_dice_at_tolerance")
    values = []
    for label in range(1, STRUCTURES + 1):
        distances = measure(true == label, pred == label, (1.0, 1.0, 1.0))
        values.append([float(hausdorff(distances, 95)), float(dice(distances, 1))])
    return [float(value) for value in np.mean(values, axis=0)]


def _ours(true: Volume, pred: Volume, weights: str) -> list[float]:
    options: dict[str, dict[str, Any]] = {
        "class_hausdorff95": {"weights": weights},
        "class_surface_dice": {"tolerance": 1, "weights": weights},
    }
    scores: Any = sm.score(true, pred, list(options), options=options)
    return [float(score.value) for score in scores.values()]


@case("HD95 and NSD of 10 structures in 256³, surface elements", Limit(MONAI, at_least=20), quick=False)
def structures() -> Contest:
    true = balls(STRUCTURES, 1)
    pred = np.roll(true, 2, axis=0)
    peer = None if optional("monai.metrics", "DiceMetric") is None else lambda: _with_monai(true, pred)
    return Contest(lambda: _ours(true, pred, "elements"), {MONAI: peer})


@case("HD95 and NSD of 10 structures in 256³, areas of surfaces", Limit(SURFACE, at_least=5), quick=False)
def areas() -> Contest:
    true = balls(STRUCTURES, 1)
    pred = np.roll(true, 2, axis=0)
    is_there = optional("surface_distance", "compute_surface_distances") is not None
    peer = (lambda: _with_surface_distance(true, pred)) if is_there else None
    if peer is not None:
        assert np.allclose(_ours(true, pred, "area"), peer()), "both must compute the same numbers"
    return Contest(lambda: _ours(true, pred, "area"), {SURFACE: peer})
