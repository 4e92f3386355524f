"""Synthetic segmentations from fixed seeds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def cells(shape: tuple[int, ...], count: int, seed: int, dtype: str = "int32") -> NDArray[np.integer]:
    """Return a label array of ``count`` irregular cells: the nearest of random centres, on a coarse grid."""
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(seed)
    centres = rng.random((count, len(shape))) * shape
    tree = cKDTree(centres)
    labels = np.empty(shape, dtype)
    wobble = 0.02 * min(shape)
    for plane in range(shape[0]):  # plane by plane, so that coordinates of a volume need little memory
        axes = np.meshgrid(*(np.arange(n, dtype=np.float64) for n in shape[1:]), indexing="ij")
        points = np.stack([np.full(axes[0].shape, float(plane)), *axes], axis=-1)
        points += wobble * np.sin(points[..., ::-1] / (2 * wobble + 1))
        labels[plane] = tree.query(points.reshape(-1, len(shape)))[1].reshape(shape[1:])
    return labels


def shifted(labels: NDArray[np.integer], by: int) -> NDArray[np.integer]:
    """Return the same cells moved along every axis: a prediction that is nearly correct."""
    return np.ascontiguousarray(np.roll(labels, tuple([by] * labels.ndim), tuple(range(labels.ndim))))


def moved(labels: NDArray[np.integer], by: int) -> NDArray[np.integer]:
    """Return the same cells moved along every axis, without those that leave the array: 0 takes their place."""
    target = np.zeros_like(labels)
    target[(slice(by, None),) * labels.ndim] = labels[(slice(None, -by),) * labels.ndim]
    return target


def coarse_volume(side: int, count: int, seed: int) -> NDArray[np.integer]:
    """Return a cube of cells, enlarged from a quarter of the resolution: run lengths as in a real volume."""
    small = cells((side // 4,) * 3, count, seed, "uint32")
    return np.ascontiguousarray(small.repeat(4, 0).repeat(4, 1).repeat(4, 2))


def discs(
    shape: tuple[int, int], count: int, sizes: tuple[float, float], seed: int, *, disjoint: bool
) -> list[NDArray[np.bool_]]:
    """Return irregular discs with radii in the range ``sizes``; disjoint ones occlude each other, as in a photo."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: shape[0], : shape[1]]
    free = np.ones(shape, bool)
    masks: list[NDArray[np.bool_]] = []
    while len(masks) < count:
        dy, dx = y - rng.uniform(0, shape[0]), x - rng.uniform(0, shape[1])
        radius = np.exp(rng.uniform(*np.log(sizes)))
        angle = np.arctan2(dy, dx)
        edge = radius * (1 + 0.25 * np.sin(rng.integers(3, 9) * angle + rng.uniform(0, 6)) + 0.1 * np.sin(23 * angle))
        mask = np.hypot(dy, dx) < edge
        if disjoint:
            mask &= free
            free &= ~mask
        if mask.any():
            masks.append(mask)
    return masks
