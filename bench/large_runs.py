"""Runs of 50,000 items in 133 classes, from the closed file: summary, intervals with classes, errors and report."""

from __future__ import annotations

from bench.cases import Call, Contest, Limit, case, processor_time
from bench.run import run_file
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
