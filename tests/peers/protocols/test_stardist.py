"""The protocol ``stardist`` against ``matching_dataset`` of the package."""

from __future__ import annotations

import math

import numpy as np
import pytest

import segmetry as sm
from segmetry.protocols.cells.stardist import THRESHOLDS
from tests.peers.protocols.single_modules import module_of
from tests.protocols.references.cell_images import data_sets, evaluated
from tests.protocols.references.table_values import same

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

STARDIST = module_of(
    "stardist",
    "matching.py",
    numba={"jit": lambda **_: lambda function: function},
    csbdeep={},
    **{"csbdeep.utils": {"_raise": None}, "tqdm": {"tqdm": lambda items, **_: items}},
)
COUNTS = {"precision": "precision", "recall": "recall", "accuracy": "accuracy", "f1": "f1"}
SUMS = {"mean true": "mean_true_score", "mean matched": "mean_matched_score", "PQ": "panoptic_quality"}


def test_equals_matching_dataset() -> None:
    for images in data_sets(51):
        rows = evaluated(images, "stardist")
        expected = STARDIST.matching_dataset(*zip(*images, strict=True), thresh=THRESHOLDS, show_progress=False)
        for row, reference in zip(rows.values(), expected, strict=True):
            for heading, name in COUNTS.items():
                assert same(row[heading], getattr(reference, name)), (heading, row, reference, images)
            for heading, name in SUMS.items():
                assert math.isclose(row[heading] or 0.0, getattr(reference, name), rel_tol=1e-6, abs_tol=1e-7), heading


def test_by_item_is_by_image() -> None:
    images = [pair for data_set in list(data_sets(52))[-12:] for pair in data_set]
    true, pred = ({f"{at}": pair[side] for at, pair in enumerate(images)} for side in (0, 1))
    means = sm.evaluate(true, pred, protocol="stardist", engine="serial").summary()["segment_accuracy"].over_items
    expected = STARDIST.matching_dataset(
        *zip(*images, strict=True), thresh=THRESHOLDS, by_image=True, show_progress=False
    )
    for threshold, reference in zip(THRESHOLDS, expected, strict=True):
        assert same(means.details["thresholds"][str(threshold)], reference.accuracy)


def test_single_precision_decides_for_millions_of_elements() -> None:
    """An IoU of 0.6999999 is a match at 0.7 in single precision, and none exactly: the reason for ``compare``."""
    union = 2**27
    shared = math.ceil(0.7 * union) - 1
    assert shared / union < 0.7 and np.float32(shared / union) >= np.float32(0.7)
    table = sm.OverlapTable.from_rows([(1, 1, shared)], {1: union}, {1: shared}, n_elements=union)
    assert sm.segment_accuracy(table, thresholds=0.7) == 0
    assert sm.segment_accuracy(table, thresholds=0.7, compare="float32") == 1
