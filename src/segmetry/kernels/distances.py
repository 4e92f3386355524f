"""Distances between the surfaces of two segments: used by Hausdorff, average and tolerance-based distances.

The masks are crops to the bounding box of both segments together. Nothing outside that box belongs to either, so the
surfaces and all distances between them are those of the full image, at the cost of the box.

The squared length of a step vector is the rounded sum of the squares along the axes, added in the order of the axes;
the distance is the root of the smallest of these sums, to the bit, whichever of several nearest elements is found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base import FloatArray
from segmetry.errors import InputError, KindError, OptionError, ShapeMismatchError
from segmetry.kernels.backend import kernel, native

_NEARLY = 1 + 1e-9
"""Places this much further than the nearest one found may be the nearest: a tree rounds positions, not steps."""


class SurfaceDistances(NamedTuple):
    """One distance per surface element, in the order of ``numpy.nonzero`` of the surface."""

    true_to_pred: NDArray[np.float64]
    pred_to_true: NDArray[np.float64]


def surface(mask: ArrayLike) -> NDArray[np.bool_]:
    """Return the elements of a mask with a neighbour along an axis (4 in 2-D, 6 in 3-D) that is not in it."""
    inside = np.asarray(mask)
    if inside.dtype != np.bool_:
        raise KindError(f"mask is {inside.dtype}, expected booleans; compare the labels with one id first")
    if inside.ndim == 0:
        raise InputError("mask is a single value, expected an array with at least one axis")
    interior = inside.copy()
    for axis in range(inside.ndim):
        lines, inner = np.moveaxis(inside, axis, 0), np.moveaxis(interior, axis, 0)
        inner[1:] &= lines[:-1]
        inner[:-1] &= lines[1:]
        inner[:1] = False
        inner[-1:] = False
    on_surface: NDArray[np.bool_] = inside & ~interior
    return on_surface


def surface_distances(
    true: ArrayLike, pred: ArrayLike, spacing: Sequence[float] | FloatArray | None = None
) -> SurfaceDistances:
    """Return the Euclidean distance from every surface element of one mask to the nearest of the other, both ways."""
    masks = {"true": np.asarray(true), "pred": np.asarray(pred)}
    if masks["true"].shape != masks["pred"].shape:
        raise ShapeMismatchError(
            f"true has shape {masks['true'].shape} and pred {masks['pred'].shape}, expected two crops of one box"
        )
    for side, mask in masks.items():
        if not mask.any():
            raise InputError(f"{side} has no element: its distance to another segment is undefined")
    lengths = _step_lengths(spacing, masks["true"].ndim)
    if native is not None and masks["true"].ndim <= 3 and all(mask.dtype == np.bool_ for mask in masks.values()):
        squares = _squared_steps(masks["true"].shape, lengths)
        volumes = map(_as_volume, masks.values())
        return SurfaceDistances(*native.surface_distances(*volumes, masks["true"].ndim, *squares))
    return distances_between(surface(masks["true"]), surface(masks["pred"]), lengths)


def distances_between(
    of_true: NDArray[np.bool_], of_pred: NDArray[np.bool_], lengths: NDArray[np.float64]
) -> SurfaceDistances:
    """Return the distance from every marked place of one grid to the nearest of the other, both ways."""
    return SurfaceDistances(nearest_distances(of_true, of_pred, lengths), nearest_distances(of_pred, of_true, lengths))


def _step_lengths(spacing: Sequence[float] | FloatArray | None, axes: int) -> NDArray[np.float64]:
    lengths = np.ones(axes) if spacing is None else np.asarray(spacing, np.float64)
    if lengths.shape != (axes,) or not np.all((lengths > 0) & np.isfinite(lengths)):
        raise OptionError(f"spacing is {spacing!r}, expected {axes} positive numbers, one per axis of the masks")
    return lengths


@kernel(lambda native, *grids: NotImplemented if grids[0].ndim > 3 else _nearest_distances_native(native, *grids))
def nearest_distances(places: NDArray[np.bool_], others: NDArray[np.bool_], lengths: FloatArray) -> FloatArray:
    """Return a distance for each place in the order of ``numpy.nonzero``, infinite where there is no other place."""
    from scipy.spatial import cKDTree

    # Places that both grids mark have distance 0, and are often most of two similar surfaces.
    apart = ~others[places]
    distances = np.zeros(apart.size)
    if not apart.any():
        return distances
    if not others.any():
        distances[apart] = math.inf
        return distances
    points, candidates = np.argwhere(places & ~others), np.argwhere(others)
    # A balanced tree takes longer to build than it saves for the few queries made here.
    tree = cKDTree(candidates * lengths, balanced_tree=False, compact_nodes=False)
    squared = np.empty(len(points))
    left, n_queried = np.arange(len(points)), min(2, len(candidates))
    while left.size:
        reached, nearest = tree.query(points[left] * lengths, k=np.arange(1, n_queried + 1))
        steps = points[left, None] - candidates[nearest]
        squared[left] = _sum_of_squares(steps, lengths).min(axis=1)
        tied = reached[:, -1] <= reached[:, 0] * _NEARLY
        left = left[tied] if n_queried < len(candidates) else left[:0]
        n_queried = min(4 * n_queried, len(candidates))
    distances[apart] = np.sqrt(squared)
    return distances


def _nearest_distances_native(
    kernels: ModuleType, places: NDArray[np.bool_], others: NDArray[np.bool_], lengths: FloatArray, **tuning: int
) -> FloatArray:
    distances = np.empty(np.count_nonzero(places))
    kernels.nearest_distances(
        *map(_as_volume, (places, others)), *_squared_steps(places.shape, lengths), distances, **tuning
    )
    return distances


def _as_volume(grid: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Put missing axes between the first and the last one, along which the native code is fastest."""
    return np.ascontiguousarray(grid).reshape(*grid.shape[:-1], *(1,) * (3 - grid.ndim), grid.shape[-1])


def _squared_steps(shape: tuple[int, ...], lengths: FloatArray) -> list[FloatArray]:
    """Return the squares of 0, 1, 2 … steps along each axis of the volume."""
    squares = [(np.arange(size) * length) ** 2 for size, length in zip(shape, lengths, strict=True)]
    squares[-1:-1] = [np.zeros(1)] * (3 - len(shape))
    return squares


def _sum_of_squares(steps: NDArray[np.intp], lengths: FloatArray) -> FloatArray:
    """Add the squares along the last axis one after the other: numpy's own sum may add in another order."""
    total: FloatArray = np.zeros(steps.shape[:-1])
    for axis, length in enumerate(lengths.tolist()):
        total += (steps[..., axis] * length) ** 2
    return total
