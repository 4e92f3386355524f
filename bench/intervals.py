"""Bootstrap intervals of every panoptic metric over 5,000 items in 133 classes, against one value at a time."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import numpy as np

from bench.cases import Contest, Limit, case, processor_time
from bench.run import run_file
from segmetry.metrics.per_class import tally_score
from segmetry.run.run import Run
from segmetry.statistics.intervals import intervals
from segmetry.statistics.records import ItemRecord
from segmetry.statistics.summary import summarise
from segmetry.statistics.summary_tables import Summary

ONE_AFTER_ANOTHER = "scipy.stats.bootstrap, the 14 means alone, one after another"
ONE_BY_ONE = "one resample at a time, mean PQ and PQ pooled by class alone, percentiles alone"
TWO = "two seconds"
RESAMPLES = 10_000


@cache
def data() -> tuple[list[ItemRecord], Summary]:
    with Run.open(run_file()) as run:
        records = [replace(record, scores={}, class_sums={}) for record in run.records()]  # only tallies
    return records, summarise(records)


def ours() -> None:
    """Mean and pooled, percentile and BCa, of the data set and its group of classes: 14 metrics."""
    records, summary = data()
    intervals(records, summary=summary, parts=False, resamples=RESAMPLES)


def scipy_means() -> None:
    from scipy.stats import bootstrap

    records, summary = data()
    for key in summary.scores:
        values = np.array([tally_score(key, record.whole, {}).value for record in records])
        bootstrap((values,), np.mean, n_resamples=RESAMPLES, batch=100, method="BCa", rng=1)


def one_by_one() -> None:
    records, summary = data()
    places = {name: at for at, name in enumerate(summary.parts)}
    sums, halves = (np.zeros((len(records), len(places))) for _ in range(2))
    for row, record in enumerate(records):
        for name, tally in record.parts.items():
            sums[row, places[name]] = 2 * tally.iou_sum
            halves[row, places[name]] = tally.n_true + tally.n_pred
    values = sums.sum(axis=1) / halves.sum(axis=1)
    numbers = np.random.default_rng(1)
    estimates = []
    for _ in range(RESAMPLES):
        drawn = numbers.integers(0, len(records), len(records))
        estimates.append((values[drawn].mean(), np.nanmean(sums[drawn].sum(axis=0) / halves[drawn].sum(axis=0))))
    np.quantile(np.array(estimates), [0.025, 0.975], axis=0)


@case(
    "10,000 resamples of 5,000 items: percentile and BCa of all 14 panoptic metrics, mean and pooled by class",
    Limit(ONE_AFTER_ANOTHER, at_least=1.5),
    Limit(ONE_BY_ONE, at_least=5),
    quick=False,
)
def panoptic() -> Contest:
    data()
    return Contest(ours, {ONE_AFTER_ANOTHER: scipy_means, ONE_BY_ONE: one_by_one})


def whole_run() -> None:
    """From the closed file: all 16 metrics, mean and pooled, percentile and BCa, of the data set, things and stuff."""
    with Run.open(run_file()) as run:
        run.intervals(parts=False, resamples=RESAMPLES)


@case(
    "the whole run: open it, 10,000 resamples of 5,000 items, percentile and BCa of all 16 metrics with PQ† and "
    "mean best IoU, mean and pooled, of the data set, things, stuff and all classes",
    Limit(TWO, at_most=1),
    Limit(ONE_BY_ONE, at_least=5),
    quick=False,
)
def run() -> Contest:
    data()
    return Contest(whole_run, {TWO: processor_time(2), ONE_BY_ONE: one_by_one})


@case(
    "the same of a run that is open, and of each of the 133 classes",
    Limit(TWO, at_most=1),
    Limit(ONE_BY_ONE, at_least=5),
    quick=False,
)
def run_by_class() -> Contest:
    data()
    run = Run.open(run_file())
    run.summary()
    return Contest(partial(run.intervals, resamples=RESAMPLES), {TWO: processor_time(2), ONE_BY_ONE: one_by_one})
