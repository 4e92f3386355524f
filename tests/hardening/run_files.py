"""Run files as hostile input: small runs of several kinds, and everything that reads one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm
from segmetry.errors import SegmetryError
from segmetry.report.page import render
from tests.readers.data_sets import DataSet

RUN_FILES = "run file"
OTHER = "other.segm"
"""An undamaged run of another system, to compare with."""


@cache
def run_file_samples() -> dict[str, DataSet]:
    """Run files by the name of their sample: labels with scores and columns, classes, lines, and a part of a run."""
    rng = np.random.default_rng(7)
    labels = [{f"item {at}": rng.integers(0, 5, (9, 9)) for at in range(4)} for _ in range(2)]
    classes = [
        {name: sm.LabelArray(array, classes={1: "car", 2: "tree", 3: "car", 4: 7}) for name, array in side.items()}
        for side in labels
    ]
    lines = [{f"line {at}": sm.Spans.from_masses(rng.integers(1, 9, 7)) for at in range(3)} for _ in range(2)]
    lines = [{name: sm.Spans(spans.starts, spans.stops, 99) for name, spans in side.items()} for side in lines]
    stacks = [[rng.integers(0, 4, (6, 6)) == np.arange(3)[:, None, None] for _ in range(2)] for _ in range(2)]
    masks = [
        {f"item {at}": sm.Masks.from_dense(stack, scores=[0.9, 0.5, 0.1]) for at, stack in enumerate(side)}
        for side in stacks
    ]
    runs = {
        "masks": (masks, {"metrics": "pq,average_precision"}),
        "labels": (labels, {"metrics": "pq,covering,hausdorff,rand_index"}),
        "classes": (classes, {"metrics": "pq,mean_iou,segment_f1", "also": ["theta_and"], "groups": {"g": ["car", 7]}}),
        "lines": (lines, {}),
        "part": (labels, {"metrics": "pq", "shard": "1/2"}),
    }
    found = {}
    for name, ((true, pred), options) in runs.items():
        with tempfile.TemporaryDirectory() as folder:
            for file, side in (("run.segm", pred), (OTHER, dict(zip(pred, [*pred.values()][::-1], strict=True)))):
                sm.evaluate(true, side, out=Path(folder, file), **options).close()
            files = {file: Path(folder, file).read_bytes() for file in ("run.segm", OTHER)}
        found[f"{RUN_FILES}, {name}"] = DataSet(files, "run.segm", ())
    return found


def _compare(run: sm.Run) -> None:
    """Compare with another system; an error names the systems, and need not name the file."""
    assert run.path is not None
    with suppress(SegmetryError):
        sm.compare(run, sm.Run.open(run.path.with_name(OTHER)), names=["a", "b"], resamples=100)


_STEPS: tuple[Callable[[sm.Run], Any], ...] = (
    lambda run: run.summary(partial=True),
    lambda run: run.items(),
    lambda run: run.segments(),
    lambda run: run.classes(partial=True),
    lambda run: run.rescore("theta_and").summary(partial=True),
    lambda run: run.scalars(partial=True),
    lambda run: run.protocol_table(partial=True),
    lambda run: (run.content_digest(), run.results_digest(), run.truth_digests()),
    lambda run: (run.inputs, run.most_elements, run.counted_blocks, run.files, run.headline, run.schema_version),
    _compare,
    lambda run: render([run], maps="none"),
    str,
)


def read_run(path: Path) -> None:
    """Ask a run file for everything: scores, tables, digests, a comparison and the report; raise the first error.

    Of several errors one that does not name the file is the first.
    """
    problems: list[SegmetryError] = []
    with sm.Run.open(path) as run:
        for step in _STEPS:
            try:
                step(run)
            except SegmetryError as problem:
                problems.append(problem)
    if problems:
        raise next((problem for problem in problems if str(path) not in str(problem)), problems[0])
