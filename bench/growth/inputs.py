"""Inputs of any size from fixed seeds: overlap tables, and runs of many items."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.run.run import Run
from segmetry.run.settings import Settings
from segmetry.runfile.writer import ItemResult, RunWriter

SEGMENTS = 12
"""Segments a side of an item of a run, as in photos."""
TRUE_SIZE = 5000
"""Elements of every true segment of a run, more than all that predicted ones share with it."""


@cache
def table_of(segments: int, classes: int = 0, seed: int = 1) -> OverlapTable:
    """Return a table of as many segments a side: a matching pair each, and two slivers on average."""
    numbers = np.random.default_rng(seed)
    own = np.arange(segments)
    true = np.concatenate([own, numbers.integers(0, segments, 2 * segments)])
    pred = np.concatenate([own, numbers.integers(0, segments, 2 * segments)])
    _, first = np.unique(true * segments + pred, return_index=True)
    row_true, row_pred = true[first], pred[first]
    shared = np.where(row_true == row_pred, numbers.integers(50, 4000, first.size), numbers.integers(1, 40, first.size))
    codes = own % classes if classes else None
    none = np.zeros(segments, dtype=np.int64)

    def side(rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Side:
        sizes = np.bincount(rows, weights=shared, minlength=segments).astype(np.int64)
        return Side(own + 1, sizes, none, none, classes=codes)

    return OverlapTable(
        true=side(row_true),
        pred=side(row_pred),
        row_true=row_true,
        row_pred=row_pred,
        shared=shared,
        background=BackgroundCounts(),
        n_elements=int(shared.sum()),
        class_names=tuple(range(classes)) if classes else None,
    )


@cache
def run_of(items: int, classes: int = 20, seed: int = 1) -> Path:
    """Write a run of as many items of twelve segments a side, and return its path."""
    path = Path(tempfile.mkdtemp()) / f"run{seed}.segm"
    names = [f"{at:07}.png" for at in range(items)]
    writer = RunWriter.create(path, Settings.of(metrics="panoptic").as_json(), {}, names)
    tables = [_with_classes(at, classes, seed) for at in range(min(items, max(200, classes // SEGMENTS + 1)))]
    for at, name in enumerate(names):
        writer.add([(at + 1, ItemResult(name, tables[at % len(tables)], "labels", 2))])
    writer.finish()
    return path


def _with_classes(at: int, classes: int, seed: int) -> OverlapTable:
    """Return a table whose segments have the next twelve classes, so that the items together have all of them.

    The true segments are the same for every seed, and partly outside of the prediction: runs of several seeds are
    systems on one truth.
    """
    table = table_of(SEGMENTS, SEGMENTS, seed * 100_003 + at)
    names = tuple(sorted({(at * SEGMENTS + place) % classes for place in range(SEGMENTS)}))
    codes = np.arange(SEGMENTS) % len(names)
    outside = TRUE_SIZE - table.true.sizes
    return OverlapTable(
        true=replace(table.true, sizes=table.true.sizes + outside, outside=outside, classes=codes),
        pred=replace(table.pred, classes=codes),
        row_true=table.row_true,
        row_pred=table.row_pred,
        shared=table.shared,
        background=table.background,
        n_elements=table.n_elements + int(outside.sum()),
        class_names=names,
    )


def opened(items: int, classes: int = 20, seed: int = 1) -> Run:
    """Open such a run."""
    return Run.open(run_of(items, classes, seed))
