"""The columns of lesions: how many are found, missed and spurious in each class of an item, and sums over the found."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from segmetry._base.exact import Threshold, fraction
from segmetry.geometry.lesions import Lesion, lesions_by_class
from segmetry.metrics.statistics import Column, Sums
from segmetry.metrics.whole_numbers import whole_number
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.spacing import Spacing, one_spacing

DILATION = 3
NO_LESION = "no lesion on either side"
COLUMNS = ("found", "missed", "spurious")


def lesion_counts(
    true: Segmentation, pred: Segmentation, *, dilation: int = DILATION, least_volume: Threshold = 0
) -> dict[str, Column]:
    """Collect the numbers of lesions of each class, and the sum of the Dice coefficients of the found ones."""
    return _collected(true, pred, dilation, least_volume, "dice", lambda lesion, _: lesion.dice)


def lesion_distances(
    true: Segmentation, pred: Segmentation, *, dilation: int = DILATION, least_volume: Threshold = 0
) -> dict[str, Column]:
    """Collect the numbers of lesions of each class, and the sum of the 95 % Hausdorff distances of the found ones."""
    return _collected(true, pred, dilation, least_volume, "distance", Lesion.hausdorff95)


def _collected(
    true: Segmentation,
    pred: Segmentation,
    dilation: int,
    least_volume: Threshold,
    name: str,
    measure: Callable[[Lesion, Spacing], float],
) -> dict[str, Column]:
    steps, spacing = whole_number("dilation", dilation, 0, "steps"), one_spacing(true, pred)
    floor = fraction(least_volume, "least_volume")
    volume = math.prod(fraction(step) for step in spacing)
    names, rows, sums = [], [], []
    for label, (lesions, spurious) in lesions_by_class(true, pred, steps).items():
        large = [lesion for lesion in lesions if lesion.size * volume > floor]
        found = [lesion for lesion in large if lesion.found]
        names.append(label)
        rows.append((len(found), len(large) - len(found), spurious))
        sums.append(math.fsum(measure(lesion, spacing) for lesion in found))
    counts = np.array(rows, dtype=np.int64).reshape(-1, len(COLUMNS))
    return {"class": names, **dict(zip(COLUMNS, counts.T, strict=True)), name: np.array(sums, dtype=np.float64)}


def all_lesions(sums: Sums) -> Any:
    """Return the number of found, missed and spurious lesions."""
    return sums["found"] + sums["missed"] + sums["spurious"]
