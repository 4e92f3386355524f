"""Lesion-wise Dice and HD95 of one region of a tumour, against the way of the published script of BraTS.

The script dilates the whole volume again for every lesion, and measures each lesion in the whole volume.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from bench.cases import Contest, Limit, call_of, case, optional

SCRIPT = "scipy.ndimage and surface_distance, lesion by lesion"


def _tumours(shape: tuple[int, ...], seed: int) -> NDArray[np.bool_]:
    """Return balls of a few voxels to a few centimetres."""
    numbers = np.random.default_rng(seed)
    grid = np.indices(shape)
    mask = np.zeros(shape, dtype=bool)
    for _ in range(8):
        centre, radius = numbers.integers(12, np.array(shape) - 12), numbers.uniform(2, 11)
        mask |= sum((axis - at) ** 2 for axis, at in zip(grid, centre, strict=True)) <= radius**2
    return mask


def _by_script(true: NDArray[Any], pred: NDArray[Any], ndimage: Any, distances: Any) -> tuple[float, float]:
    corners, edges = np.ones((3, 3, 3)), ndimage.generate_binary_structure(3, 2)
    lesions = ndimage.label(ndimage.binary_dilation(true, edges, iterations=3), corners)[0] * true
    parts = ndimage.label(pred, corners)[0]
    dices, hausdorff = [], []
    for number in range(1, int(lesions.max()) + 1):
        lesion = lesions == number
        near = ndimage.binary_dilation(lesion, edges, iterations=3)
        together = np.isin(parts, [part for part in np.unique(parts[near]) if part])
        dices.append(2 * (lesion & together).sum() / (lesion.sum() + together.sum()))
        if together.any():
            surfaces = distances.compute_surface_distances(lesion, together, (1, 1, 1))
            hausdorff.append(distances.compute_robust_hausdorff(surfaces, 95))
    return float(np.mean(dices)), float(np.mean(hausdorff))


@case("120×120×80, eight tumours", Limit(SCRIPT, at_least=3))
def lesions() -> Contest:
    true = _tumours((120, 120, 80), seed=4)
    pred = np.roll(true, 1, axis=1)
    ndimage, distances = optional("scipy", "ndimage"), optional("surface_distance", "metrics")

    def ours() -> Any:
        sides = sm.LabelArray(true.view(np.uint8)), sm.LabelArray(pred.view(np.uint8))
        return sm.lesion_dice(*sides), sm.lesion_hausdorff95(*sides)

    return Contest(
        ours, {SCRIPT: call_of(ndimage and distances and (lambda: _by_script(true, pred, ndimage, distances)))}
    )
