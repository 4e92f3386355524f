"""Boundary PQ of an image, against the method of the published tool: the band of one mask after the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from bench.cases import Contest, Limit, call_of, case, optional
from bench.shapes import cells, shifted

EROSION = "scipy.ndimage.binary_erosion of each mask"
OPENCV = "cv2.erode of each mask"
SHAPE, SEGMENTS = (1024, 2048), 100

Labels = NDArray[Any]
Band = Callable[[Labels], Labels]


def mask_by_mask(true: Labels, pred: Labels, band: Band) -> float:
    """Boundary PQ: bands mask by mask, overlaps by np.unique on combined keys, a pair where both IoUs exceed 1/2."""
    tables = [_overlaps(true, pred), _overlaps(*(_banded(labels, band) for labels in (true, pred)))]
    weights = [min(table.get(pair, 0.0) for table in tables) for pair in tables[0]]
    return 2 * sum(weight for weight in weights if weight > 0.5) / (2 * SEGMENTS)


def _banded(labels: Labels, band: Band) -> Labels:
    bands = np.zeros_like(labels)
    for label in range(1, SEGMENTS + 1):
        bands[band(np.pad(labels == label, 1).view(np.uint8))[1:-1, 1:-1] > 0] = label
    return bands


def _overlaps(true: Labels, pred: Labels) -> dict[tuple[int, int], float]:
    keys, counts = np.unique(true.astype(np.int64) * (SEGMENTS + 1) + pred, return_counts=True)
    of_true, of_pred = np.bincount(true.ravel()), np.bincount(pred.ravel())
    rows = zip((keys // (SEGMENTS + 1)).tolist(), (keys % (SEGMENTS + 1)).tolist(), counts.tolist(), strict=True)
    return {(t, h): float(n / (of_true[t] + of_pred[h] - n)) for t, h, n in rows if t and h}


def _contest(metric: Literal["chessboard", "euclidean"]) -> Contest:
    true = cells(SHAPE, SEGMENTS, seed=1) + 1
    pred = shifted(true, 4)
    d = round(0.02 * math.hypot(*SHAPE))
    binary_erosion, erode = optional("scipy.ndimage", "binary_erosion"), optional("cv2", "erode")
    square = np.ones((3, 3), np.uint8)

    def with_scipy(mask: Labels) -> Labels:
        band: Labels = mask - binary_erosion(mask, square, iterations=d)
        return band

    def with_opencv(mask: Labels) -> Labels:
        band: Labels = mask - erode(mask, square, iterations=d)
        return band

    def ours() -> float:
        return sm.boundary_pq(true, pred, metric=metric, rule="theta_plus").value

    if metric == "chessboard" and erode is not None:
        assert math.isclose(ours(), mask_by_mask(true, pred, with_opencv)), "both must compute the same number"
    return Contest(
        ours,
        {
            EROSION: call_of(mask_by_mask, true, pred, with_scipy),
            OPENCV: call_of(erode and mask_by_mask, true, pred, with_opencv),
        },
    )


@case(
    "boundary PQ, chessboard, d = 46, 1024×2048 int32, 100 segments",
    Limit(EROSION, at_least=100),
    Limit(OPENCV, at_least=100),
    quick=False,
)
def chessboard() -> Contest:
    return _contest("chessboard")


@case(
    "boundary PQ, exact Euclidean, d = 46, 1024×2048 int32, 100 segments",
    Limit(EROSION, at_least=30),
    Limit(OPENCV, at_least=30),
    quick=False,
)
def euclidean() -> Contest:
    return _contest("euclidean")
