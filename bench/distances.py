"""Surface distances of 100 pairs in their boxes, against full-image masks. Run: python bench/distances.py"""

from __future__ import annotations

import numpy as np
from segments import SEGMENTS, Case, picture, show

from segmetry.kernels.distances import surface_distances
from segmetry.kernels.geometry import segment_geometry

PAIRS = 2
"""Pairs the peer is measured on."""


def cases() -> list[Case]:
    from scipy.ndimage import binary_erosion, distance_transform_edt

    true = picture()
    pred = np.roll(true, 5, axis=1)

    def in_boxes() -> object:
        boxes = [segment_geometry(labels).box for labels in (true, pred)]
        low = np.minimum(boxes[0][:, :, 0], boxes[1][:, :, 0])
        high = np.maximum(boxes[0][:, :, 1], boxes[1][:, :, 1])
        found = []
        for number in range(SEGMENTS):
            box = tuple(map(slice, low[number].tolist(), high[number].tolist()))
            found.append(surface_distances(true[box] == number + 1, pred[box] == number + 1))
        return found

    def surfaces_of_full_masks(label: int) -> object:
        borders = [mask ^ binary_erosion(mask) for mask in (true == label, pred == label)]
        return [distance_transform_edt(~borders[1 - side])[borders[side]] for side in (0, 1)]

    def peer() -> object:
        return [surfaces_of_full_masks(label) for label in range(1, PAIRS + 1)]

    return [Case("surface distances of 100 pairs against full-image masks", in_boxes, peer, SEGMENTS / PAIRS)]


if __name__ == "__main__":
    show(cases())
