"""Rescoring a run of 5,000 COCO-sized items under another rule, against counting and aligning them again."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm
from bench.cases import Contest, Limit, case
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.run.item_result import ItemResult
from segmetry.run.run import Run
from segmetry.run.settings import Settings
from segmetry.run.writer import RunWriter

N_ITEMS, N_SEGMENTS, N_ROWS, N_CLASSES = 5000, 12, 25, 133
GROUPS = {"things": range(80), "stuff": range(80, N_CLASSES)}
ITEM_BY_ITEM = "align and summarise item by item"


def _table(numbers: np.random.Generator) -> OverlapTable:
    """Return a table like that of two segmentations of a photo: matching pairs, and slivers along their edges."""
    shared = np.zeros((N_SEGMENTS, N_SEGMENTS), dtype=np.int64)
    np.fill_diagonal(shared, numbers.integers(500, 40_000, N_SEGMENTS))
    slivers = numbers.choice(N_SEGMENTS * N_SEGMENTS, N_ROWS - N_SEGMENTS + 2, replace=False)
    shared.flat[slivers] += numbers.integers(1, 3000, slivers.size)
    classes = np.sort(numbers.choice(N_CLASSES, N_SEGMENTS // 2, replace=False))
    codes = numbers.integers(0, classes.size, N_SEGMENTS)

    def side(sizes: Any) -> Side:
        zeros = np.zeros(N_SEGMENTS, dtype=np.int64)
        return Side(np.arange(1, N_SEGMENTS + 1), sizes, zeros, zeros, classes=codes)

    row_true, row_pred = np.nonzero(shared)
    return OverlapTable(
        true=side(shared.sum(axis=1)),
        pred=side(shared.sum(axis=0)),
        row_true=row_true,
        row_pred=row_pred,
        shared=shared[row_true, row_pred],
        background=BackgroundCounts(),
        n_elements=int(shared.sum()),
        class_names=tuple(classes.tolist()),
    )


@cache
def run_file() -> Path:
    numbers = np.random.default_rng(5)
    path = Path(tempfile.mkdtemp()) / "run.segm"
    names = [f"{at:012}.png" for at in range(N_ITEMS)]
    writer = RunWriter.create(path, Settings.of(metrics="panoptic", groups=GROUPS), {}, names)
    for at, name in enumerate(names):
        table = _table(numbers)
        scores = {("mean_best_iou", ""): sm.mean_best_iou(table)}
        writer.add(at + 1, ItemResult(name, table, "labels", 2, scores))
    writer.finish()
    return path


def rescored() -> float:
    """From the closed file to the summary by class and group under another rule."""
    with Run.open(run_file()) as run:
        return run.rescore("theta_plus").summary()["pq"].by_item.value


def one_by_one() -> float:
    from segmetry.statistics.records import record_of
    from segmetry.statistics.summary import summarise

    with Run.open(run_file()) as run:
        own = {"pq_dagger": {"stuff": GROUPS["stuff"]}}
        records = [record_of(name, sm.align(table, "theta_plus"), per_class=own) for name, table in run.tables()]
    return summarise(records, groups=GROUPS)["pq"].by_item.value


@case(
    "5,000 items × 12 segments a side, 25 rows: open, rescore, summarise by class, things and stuff",
    Limit(ITEM_BY_ITEM, at_least=5),
    quick=False,
)
def rescore() -> Contest:
    run_file()
    return Contest(rescored, {ITEM_BY_ITEM: one_by_one})
