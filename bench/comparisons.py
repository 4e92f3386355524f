"""Comparing five systems on 5,000 items by 20 metrics, with and without classes, from their run files."""

from __future__ import annotations

import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np

import segmetry as sm
from bench.cases import Contest, Limit, case, processor_time
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.run.settings import Settings
from segmetry.runfile.writer import ItemResult, RunWriter

TWENTY = "twenty seconds"
N_ITEMS, N_SEGMENTS, SYSTEMS = 5000, 12, "abcde"
METRICS = (
    *("pq", "sq", "rq", "precision", "recall", "f1", "weighted_precision", "weighted_recall", "weighted_f1", "sq_dice"),
    *("pq_dice", "n_matched", "n_missed", "n_spurious", "sum_iou", "sq_rvd", "npq"),
    *("count_difference", "sq_rvae", "n_true"),
)


@cache
def run_files(n_classes: int) -> list[Path]:
    """Write runs of five systems that find most of the same true segments, each a part of every one."""
    truth = np.random.default_rng(1)
    folder, ids, zeros = Path(tempfile.mkdtemp()), np.arange(1, N_SEGMENTS + 1), np.zeros(N_SEGMENTS, dtype=np.int64)
    names = [f"{at:06}" for at in range(N_ITEMS)]
    sizes = truth.integers(500, 40_000, (N_ITEMS, N_SEGMENTS))
    classes = truth.integers(0, max(n_classes, 1), (N_ITEMS, N_SEGMENTS))
    for at, system in enumerate(SYSTEMS):
        numbers = np.random.default_rng(10 + at)
        writer = RunWriter.create(folder / f"{system}.segm", Settings.of(metrics=METRICS).as_json(), {}, names)
        for item, name in enumerate(names):
            shared = (sizes[item] * numbers.beta(4 + 0.4 * at, 1.5, N_SEGMENTS)).astype(np.int64) + 1
            extra = (sizes[item] * numbers.beta(1.2, 6, N_SEGMENTS)).astype(np.int64)
            wrong = numbers.random(N_SEGMENTS) < 0.1
            found = np.where(wrong, numbers.integers(0, max(n_classes, 1), N_SEGMENTS), classes[item])
            own = (classes[item], found) if n_classes else (None, None)
            table = OverlapTable(
                true=Side(ids, sizes[item], sizes[item] - shared, zeros, classes=own[0]),
                pred=Side(ids, shared + extra, extra, zeros, classes=own[1]),
                row_true=ids - 1,
                row_pred=ids - 1,
                shared=shared,
                background=BackgroundCounts(),
                n_elements=10**6,
                class_names=tuple(range(n_classes)) or None,
            )
            writer.add([(item + 1, ItemResult(name, table, "labels", 2, []))])
        writer.finish()
    return [folder / f"{system}.segm" for system in SYSTEMS]


def compared(n_classes: int) -> None:
    sm.compare(*run_files(n_classes))


@case(
    "5 systems × 5,000 items × 20 metrics: all differences, intervals, tests and ranks, 10,000 resamples",
    Limit(TWENTY, at_most=1),
    quick=False,
)
def whole() -> Contest:
    run_files(0)
    return Contest(partial(compared, 0), {TWENTY: processor_time(20)})


@case("the same with 20 classes, means over classes and groups", Limit(TWENTY, at_most=1), quick=False)
def with_classes() -> Contest:
    run_files(20)
    return Contest(partial(compared, 20), {TWENTY: processor_time(20)})
