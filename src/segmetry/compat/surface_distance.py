"""``surface_distance``: distances between two surfaces, and the lengths or areas of their pieces.

The definitions are those of [nikolov2021clinically].

Where a mask is empty the package asks numpy for a name that numpy 2 does not have; here it is answered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray
from segmetry.compat.patched import say_once
from segmetry.geometry import trimmed, weighted_distances

Surfaces = Mapping[str, FloatArray]
_SIDES = (("distances_gt_to_pred", "surfel_areas_gt"), ("distances_pred_to_gt", "surfel_areas_pred"))


def compute_surface_distances(mask_gt: Any, mask_pred: Any, spacing_mm: Sequence[float]) -> dict[str, FloatArray]:
    """Return the distances of both surfaces to each other in ascending order, and the areas of their pieces.

    >>> mask = np.zeros((4, 4), bool)
    >>> mask[1, 1] = True
    >>> compute_surface_distances(mask, mask, [1, 1])["surfel_areas_gt"].round(3).tolist()
    [0.707, 0.707, 0.707, 0.707]
    """
    for name, mask in (("mask_gt", mask_gt), ("mask_pred", mask_pred)):
        if not isinstance(mask, np.ndarray) or mask.dtype != bool:
            raise ValueError(f"{name} is {type(mask).__name__}; expected a numpy array of bool")
    if not mask_gt.ndim == mask_pred.ndim == len(spacing_mm):
        axes = f"{mask_gt.ndim} and {mask_pred.ndim} axes, {len(spacing_mm)} spacings"
        raise ValueError(f"The arguments must be of compatible shape: found masks of {axes}")
    if mask_gt.ndim not in (2, 3):
        raise ValueError(f"Only 2D and 3D masks are supported, not {mask_gt.ndim}D")
    if not (mask_gt.any() or mask_pred.any()):
        return {name: np.array([]) for side in _SIDES for name in side}
    true, pred = trimmed(mask_gt, mask_pred)
    distances, *areas = weighted_distances(true, pred, [float(step) for step in spacing_mm])
    found: dict[str, FloatArray] = {}
    for names, column, weights in zip(_SIDES, distances, areas, strict=True):
        order = np.lexsort((weights, column))
        found.update(zip(names, (column[order], weights[order]), strict=True))
    return found


def _sides(surface_distances: Surfaces) -> list[tuple[FloatArray, FloatArray]]:
    return [(surface_distances[distances], surface_distances[areas]) for distances, areas in _SIDES]


def compute_average_surface_distance(surface_distances: Surfaces) -> tuple[float, float]:
    """Return the mean distances, weighted by area, from the truth to the prediction and back."""
    true, pred = (np.sum(distances * areas) / np.sum(areas) for distances, areas in _sides(surface_distances))
    return true, pred


def compute_robust_hausdorff(surface_distances: Surfaces, percent: float) -> float:
    """Return the larger of the two distances within which lies this percentage of a surface."""
    reached = []
    for distances, areas in _sides(surface_distances):
        share = np.cumsum(areas) / np.sum(areas)
        place = min(int(np.searchsorted(share, percent / 100)), len(distances) - 1)
        reached.append(distances[place] if len(distances) else math.inf)
    return max(reached)


def _near(surface_distances: Surfaces, tolerance_mm: float) -> list[tuple[float, float]]:
    """Return the area within the tolerance of the other surface, and the whole area, of both sides."""
    sides = _sides(surface_distances)
    close = [np.isclose(distances, tolerance_mm, rtol=1e-12, atol=0) for distances, _ in sides]
    if any((near & (distances > tolerance_mm)).any() for near, (distances, _) in zip(close, sides, strict=True)):
        say_once(
            "surface_distance.tolerance",
            lambda: (
                f"surface_distance counts a distance that is {tolerance_mm} but for the rounding of its last bit as "
                "further; segmetry.surface_dice(…, weights='area') compares as decimals"
            ),
        )
    return [(np.sum(areas[distances <= tolerance_mm]), np.sum(areas)) for distances, areas in sides]


def compute_surface_overlap_at_tolerance(surface_distances: Surfaces, tolerance_mm: float) -> tuple[float, float]:
    """Return the shares of the true and of the predicted surface within the tolerance of the other."""
    true, pred = (near / whole for near, whole in _near(surface_distances, tolerance_mm))
    return true, pred


def compute_surface_dice_at_tolerance(surface_distances: Surfaces, tolerance_mm: float) -> float:
    """Return the share of both surfaces within the tolerance of the other."""
    (true, whole_true), (pred, whole_pred) = _near(surface_distances, tolerance_mm)
    return (true + pred) / (whole_true + whole_pred)


def compute_dice_coefficient(mask_gt: NDArray[Any], mask_pred: NDArray[Any]) -> float:
    """Return Dice; NaN if both masks are empty."""
    whole = mask_gt.sum() + mask_pred.sum()
    return float(2 * (mask_gt & mask_pred).sum() / whole) if whole else math.nan
