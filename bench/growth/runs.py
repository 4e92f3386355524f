"""Runs of more and more items, classes and systems: summary, intervals, comparison, diagnosis and report."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm
from bench.growth.curves import Call, decades, grows
from bench.growth.inputs import opened, run_of

ITEMS = decades(2, 4.5)


@grows("score of label images of 32×32", "items", decades(2, 3.5))
def score(size: int) -> Call:
    numbers = np.random.default_rng(1)
    sides: Any = [
        {str(at): np.kron(labels, np.ones((8, 8), np.int64)) for at, labels in enumerate(side)}
        for side in numbers.integers(0, 5, (2, size, 4, 4))
    ]
    return lambda: sm.evaluate(*sides, metrics="panoptic", engine="serial")


@grows("summary of a run", "items", ITEMS)
def summary(size: int) -> Call:
    run_of(size)
    return lambda: opened(size).summary()


@grows("intervals of a run, 1,000 resamples", "items", ITEMS)
def intervals(size: int) -> Call:
    run_of(size)
    return lambda: opened(size).intervals(resamples=1000)


@grows("comparison of two runs, 1,000 resamples", "items", decades(2, 4))
def compare(size: int) -> Call:
    paths = run_of(size), run_of(size, seed=2)
    return lambda: sm.compare(*paths, resamples=1000, truth="segments")


@grows("errors of a run by kind", "items", ITEMS)
def diagnose(size: int) -> Call:
    path = run_of(size)
    return lambda: sm.diagnose(path)


@grows("report of a run", "items", decades(2, 3.5))
def report(size: int) -> Call:
    target = Path(tempfile.mkdtemp()) / "report.html"
    run_of(size)
    return lambda: opened(size).report(target)


@grows("summary of a run of 1,000 items", "classes", decades(1, 4))
def summary_by_class(size: int) -> Call:
    run_of(1000, size)
    return lambda: opened(1000, size).summary()


@grows("intervals of a run of 1,000 items, 200 resamples", "classes", decades(1, 4))
def intervals_by_class(size: int) -> Call:
    run_of(1000, size)
    return lambda: opened(1000, size).intervals(resamples=200)


@grows(
    "comparison of systems, 300 items each",
    "systems",
    (2, 4, 8, 16),
    reason="every system is compared with every other one: as many tests as pairs of systems",
)
def systems(size: int) -> Call:
    paths = [run_of(300, seed=seed + 1) for seed in range(size)]
    return lambda: sm.compare(*paths, resamples=200, truth="segments")
