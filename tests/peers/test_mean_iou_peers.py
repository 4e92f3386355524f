"""Mean IoU against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import jaccard_score

import segmetry as sm


def test_the_jaccard_score_of_scikit_learn() -> None:
    numbers = np.random.default_rng(5)
    true, pred = {}, {}
    for at in range(20):
        labels = numbers.integers(0, 6, (6, 7))
        other = np.where(numbers.random(labels.shape) < 0.6, labels, numbers.integers(0, 6, labels.shape))
        names = {label: int(label) for label in range(6)}
        true[str(at)], pred[str(at)] = (sm.LabelArray(side, outside=None, classes=names) for side in (labels, other))
    pooled = sm.evaluate(true, pred, metrics="mean_iou").summary()["mean_iou"].over_data_set
    arrays = [np.concatenate([item.labels.ravel() for item in side.values()]) for side in (true, pred)]
    assert pooled is not None
    assert pooled.value == pytest.approx(jaccard_score(*arrays, average="macro"), rel=1e-12)
