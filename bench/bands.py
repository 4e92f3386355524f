"""Boundary bands of all segments, against erosion mask by mask on the full image. Run: python bench/bands.py"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from segments import SEGMENTS, Case, picture, show

from segmetry.kernels.bands import boundary_band

MASKS = 5
"""Masks the distance transform is measured on; it takes seconds for all."""


def cases() -> list[Case]:
    from scipy.ndimage import binary_erosion, distance_transform_edt

    labels = picture()
    d = round(0.02 * math.hypot(*labels.shape))

    def each_mask(count: int, band: Callable[[np.ndarray], object]) -> Callable[[], object]:
        return lambda: [band(np.pad(labels == label, 1)) for label in range(1, count + 1)]

    def chessboard() -> object:
        return boundary_band(labels, d, metric="chessboard")

    def euclidean() -> object:
        return boundary_band(labels, d)

    eroded = each_mask(SEGMENTS, lambda mask: mask & ~binary_erosion(mask, np.ones((3, 3), bool), iterations=d))
    transformed = each_mask(MASKS, lambda mask: mask & (distance_transform_edt(mask) <= d))
    found = [
        Case(f"chessboard band, d = {d}, against scipy erosion", chessboard, eroded),
        Case(f"euclidean band, d = {d}, against scipy erosion", euclidean, eroded),
        Case(f"euclidean band, d = {d}, against scipy distance transform", euclidean, transformed, SEGMENTS / MASKS),
    ]
    try:
        import cv2
    except ImportError:
        return found

    def with_opencv(mask: np.ndarray) -> object:
        image = mask.astype(np.uint8)
        return image - cv2.erode(image, np.ones((3, 3), np.uint8), iterations=d)

    opencv = each_mask(SEGMENTS, with_opencv)
    found.append(Case(f"chessboard band, d = {d}, against OpenCV erosion", chessboard, opencv))
    found.append(Case(f"euclidean band, d = {d}, against OpenCV erosion", euclidean, opencv))
    return found


if __name__ == "__main__":
    show(cases())
