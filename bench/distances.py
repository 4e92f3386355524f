"""Distances between the surfaces of pairs of segments in their boxes, against the packages of the field.

The peers get the same crops: surface-distance as it is, and scipy's erosion and distance transform of the box.
``bad`` predictions are moved so far that few surfaces are close.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases import Call, Contest, Limit, case, optional
from bench.shapes import cells, moved, shifted
from segmetry.kernels.distances import surface_distances
from segmetry.kernels.segment_measures import segment_geometry

SCIPY, SURFACE = "erosion and distance transform of the boxes", "surface-distance on the boxes"
TREE = "a search tree or a distance transform of the boxes"
Crops = list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]


def crops(true: NDArray[Any], pred: NDArray[Any]) -> Crops:
    """Return the masks of every label that both sides have, in the bounding box of both."""
    sides = [
        dict(zip(np.unique(labels).tolist(), segment_geometry(labels).box, strict=True)) for labels in (true, pred)
    ]
    pairs: Crops = []
    for label in sorted(set(sides[0]) & set(sides[1]) - {0}):
        boxes = np.stack([side[label] for side in sides])
        box = tuple(map(slice, boxes[..., 0].min(axis=0).tolist(), boxes[..., 1].max(axis=0).tolist()))
        pairs.append((true[box] == label, pred[box] == label))
    return pairs


def _with_scipy(pairs: Crops) -> object:
    erosion, transform = (optional("scipy.ndimage", name) for name in ("binary_erosion", "distance_transform_edt"))
    distances = []
    for pair in pairs:
        borders = [mask ^ erosion(mask) for mask in pair]
        distances.append([transform(~borders[1 - side])[borders[side]] for side in (0, 1)])
    return distances


def _with_tree(pairs: Crops) -> object:
    """Find the nearest element by a tree where few are apart, and by a transform with indices where many are."""
    tree, transform = optional("scipy.spatial", "cKDTree"), optional("scipy.ndimage", "distance_transform_edt")
    erosion = optional("scipy.ndimage", "binary_erosion")
    distances = []
    for pair in pairs:
        borders = [mask ^ erosion(mask) for mask in pair]
        apart = [borders[side] & ~borders[1 - side] for side in (0, 1)]
        crowded = 5 * sum(map(np.count_nonzero, apart)) > apart[0].size
        for side in (0, 1):
            points = np.argwhere(apart[side])
            if crowded:
                places = transform(~borders[1 - side], return_distances=False, return_indices=True)
                nearest = places[:, *points.T].T
            else:
                candidates = np.argwhere(borders[1 - side])
                nearest = candidates[tree(candidates, balanced_tree=False, compact_nodes=False).query(points)[1]]
            distances.append(np.sqrt(((points - nearest) ** 2).sum(axis=1)))
    return distances


def _with_surface_distance(pairs: Crops) -> Call | None:
    measure = optional("surface_distance", "compute_surface_distances")
    return None if measure is None else lambda: [measure(*pair, (1.0,) * pair[0].ndim) for pair in pairs]


def _contest(true: NDArray[Any], pred: NDArray[Any]) -> Contest:
    pairs = crops(true, pred)
    return Contest(
        lambda: [surface_distances(*pair) for pair in pairs],
        {
            SURFACE: _with_surface_distance(pairs),
            SCIPY: lambda: _with_scipy(pairs),
            TREE: lambda: _with_tree(pairs),
        },
    )


@case("surfaces of 100 pairs, 1024×2048", Limit(SURFACE, at_least=20), Limit(SCIPY), Limit(TREE, at_least=8))
def image() -> Contest:
    true = cells((1024, 2048), 100, seed=1) + 1
    return _contest(true, moved(true, 4))


@case("surfaces of 60 pairs, 128³", Limit(SURFACE, at_least=20), Limit(SCIPY), Limit(TREE, at_least=15), quick=False)
def volume() -> Contest:
    true = cells((128, 128, 128), 60, seed=1) + 1
    return _contest(true, moved(true, 2))


@case(
    "surfaces of 60 pairs, 128³, bad predictions: 7 voxels along each axis",
    Limit(SURFACE, at_least=20),
    Limit(TREE),
    quick=False,
)
def bad_volume() -> Contest:
    true = cells((128, 128, 128), 60, seed=1) + 1
    return _contest(true, moved(true, 7))


@case("surfaces of 60 pairs, 128³, segments around the cube's edges", Limit(SURFACE), Limit(TREE), quick=False)
def wrapped_volume() -> Contest:
    true = cells((128, 128, 128), 60, seed=1) + 1
    return _contest(true, shifted(true, 2))
