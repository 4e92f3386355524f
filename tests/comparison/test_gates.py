"""Bounds on scores and on differences: what passes, what fails, and the line that says why."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.comparison.gates import Gate, failed_bounds, failed_differences
from segmetry.errors import OptionError, SegmetryError
from segmetry.metrics.declare import METRICS

TRUE = {"a": [[1, 1, 1, 2]], "b": [[1, 1, 2, 2]], "c": [[1, 1, 1, 1]], "d": [[1, 2, 2, 2]]}
GOOD = TRUE
FAIR = {**TRUE, "a": [[1, 1, 2, 2]]}
POOR = {**TRUE, "a": [[1, 1, 2, 2]], "d": [[1, 1, 1, 2]]}


def evaluated(pred: Any, metrics: str = "pq,rand_error,n_matched,fair", **options: Any) -> sm.Run:
    return sm.evaluate(TRUE, pred, metrics=metrics, **options)


def failures(run: sm.Run, *texts: str) -> list[str]:
    return list(failed_bounds(run, [Gate.parse(text, "=") for text in texts]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pq", r"'pq' is not a bound; expected METRIC=NUMBER"),
        ("pq=", "is not a bound"),
        ("pq=x", "is not a bound"),
        ("pq=nan", "is not a bound"),
        ("=0.5", "is not a bound"),
        ("pq.mean=0.5", "there is no average 'mean'; expected one of pooled, by_class, by_item, "),
        ("ppq=0.5", "'ppq'"),
        ("fair=0.5", "no value of fair is better than another"),
    ],
)
def test_what_is_not_a_bound_is_rejected(text: str, words: str) -> None:
    with pytest.raises(SegmetryError, match=words):
        Gate.parse(text, "=")


@given(st.sampled_from([GOOD, FAIR, POOR]), st.integers(0, 100).map(lambda n: n / 100))
def test_a_bound_is_kept_exactly_if_the_value_is_not_worse(pred: Any, bound: float) -> None:
    run = evaluated(pred)
    value, error = (run.summary()[key]["by_item"].value for key in ("pq", "rand_error"))
    assert bool(failures(run, f"pq.by_item={bound}")) == (value < bound)
    assert bool(failures(run, f"rand_error.by_item={bound}")) == (error > bound)


def test_the_line_names_metric_average_value_and_bound() -> None:
    run = evaluated(POOR)
    value = run.summary()["pq"]["by_item"].value
    assert failures(run, "pq.by_item=0.99", "pq.by_item=0.1", "rand_error.by_item=0") == [
        f"pq (mean over items) is {value:.4f}, below the bound 0.99",
        f"rand_error (mean over items) is {run.summary()['rand_error']['by_item'].value:.4f}, above the bound 0",
    ]
    assert failures(run, f"pq.by_item={value!r}") == []  # the value itself keeps the bound


def test_an_undefined_value_fails_whatever_the_bound() -> None:
    run = sm.evaluate({"a": [[0, 0]]}, {"a": [[0, 0]]}, metrics="pq,n_missed")
    (line,) = failures(run, "pq.by_item=0")
    assert line.startswith("pq (mean over items) is undefined (") and line.endswith("; the bound is 0")
    assert failures(run, "n_missed.pooled=0") == []


def test_averages_and_metrics_that_a_run_does_not_have_are_rejected() -> None:
    with pytest.raises(OptionError, match="rq is not among the metrics of this run; add it with --metrics"):
        failures(evaluated(GOOD), "rq=0.5")
    with pytest.raises(OptionError, match=r"pq has no average by_class; it has by_item, pooled"):
        failures(evaluated(GOOD), "pq.by_class=0.5")


def test_the_average_that_is_meant() -> None:
    """By class where there are classes, else by item; that of the protocol's table where it has the metric."""
    assert failures(evaluated(POOR), "pq=1")[0].startswith("pq (mean over items) is ")
    classes = {name: sm.LabelArray(labels, classes={1: "a", 2: "b"}) for name, labels in TRUE.items()}
    with_classes = sm.evaluate(classes, classes, metrics="pq")
    assert failures(with_classes, "pq=1") == []
    protocol = evaluated(POOR, "segment_accuracy,pq", protocol="stardist")
    for name in ("segment_accuracy", "accuracy", "accuracy (IoU ≥ 0.5)", "IoU ≥ 0.5/accuracy"):
        assert failures(protocol, f"{name}=1")[0].startswith("accuracy (IoU ≥ 0.5) is "), name
    assert failures(protocol, "pq=1")[0].startswith("pq (mean over items) is ")


def differences(texts: list[str], *, interval: bool = False, **runs: sm.Run) -> list[str]:
    comparison = sm.compare(runs, resamples=200)
    return list(failed_differences(comparison, [Gate.parse(text, ":") for text in texts], interval=interval))


def test_a_system_may_be_worse_by_the_bound_and_no_more() -> None:
    base, new = evaluated(FAIR), evaluated(POOR)
    drop = base.summary()["pq"]["by_item"].value - new.summary()["pq"]["by_item"].value
    assert drop > 0
    assert differences([f"pq.by_item:{drop + 1e-9}"], base=base, new=new) == []
    (line,) = differences([f"pq.by_item:{drop - 1e-9}"], base=base, new=new)
    assert line.startswith(f"new against base: pq (mean over items) is worse by {drop:.6g} (")
    assert differences(["pq:0", "rand_error:0"], base=new, new=base) == []  # better in both
    assert [line.split(" is ")[0] for line in differences(["rand_error.by_item:0"], base=base, new=new)] == [
        "new against base: rand_error (mean over items)"
    ]


