"""Panoptic quality of a pair of label arrays, against the algorithm of the COCO panoptic reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases import Contest, Limit, case
from bench.shapes import cells, shifted
from segmetry import panoptic_quality

REFERENCE = "np.unique on pair keys and loops over pairs"


def _reference(true: NDArray[Any], pred: NDArray[Any]) -> float:
    """The steps of the reference after decoding, for one class: 0 is void, pairs with IoU > 1/2 match."""
    offset = 256**3
    true_areas = dict(zip(*(x.tolist() for x in np.unique(true, return_counts=True)), strict=True))
    pred_areas = dict(zip(*(x.tolist() for x in np.unique(pred, return_counts=True)), strict=True))
    keys, counts = np.unique(true.astype(np.uint64) * offset + pred.astype(np.uint64), return_counts=True)
    shared = {divmod(key, offset): count for key, count in zip(keys.tolist(), counts.tolist(), strict=True)}
    total, true_matched, pred_matched = 0.0, set(), set()
    for (label, other), count in shared.items():
        if label == 0 or other == 0:
            continue
        iou = count / (true_areas[label] + pred_areas[other] - count - shared.get((0, other), 0))
        if iou > 0.5:
            total += iou
            true_matched.add(label)
            pred_matched.add(other)
    missed = len(true_areas.keys() - true_matched - {0})
    spurious = 0
    for other, area in pred_areas.items():
        if other != 0 and other not in pred_matched and shared.get((0, other), 0) / area <= 0.5:
            spurious += 1
    return total / (len(true_matched) + missed / 2 + spurious / 2)


@case("arrays in, score out, 1024×2048 int32, 100 segments", Limit(REFERENCE, at_least=50))
def image() -> Contest:
    true = cells((1024, 2048), 100, seed=1) + 1
    pred = shifted(true, 4)
    ours, reference = panoptic_quality(true, pred).value, _reference(true, pred)
    if abs(ours - reference) > 1e-12:
        raise AssertionError(f"panoptic_quality gives {ours}, the reference {reference}")
    return Contest(lambda: panoptic_quality(true, pred), {REFERENCE: lambda: _reference(true, pred)})
