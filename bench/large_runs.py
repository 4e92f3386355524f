"""Runs of 50,000 items in 133 classes, from the closed file: summary, intervals with classes, errors and report."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import segmetry as sm
from bench.cases import Call, Contest, Limit, case, processor_time
from bench.run import N_CLASSES, N_SEGMENTS, run_file
from bench.shapes import cells, shifted
from segmetry.diagnosis.error_budget import diagnose
from segmetry.report.page import render
from segmetry.run.run import Run

N_ITEMS = 50_000
TENTHS = {0.2: "a fifth of a second", 0.6: "six tenths of a second", 0.8: "eight tenths of a second"}
THREE, FIVE = "three seconds", "five seconds"


def _contest(ours: Call, name: str, seconds: float) -> Contest:
    run_file(N_ITEMS)
    return Contest(ours, {name: processor_time(seconds)})


def summarised() -> None:
    with Run.open(run_file(N_ITEMS)) as run:
        run.summary()


@case("50,000 items: open and summarise by class, things and stuff", Limit(TENTHS[0.2], at_most=10), quick=False)
def summary() -> Contest:
    return _contest(summarised, TENTHS[0.2], 0.2)


@cache
def default_run_file() -> Path:
    """A run with the default metrics of 50,000 label images with classes; 500 of them are made."""
    images = [cells((32, 32), N_SEGMENTS, seed=seed) for seed in range(500)]
    classes = {label: label * 11 % N_CLASSES for label in range(N_SEGMENTS)}
    path = Path(tempfile.mkdtemp()) / "run.segm"
    true = [sm.LabelArray(labels, outside=None, classes=classes) for labels in images]
    pred = [sm.LabelArray(shifted(labels, 1), outside=None, classes=classes) for labels in images]
    names = [f"{at:06}" for at in range(N_ITEMS)]
    sides = ({name: side[at % len(side)] for at, name in enumerate(names)} for side in (true, pred))
    sm.evaluate(*sides, out=path, engine="serial")
    return path


def default_summary() -> None:
    with Run.open(default_run_file()) as run:
        run.summary()


@case("50,000 items: open and summarise a run with the default metrics", Limit(TENTHS[0.6], at_most=10), quick=False)
def summary_of_default_metrics() -> Contest:
    default_run_file()
    return Contest(default_summary, {TENTHS[0.6]: processor_time(0.6)})


def with_intervals() -> None:
    with Run.open(run_file(N_ITEMS)) as run:
        run.intervals()


@case("50,000 items: open, 10,000 resamples of all and of each of 133 classes", Limit(THREE, at_most=10), quick=False)
def intervals() -> Contest:
    return _contest(with_intervals, THREE, 3)


@case("50,000 items: error analysis", Limit(TENTHS[0.8], at_most=10), quick=False)
def error_analysis() -> Contest:
    return _contest(lambda: diagnose(run_file(N_ITEMS)), TENTHS[0.8], 0.8)


def reported() -> None:
    with Run.open(run_file(N_ITEMS)) as run:
        render([run], maps="none")


@case("50,000 items: the report without pictures", Limit(FIVE, at_most=10), quick=False)
def report() -> Contest:
    return _contest(reported, FIVE, 5)
