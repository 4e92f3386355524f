"""Bootstrap intervals of every panoptic metric over 5,000 items in 133 classes, against one value at a time."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from bench.cases import Contest, Limit, case, processor_time
from bench.run import run_file
from segmetry.run.run import Run
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.resampled_intervals import Resampling, intervals
from segmetry.statistics.summary import Summary, summarise

ONE_AFTER_ANOTHER = "scipy.stats.bootstrap, the 14 means alone, one after another"
ONE_BY_ONE = "one resample at a time, mean PQ and PQ pooled by class alone, percentiles alone"
TWO = "two seconds"
RESAMPLES = 10_000


@cache
def data() -> tuple[DataSet, Summary]:
    with Run.open(run_file()) as run:
        of_segments = run.data.with_keys(metric.key for metric in run.metrics if metric.needs == "tally")
    return of_segments, summarise(of_segments)


def ours() -> None:
    """Mean and pooled, percentile and BCa, of the data set and its group of classes: 14 metrics."""
    intervals(*data(), Resampling(RESAMPLES), parts=False)


def scipy_means() -> None:
    from scipy.stats import bootstrap

    of_segments, summary = data()
    for key in summary.scores:
        values = of_segments.item_values(key)
        bootstrap((values,), np.mean, n_resamples=RESAMPLES, batch=100, method="BCa", rng=1)


def one_by_one() -> None:
    of_segments, _ = data()
    segments, n_items = of_segments.segments, len(of_segments.items)
    columns, shape = segments.columns, (n_items, len(segments.labels["class"]))
    sums, halves = np.zeros(shape), np.zeros(shape)
    union = columns["shared"] + columns["missed_elements"] + columns["spurious_elements"]
    np.add.at(sums, (segments.item_of("shared"), columns["pair_class"]), 2 * columns["shared"] / union)
    halves[segments.item_of("matched"), columns["class"]] = (
        2 * columns["matched"] + columns["missed"] + columns["spurious"]
    )
    values = sums.sum(axis=1) / halves.sum(axis=1)
    numbers = np.random.default_rng(1)
    estimates = []
    for _ in range(RESAMPLES):
        drawn = numbers.integers(0, n_items, n_items)
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
