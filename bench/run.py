"""A run of 5,000 COCO-sized items: reading it, rescoring it under another rule and diagnosing it."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm
from bench.cases import Contest, Limit, case
from segmetry.metrics.statistics import Statistics
from segmetry.metrics.tally_quotient import segment_counts
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.run.run import Run
from segmetry.run.score_rows import score_row
from segmetry.run.settings import Settings
from segmetry.runfile.overlap_columns import RunTables
from segmetry.runfile.writer import ItemResult, RunWriter
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.summary import summarise

N_ITEMS, N_SEGMENTS, N_ROWS, N_CLASSES = 5000, 12, 25, 133
GROUPS = {"things": range(80), "stuff": range(80, N_CLASSES)}
ITEM_BY_ITEM = "align and summarise item by item"
ROW_BY_ROW = "sqlite3 and numpy.fromiter, row by row"
SUMMARIES = "twelve summaries"


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
def run_file(n_items: int = N_ITEMS) -> Path:
    """Write a run of as many items; beyond 5,000 their tables are repeated."""
    numbers = np.random.default_rng(5)
    path = Path(tempfile.mkdtemp()) / "run.segm"
    names = [f"{at:012}.png" for at in range(n_items)]
    writer = RunWriter.create(path, Settings.of(metrics="panoptic", groups=GROUPS).as_json(), {}, names)
    tables = [_table(numbers) for _ in range(min(n_items, N_ITEMS))]
    scores = [[("mean_best_iou", "", *score_row(sm.mean_best_iou(table)))] for table in tables]
    for at, name in enumerate(names):
        writer.add([(at + 1, ItemResult(name, tables[at % N_ITEMS], "labels", 2, scores[at % N_ITEMS]))])
    writer.finish()
    return path


def rescored() -> float:
    """From the closed file to the summary by class and group under another rule."""
    with Run.open(run_file()) as run:
        return run.rescore("theta_plus").summary()["pq"]["by_item_of_classes"].value


def one_by_one() -> float:
    with Run.open(run_file()) as run:
        names, keys = run.names, [metric.key for metric in run.metrics if metric.needs == "tally"]
        counts = Statistics.concatenate([segment_counts(sm.align(table, "theta_plus")) for _, table in run.tables()])
    groups = {name: frozenset(group) for name, group in GROUPS.items()}
    data = DataSet.of_segments(names, counts, "class", "none", keys, groups=groups)
    return summarise(data)["pq"]["by_item_of_classes"].value


@case(
    "5,000 items × 12 segments a side, 25 rows: open, rescore, summarise by class, things and stuff",
    Limit(ITEM_BY_ITEM, at_least=5),
    quick=False,
)
def rescore() -> Contest:
    run_file()
    return Contest(rescored, {ITEM_BY_ITEM: one_by_one})


@cache
def row_tables() -> Path:
    """Write the same counts with a table row for every segment and every overlap."""
    path = Path(tempfile.mkdtemp()) / "rows.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ATTACH ? AS run", (str(run_file()),))
        for name in ("segment", "overlap"):
            connection.execute(f"CREATE TABLE main.{name} AS SELECT * FROM run.{name}")
        connection.commit()
    return path


def read_row_by_row() -> int:
    """Read the columns as Python's integers, without classes, from tables of rows."""
    queries = (
        "SELECT item, true_position, pred_position, shared FROM overlap ORDER BY item, true_position, pred_position",
        "SELECT item, id, class, size, outside, void FROM segment WHERE side = 'true' ORDER BY item, position",
        "SELECT item, id, class, size, outside, void FROM segment WHERE side = 'pred' ORDER BY item, position",
    )
    with closing(sqlite3.connect(row_tables())) as connection:
        columns = [np.fromiter(chain.from_iterable(connection.execute(query)), dtype=np.int64) for query in queries]
    return sum(column.size for column in columns)


def read_tables() -> int:
    with closing(sqlite3.connect(run_file())) as connection:
        return len(RunTables.load(connection))


@case("the tables of 5,000 items from the run file into columns", Limit(ROW_BY_ROW, at_least=1), quick=False)
def load() -> Contest:
    row_tables()
    return Contest(read_tables, {ROW_BY_ROW: read_row_by_row})


@case("5,000 items: diagnose, twelve states of the data set", Limit(SUMMARIES, at_most=4), quick=False)
def diagnosis() -> Contest:
    run = Run.open(run_file())
    run.summary()
    keys = ["pq", "sq", "rq", "precision", "recall", "n_matched", "n_missed", "n_spurious"]

    def twelve() -> None:
        for _ in range(12):
            summarise(run.data.with_keys(keys))

    return Contest(lambda: sm.diagnose(run), {SUMMARIES: twelve})
