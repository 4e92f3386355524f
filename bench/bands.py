"""Boundary bands of all segments in one pass, against eroding each mask separately."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bench.cases import Contest, Limit, call_of, case, optional
from bench.shapes import cells
from segmetry.kernels.contour_bands import boundary_band

EROSION = "scipy.ndimage.binary_erosion of each mask"
OPENCV = "cv2.erode of each mask"
SEGMENTS = 100

Mask = NDArray[np.bool_]


def _contest(metric: Literal["euclidean", "chessboard"]) -> Contest:
    labels = cells((1024, 2048), SEGMENTS, seed=1)
    d = round(0.02 * math.hypot(*labels.shape))
    binary_erosion, erode = optional("scipy.ndimage", "binary_erosion"), optional("cv2", "erode")
    square = np.ones((3, 3), np.uint8)

    def with_scipy(mask: Mask) -> object:
        return mask & ~binary_erosion(mask, square, iterations=d)

    def with_opencv(mask: Mask) -> object:
        return mask.view(np.uint8) - erode(mask.view(np.uint8), square, iterations=d)

    def each(band: Callable[[Mask], object]) -> list[Any]:
        return [band(np.pad(labels == label, 1)) for label in range(SEGMENTS)]

    return Contest(
        lambda: boundary_band(labels, d, metric=metric),
        {EROSION: call_of(each, with_scipy), OPENCV: call_of(erode and each, with_opencv)},
    )


@case("chessboard, d = 46, 1024×2048 int32, 100 segments", Limit(EROSION, at_least=100), Limit(OPENCV, at_least=50))
def chessboard() -> Contest:
    return _contest("chessboard")


@case("exact Euclidean, d = 46, 1024×2048 int32, 100 segments", Limit(EROSION, at_least=30), Limit(OPENCV, at_least=30))
def euclidean() -> Contest:
    return _contest("euclidean")
