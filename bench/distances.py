"""Surface distances of pairs of segments in their boxes, against masks of the entire image."""

from __future__ import annotations

import numpy as np

from bench.cases import Contest, Limit, case, optional
from bench.shapes import cells, shifted
from segmetry.kernels.distances import surface_distances
from segmetry.kernels.segment_geometry import segment_geometry

FULL = "erosion and distance transform of whole masks"
PAIRS = 5
"""Pairs of the 100 that both sides measure: entire masks take a quarter of a second each."""


@case("5 of 100 pairs of segments, 1024×2048 int32", Limit(FULL, at_least=50), quick=False)
def pairs() -> Contest:
    true = cells((1024, 2048), 100, seed=1)
    pred = shifted(true, 4)
    binary_erosion = optional("scipy.ndimage", "binary_erosion")
    transform = optional("scipy.ndimage", "distance_transform_edt")
    boxes = np.stack([segment_geometry(labels).box for labels in (true, pred)])
    low, high = boxes[..., 0].min(axis=0).tolist(), boxes[..., 1].max(axis=0).tolist()

    def in_boxes() -> list[object]:
        distances: list[object] = []
        for label in range(PAIRS):
            box = tuple(map(slice, low[label], high[label]))
            distances.append(surface_distances(true[box] == label, pred[box] == label))
        return distances

    def of_entire_masks(label: int) -> object:
        borders = [mask ^ binary_erosion(mask) for mask in (true == label, pred == label)]
        return [transform(~borders[1 - side])[borders[side]] for side in (0, 1)]

    return Contest(in_boxes, {FULL: lambda: [of_entire_masks(label) for label in range(PAIRS)]})
