"""Writing the report of 5,000 items in 133 classes, from the run file, without pictures."""

from __future__ import annotations

from bench.cases import Contest, Limit, case, processor_time
from bench.run import run_file
from segmetry.report.page import render
from segmetry.run.run import Run

FIVE = "five seconds"
LOADING = "loading the overlap rows and summarising them"


def ours() -> None:
    with Run.open(run_file()) as run:
        render([run], maps="none")


def summarised() -> None:
    with Run.open(run_file()) as run:
        run.summary()


@case(
    "the report of 5,000 items in 133 classes without pictures: scores under two rules with intervals, error analysis, "
    "columns",
    Limit(FIVE, at_most=1),
    Limit(LOADING),
    quick=False,
)
def report() -> Contest:
    run_file()
    return Contest(ours, {FIVE: processor_time(5), LOADING: summarised})
