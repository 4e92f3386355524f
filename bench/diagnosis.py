"""Error analysis of a run of 5,000 items, against fixing item by item; dilation of segments, against scikit-image."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import segmetry as sm
from bench.cases import Contest, Limit, call_of, case, optional
from bench.run import run_file
from segmetry.diagnosis.boundary_sensitivity import Move, move_segments
from segmetry.diagnosis.error_budget import fix
from segmetry.diagnosis.error_reasons import KINDS, MatchSettings
from segmetry.run.run import Run

ITEM_BY_ITEM = "fix and align item by item"
EXPAND = "skimage.segmentation.expand_labels"


def budget() -> float:
    """From the closed file to the scores after every fix."""
    return sm.diagnose(run_file()).cumulative["boundary"].scores["pq"]["by_item_of_classes"].value


def item_by_item() -> float:
    """Every fix once, on its own: half of the work of an error analysis."""
    total, settings = 0.0, MatchSettings.of("theta_and")
    with Run.open(run_file()) as run:
        for _, table in run.tables():
            total += sum(settings.align(fix(table, kind, settings).table).pq.value for kind in KINDS)
    return total


@case("5,000 items × 12 segments a side, 25 rows: error budget", Limit(ITEM_BY_ITEM, at_least=4), quick=False)
def error_budget() -> Contest:
    run_file()
    return Contest(budget, {ITEM_BY_ITEM: item_by_item})


@cache
def _image() -> np.ndarray[Any, Any]:
    """Return a street scene of 1024 × 2048 pixels: 240 blobs, a tenth of it outside."""
    rows, columns = np.mgrid[:1024, :2048]
    labels: np.ndarray[Any, Any] = (rows // 68 * 16 + columns // 128 + 1).astype(np.int32)
    labels[(rows % 68 < 4) | (columns % 128 < 6)] = 0
    return labels


@case("1024 × 2048, 256 segments: grow every segment by one", Limit(EXPAND, at_least=2))
def grow() -> Contest:
    labels = _image()
    expand = optional("skimage.segmentation", "expand_labels")
    return Contest(lambda: move_segments(sm.LabelArray(labels), Move("dilate")), {EXPAND: call_of(expand, labels)})