def test_worse_by_exactly_the_bound_passes() -> None:
    true, worse = {name: [[1, 1, 1, 1]] for name in "abcd"}, {name: [[1, 1, 1, 2]] for name in "abcd"}
    runs = {name: sm.evaluate(true, pred, metrics="sq,rand_error") for name, pred in (("base", true), ("new", worse))}
    comparison = sm.compare(runs, resamples=100)
    drop, rise = (comparison.difference(key, "by_item").value for key in ("sq", "rand_error"))
    assert (drop, rise) == (-0.25, 0.5)
    for interval in (False, True):
        assert differences(["sq:0.25", "rand_error:0.5"], interval=interval, **runs) == []
        assert len(differences(["sq:0.24999", "rand_error:0.49999"], interval=interval, **runs)) == 2


def test_every_later_system_is_compared_with_the_first() -> None:
    lines = differences(["pq.by_item:0"], base=evaluated(GOOD), fair=evaluated(FAIR), poor=evaluated(POOR))
    assert [line.split(":")[0] for line in lines] == ["fair against base", "poor against base"]


def test_the_interval_decides_where_it_is_asked_for() -> None:
    base, new = evaluated(FAIR), evaluated(POOR)
    comparison = sm.compare({"base": base, "new": new}, resamples=200)
    ends = comparison.difference("pq", "by_item").interval.best
    assert ends is not None and not math.isclose(ends[0], comparison.difference("pq", "by_item").value)
    bound = -ends[0]
    gate = [Gate("pq", "by_item", bound - 1e-6)]
    assert list(failed_differences(comparison, gate)) == []
    (line,) = failed_differences(comparison, gate, interval=True)
    assert f"may be worse by up to {bound:.6g}" in line
    assert list(failed_differences(comparison, [Gate("pq", "by_item", bound + 1e-6)], interval=True)) == []


def test_one_item_has_no_interval_and_fails() -> None:
    preds = {"base": [[1, 1, 2, 2]], "new": [[1, 1, 1, 2]]}
    runs = {name: sm.evaluate({"a": [[1, 1, 1, 1]]}, {"a": pred}, metrics="pq") for name, pred in preds.items()}
    (line,) = differences(["pq.by_item:0.5"], interval=True, **runs)
    assert "has no interval (one item only" in line
    assert differences(["pq.by_item:0"], **runs) == []


def test_bounds_of_differences_are_checked() -> None:
    runs = {"base": evaluated(GOOD), "new": evaluated(FAIR)}
    with pytest.raises(OptionError, match="expected how much worse it may be, 0 or more"):
        differences(["pq:-0.1"], **runs)
    with pytest.raises(OptionError, match="rq is not among the metrics that are compared"):
        differences(["rq:0.1"], **runs)
    with pytest.raises(OptionError, match="pq has no average by_class; it has by_item, pooled"):
        differences(["pq.by_class:0.1"], **runs)


def test_every_metric_with_a_direction_can_be_bounded() -> None:
    for key, metric in METRICS.items():
        if metric.better != "neither":
            assert Gate.parse(f"{key}=0.5", "=").key == key


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        ("pq=60", r"pq \(mean over items\) is bounded by 60, but lies in 0 to 1; did you mean 60%\?"),
        ("pq=-0.1", "is bounded by -0.1, but lies in 0 to 1$"),
        ("pq=250%", "is bounded by 2.5, but lies in 0 to 1"),
        ("n_missed=25%", "n_missed .* is not a share, so its bound is not in per cent"),
    ],
)
def test_a_bound_that_nothing_can_break_or_keep_is_an_error(bound: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        failures(evaluated(POOR, "pq,n_missed"), bound)


def test_bounds_are_in_the_unit_that_is_printed() -> None:
    run = evaluated(POOR, None, protocol="semantic")
    value = run.value()
    assert value is not None and value.cell.unit == "percent" and str(value) == "66.07"
    assert failures(run, "mIoU=80") == ["mIoU (all) is 66.07, below the bound 80"]
    assert failures(run, "mIoU=80%") == ["mIoU (all) is 66.07%, below the bound 80%"]
    assert failures(run, "mean_iou=0.8") == ["mIoU (all) is 66.07, below the bound 80"]
    assert failures(run, "mIoU=66", "mIoU=66%", "mIoU=0.66") == []
    with pytest.raises(OptionError, match=r"mIoU \(all\) is bounded by 250, but lies in 0 to 100 %"):
        failures(run, "mIoU=250")


def test_differences_are_in_the_unit_that_is_printed() -> None:
    runs = {name: evaluated(pred, None, protocol="semantic") for name, pred in (("base", GOOD), ("new", POOR))}
    comparison = sm.compare(runs, resamples=100)
    base, new = (comparison.values[name].scores["mean_iou"]["by_class"].value for name in runs)
    words = f"new against base: mIoU (all) is worse by {100 * (base - new):.2f} ({100 * base:.2f} to {100 * new:.2f})"
    for gate in ("mIoU:2", "mIoU:2%", "mean_iou:0.02", "all/mIoU:2"):
        assert list(failed_differences(comparison, [Gate.parse(gate, ":")])) == [f"{words}, more than 2"], gate
    with pytest.raises(OptionError, match=r"cannot be worse by 1 or more; did you mean 1%\?"):
        list(failed_differences(comparison, [Gate.parse("mIoU:1", ":")]))
