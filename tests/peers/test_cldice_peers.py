"""clDice against its definition, computed with scikit-image's thinning over sets of elements."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from skimage.morphology import skeletonize

import segmetry as sm
from tests.geometry.strategies import random_blobs

pytestmark = pytest.mark.peers

Place = tuple[int, ...]


def places(mask: NDArray[np.bool_]) -> set[Place]:
    return set(map(tuple, np.argwhere(mask).tolist()))


def centreline_dice(true: NDArray[np.bool_], pred: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Precision, sensitivity and clDice; NaN where there is no skeleton to measure."""
    line_true, line_pred = places(skeletonize(true)), places(skeletonize(pred))
    if not line_true and not line_pred:
        return math.nan, math.nan, math.nan
    precision = len(line_pred & places(true)) / len(line_pred) if line_pred else math.nan
    sensitivity = len(line_true & places(pred)) / len(line_true) if line_true else math.nan
    both = precision + sensitivity
    return precision, sensitivity, 2 * precision * sensitivity / both if both > 0 else 0.0


def test_cldice_is_that_of_the_skeletons() -> None:
    rng = np.random.default_rng(71)
    for at in range(120):
        shape = tuple(rng.integers(1, 20 if at % 2 else 9, 2 + (at % 3 == 0)).tolist())
        true = random_blobs(rng, shape, 1.0) & (rng.random() < 0.95)
        pred = (np.roll(true, 1, 0) ^ (rng.random(shape) < rng.choice([0, 0.05, 0.3]))) & (rng.random() < 0.95)
        expected = centreline_dice(true, pred)
        for key, value in zip(("cldice_precision", "cldice_sensitivity", "cldice"), expected, strict=True):
            assert getattr(sm, key)(true, pred).value == pytest.approx(value, nan_ok=True), key


def test_classes_are_thinned_one_by_one() -> None:
    rng = np.random.default_rng(72)
    true, pred = (rng.integers(0, 3, (12, 13)) for _ in range(2))
    values = [centreline_dice(true == label, pred == label)[2] for label in (1, 2)]
    assert sm.cldice(true, pred).value == pytest.approx(sum(values) / 2)


def test_a_block_without_a_skeleton_is_undefined() -> None:
    block = np.ones((2, 2, 2), dtype=bool)
    assert not skeletonize(block).any()
    assert not sm.cldice(block, block).is_defined
