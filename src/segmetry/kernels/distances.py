"""Distances between the surfaces of two segments: used by Hausdorff, average and tolerance-based distances.

The masks are crops to the bounding box of both segments together. Nothing outside that box belongs to either, so the
surfaces and all distances between them are those of the full image, at the cost of the box.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry.errors import InputError, KindError, OptionError, ShapeMismatchError

_CROWDED = 5
"""Measured: one query of a tree costs about as much as a distance transform spends on five elements of the box."""


class SurfaceDistances(NamedTuple):
    """One distance per surface element, in the order of ``numpy.nonzero`` of the surface."""

    true_to_pred: NDArray[np.float64]
    pred_to_true: NDArray[np.float64]


def surface(mask: ArrayLike) -> NDArray[np.bool_]:
    """Return the elements of a mask with a neighbour along an axis (4 in 2-D, 6 in 3-D) that is not in it.

    >>> surface(np.ones((3, 4), bool)).astype(int).tolist()
    [[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]
    """
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


def surface_distances(true: ArrayLike, pred: ArrayLike, spacing: Sequence[float] | None = None) -> SurfaceDistances:
    """Return the distance from every surface element of one mask to the nearest of the other, both ways.

    Euclidean distances between element centres; ``spacing`` gives the length of a step along each axis (1 by default).

    >>> row = np.zeros((1, 6), bool)
    >>> true, pred = row.copy(), row.copy()
    >>> true[0, :2] = True
    >>> pred[0, 4:] = True
    >>> distances = surface_distances(true, pred, spacing=(1, 0.5))
    >>> distances.true_to_pred.tolist(), distances.pred_to_true.tolist()
    ([2.0, 1.5], [1.5, 2.0])
    """
    masks = {"true": np.asarray(true), "pred": np.asarray(pred)}
    if masks["true"].shape != masks["pred"].shape:
        raise ShapeMismatchError(
            f"true has shape {masks['true'].shape} and pred {masks['pred'].shape}, expected two crops of one box"
        )
    for side, mask in masks.items():
        if not mask.any():
            raise InputError(f"{side} has no element: its distance to another segment is undefined")
    lengths = _step_lengths(spacing, masks["true"].ndim)
    return distances_between(surface(masks["true"]), surface(masks["pred"]), lengths)


def distances_between(
    of_true: NDArray[np.bool_], of_pred: NDArray[np.bool_], lengths: NDArray[np.float64]
) -> SurfaceDistances:
    """Return the distance from every marked place of one grid to the nearest of the other, both ways.

    >>> one, other = np.array([True, False, True]), np.array([False, False, True])
    >>> distances_between(one, other, np.ones(1)).true_to_pred.tolist()
    [2.0, 0.0]
    """
    apart_true, apart_pred = ~of_pred[of_true], ~of_true[of_pred]
    crowded = (np.count_nonzero(apart_true) + np.count_nonzero(apart_pred)) * _CROWDED > of_true.size
    return SurfaceDistances(
        _directed(of_true, of_pred, apart_true, crowded=bool(crowded), lengths=lengths),
        _directed(of_pred, of_true, apart_pred, crowded=bool(crowded), lengths=lengths),
    )


def _directed(
    places: NDArray[np.bool_],
    others: NDArray[np.bool_],
    apart: NDArray[np.bool_],
    *,
    crowded: bool,
    lengths: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the distance of every place to the nearest other one: 0 where both are, so only the rest is searched."""
    distances = np.zeros(apart.size)
    if apart.any():
        distances[apart] = _distances_to(others, np.argwhere(places & ~others), crowded=crowded, lengths=lengths)
    return distances


def _step_lengths(spacing: Sequence[float] | None, axes: int) -> NDArray[np.float64]:
    lengths = np.ones(axes) if spacing is None else np.asarray(spacing, np.float64)
    if lengths.shape != (axes,) or not np.all((lengths > 0) & np.isfinite(lengths)):
        raise OptionError(f"spacing is {spacing!r}, expected {axes} positive numbers, one per axis of the masks")
    return lengths


def _distances_to(
    on_surface: NDArray[np.bool_], points: NDArray[np.intp], *, crowded: bool, lengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the distance of every point to the nearest surface element, from differences of indices, not positions."""
    find = _nearest_by_transform if crowded else _nearest_by_tree
    squared = (((points - find(on_surface, points, lengths)) * lengths) ** 2).sum(axis=1)
    distances: NDArray[np.float64] = np.sqrt(squared)
    return distances


def _nearest_by_tree(
    on_surface: NDArray[np.bool_], points: NDArray[np.intp], lengths: NDArray[np.float64]
) -> NDArray[np.intp]:
    from scipy.spatial import cKDTree

    candidates = np.argwhere(on_surface)
    # A balanced tree takes longer to build than it saves for the few queries made here.
    tree = cKDTree(candidates * lengths, balanced_tree=False, compact_nodes=False)
    nearest: NDArray[np.intp] = candidates[tree.query(points * lengths)[1]]
    return nearest


def _nearest_by_transform(
    on_surface: NDArray[np.bool_], points: NDArray[np.intp], lengths: NDArray[np.float64]
) -> NDArray[np.intp]:
    from scipy.ndimage import distance_transform_edt

    indices = distance_transform_edt(~on_surface, sampling=lengths, return_distances=False, return_indices=True)
    nearest: NDArray[np.intp] = indices[(slice(None), *points.T)].T
    return nearest
