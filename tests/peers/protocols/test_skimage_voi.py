"""The protocols ``skimage-voi`` and ``fg-ari`` against scikit-image and scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from skimage.metrics import adapted_rand_error, variation_of_information
from sklearn.metrics import adjusted_rand_score

import segmetry as sm
from tests.protocols.references.table_values import shown
from tests.protocols.references.volume_data import Volume, data_sets

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]


def mean(values: list[float]) -> float:
    used = [value for value in values if not math.isnan(value)]
    return math.fsum(used) / len(used) if used else math.nan


def close(value: float | None, expected: float) -> bool:
    if value is None or math.isnan(expected):
        return value is None and math.isnan(expected)
    return abs(value - expected) < 1e-12


def test_skimage_voi_equals_scikit_image() -> None:
    for volumes in data_sets(53):
        true, pred = ({str(at): pair[side] for at, pair in enumerate(volumes)} for side in (0, 1))
        (row,) = shown(sm.evaluate(true, pred, protocol="skimage-voi", engine="serial")).values()
        terms = [variation_of_information(*pair) for pair in volumes]
        # scikit-image returns first what divides the segments of its first argument's partner.
        assert close(row["VOI split"], mean([float(split) for split, _ in terms]))
        assert close(row["VOI merge"], mean([float(merge) for _, merge in terms]))
        assert close(row["VOI"], mean([float(sum(both)) for both in terms]))
        errors = [float(adapted_rand_error(*pair, ignore_labels=())[0]) for pair in volumes]
        assert close(row["ARAND"], mean(errors))


def mean_best_overlap(true: Volume, pred: Volume) -> float:
    best = [
        max(((true == t) & (pred == p)).sum() / ((true == t) | (pred == p)).sum() for p in np.unique(pred))
        for t in np.unique(true[true > 0])
    ]
    return float(np.mean(best)) if best else math.nan


def test_fg_ari_equals_scikit_learn_on_the_foreground() -> None:
    for volumes in data_sets(54):
        true = {str(at): pair[0] for at, pair in enumerate(volumes)}
        pred = {str(at): pair[1] for at, pair in enumerate(volumes)}
        (row,) = shown(sm.evaluate(true, pred, protocol="fg-ari", engine="serial")).values()
        indices = [float(adjusted_rand_score(t[t > 0], p[t > 0])) if t.any() else math.nan for t, p in volumes]
        assert close(row["FG-ARI"], mean(indices)), (row, indices)
        assert close(row["mBO"], mean([mean_best_overlap(*pair) for pair in volumes]))
