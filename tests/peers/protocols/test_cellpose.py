"""The protocol ``cellpose`` against ``average_precision`` and ``aggregated_jaccard_index`` of the package."""

from __future__ import annotations

import math

import numpy as np
import pytest

import segmetry as sm
from segmetry.protocols.cells.cellpose import THRESHOLDS
from tests.peers.protocols.single_modules import module_of
from tests.protocols.references.cell_images import Image, Pair, data_sets, evaluated
from tests.protocols.references.table_values import same

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

CELLPOSE = module_of("cellpose", "metrics.py", cellpose={"utils": None})


def average_precisions(true: Image, pred: Image) -> list[float]:
    """The values of the package; a background pixel is added, without which it loses an object (a named exception)."""
    _, tp, fp, fn = CELLPOSE.average_precision([np.pad(true, 1)], [np.pad(pred, 1)], threshold=list(THRESHOLDS))
    bottoms = (tp + fp + fn)[0].tolist()
    return [hits / bottom if bottom else math.nan for hits, bottom in zip(tp[0].tolist(), bottoms, strict=True)]


def aji(true: Image, pred: Image) -> float:
    if not true.any() or not pred.any():
        return 0.0 if true.any() or pred.any() else math.nan
    return float(CELLPOSE.aggregated_jaccard_index([true], [pred])[0])


def mean(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def check(images: list[Pair]) -> None:
    (row,) = evaluated(images, "cellpose").values()
    by_image = [average_precisions(*image) for image in images]
    for at, threshold in enumerate(THRESHOLDS):
        assert same(row[f"AP@{threshold}"], mean([values[at] for values in by_image])), (row, by_image, images)
    assert same(row["mean AP"], mean([sum(values) / len(values) for values in by_image]))
    assert same(row["AJI"], mean([aji(*image) for image in images])), (row, images)


def test_equals_the_package() -> None:
    for images in data_sets(53):
        check(images)


def test_an_object_is_lost_where_there_is_no_background_pixel() -> None:
    """The smallest example of the exception: one cell that fills the image has 0 true cells in the package."""
    full = np.ones((1, 2), np.int64)
    _, tp, fp, fn = CELLPOSE.average_precision([full], [full], threshold=[0.5])
    assert (tp[0, 0], fp[0, 0], fn[0, 0]) == (0, 0, 0)
    assert sm.segment_accuracy(full, full, thresholds=0.5) == 1
