"""IoU and Dice of masks and of labels against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score, jaccard_score

import segmetry as sm
from tests.profiles import count


@pytest.mark.parametrize("seed", range(count(3)))
def test_scikit_learn(seed: int) -> None:
    random = np.random.default_rng(seed)
    true, pred = random.integers(0, 4, (2, 200))
    labels = np.unique([true, pred])[1:]
    for metric, peer in ((sm.iou, jaccard_score), (sm.dice, f1_score)):
        expected = peer(true, pred, labels=labels, average="macro")
        assert metric(true, pred).value == pytest.approx(expected, abs=1e-12)
        expected = peer(true, pred, labels=labels, average="micro")
        assert metric(true, pred, average="elements").value == pytest.approx(expected, abs=1e-12)
        assert metric(true > 1, pred > 1).value == pytest.approx(peer(true > 1, pred > 1), abs=1e-12)
