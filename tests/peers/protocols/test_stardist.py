"""The protocol ``stardist`` against ``matching_dataset`` of the package."""

from __future__ import annotations

import math

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
