"""Distances of all matched pairs of an image, counted, aligned and measured, against masks of the entire image."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from bench.cases import Contest, Limit, case, optional
from bench.shapes import cells, shifted

FULL = "erosion and distance transform of whole masks"
SHAPE, SEGMENTS = (1024, 2048), 100
OPTIONS = {"surface_dice": {"tolerance": 2, "weights": "elements"}}
METRICS = ["hausdorff", "hausdorff95", "average_surface_distance", "surface_dice"]


def _whole(true: NDArray[np.bool_], pred: NDArray[np.bool_]) -> tuple[float, ...]:
    """Return the four distances of one pair, as packages for medical images compute them."""
    erosion, transform = (
        optional("scipy.ndimage", "binary_erosion"),
        optional("scipy.ndimage", "distance_transform_edt"),
    )
    borders = [mask ^ erosion(mask) for mask in (true, pred)]
    ways = [transform(~borders[1 - side])[borders[side]] for side in (0, 1)]
    both = np.concatenate(ways)
    percentile = max(np.percentile(way, 95) for way in ways)
    return float(both.max()), float(percentile), float(both.mean()), float((both <= 2).mean())


@case("HD, HD95, ASD and surface Dice of 100 pairs, 1024×2048 int32", Limit(FULL, at_least=50), quick=False)
def distances() -> Contest:
    true = cells(SHAPE, SEGMENTS, seed=1) + 1
    pred = shifted(true, 4)

    def ours() -> list[float]:
        scores: Any = sm.score(true, pred, METRICS, options=OPTIONS)
        return [scores[key].value for key in METRICS]

    def pair_by_pair() -> list[float]:
        pairs = sm.align(sm.overlap(true, pred)).pairs()
        values = [_whole(true == pair.true_id, pred == pair.pred_id) for pair in pairs]
        return [float(value) for value in np.mean(values, axis=0)]

    few = np.isin(true, (1, 2)) * true, np.isin(pred, (1, 2)) * pred
    expected = np.mean([_whole(few[0] == label, few[1] == label) for label in (1, 2)], axis=0)
    scores = sm.score(*few, METRICS, options=OPTIONS)
    for key, value in zip(METRICS, expected.tolist(), strict=True):
        assert math.isclose(float(scores[key].value), value), f"{key}: both must compute the same number"
    return Contest(ours, {FULL: pair_by_pair})
