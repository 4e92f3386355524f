"""Columns of a metric of the data set: kept in the run, the same whoever evaluates, and enough for every value."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import FormatError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import METRICS, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation.labels import LabelArray
from segmetry.statistics.readings import Stack

KEY = "share_of_ones"


def ones(true: LabelArray, pred: LabelArray, *, label: int = 1, things: Any = ()) -> dict[str, Any]:
    """Elements with one label on both sides, and in the truth, by column of the array."""
    both = (true.labels == label) & (pred.labels == label)
    return {
        "shared": both.sum(axis=0, dtype=np.int64),
        "true": (true.labels == label).sum(axis=0, dtype=np.int64),
        "weight": np.full(1, 0.1 * len(things)),
        "flags": np.array([[True, False]]),
        "class": [f"column {at}" for at in range(true.labels.shape[1])],
    }


AGGREGATION = Aggregation(ones, average=POOLED, of_items=("weight", "flags"), group_options=("things",))


@pytest.fixture(autouse=True, scope="module")
def declared() -> Iterator[None]:
    @metric(
        symbol="S",
        family="panoptic",
        needs="inputs",
        formula="S",
        summary="Share.",
        citation="kirillov2019panoptic",
        bounds=(0, 1),
        better="higher",
        symmetric=False,
        value_if_equal=1,
        default_in_family=False,
        statistics=AGGREGATION,
    )
    def share_of_ones(sums: Sums, *, factor: int = 1) -> Quotient:
        return Quotient(factor * sums["shared"], factor * sums["true"], "no true elements")

    for needs in ("alignment", "geometry"):
        _declare_pairs(needs)
    yield
    for key in (KEY, "pairs_by_alignment", "pairs_by_geometry"):
        del METRICS._declared[key]
    METRICS._sorted = None


def _declare_pairs(needs: Any) -> None:
    """A metric that counts matched pairs, from the alignment alone or together with the shapes of the pairs."""
    key = f"pairs_by_{needs}"

    def collect(subject: Any) -> dict[str, Any]:
        return {"pairs": np.array([getattr(subject, "alignment", subject).tally.n_pairs])}

    collect.__name__ = key

    def pairs(sums: Sums) -> Quotient:
        return Quotient(sums["pairs"], np.ones_like(sums["pairs"]))

    pairs.__name__ = key
    metric(
        symbol="P",
        family="panoptic",
        needs=needs,
        formula="P",
        summary="Pairs.",
        citation="kirillov2019panoptic",
        bounds=(0, 100),
        better="higher",
        symmetric=True,
        value_if_equal=None,
        default_in_family=False,
        is_count=True,
        statistics=Aggregation(collect, average=POOLED, of_items=("pairs",)),
    )(pairs)


@pytest.fixture(scope="module")
def data() -> tuple[dict[str, Any], dict[str, Any]]:
    numbers = np.random.default_rng(3)
    sides = [{f"item {at}": numbers.integers(0, 3, (5, 4)) for at in range(9)} for _ in range(2)]
    return sides[0], sides[1]


def by_definition(data: tuple[dict[str, Any], dict[str, Any]], label: int = 1) -> float:
    true, pred = (np.concatenate([array.ravel() for array in side.values()]) for side in data)
    return float(((true == label) & (pred == label)).sum() / (true == label).sum())


def value(run: sm.Run) -> float:
    pooled = run.summary()[KEY].over_data_set
    assert pooled is not None
    return pooled.value


def test_the_value_of_the_data_set_is_not_the_mean_over_items(data: Any) -> None:
    run = sm.evaluate(*data, metrics=KEY)
    assert value(run) == by_definition(data) != run.summary()[KEY]["by_item"].value
    assert run.items()[0][KEY] == by_definition(tuple({"item 0": side["item 0"]} for side in data))


def test_options_reach_what_collects_and_what_combines(data: Any) -> None:
    classes = {1: "a", 2: "b"}
    labels = [{name: LabelArray(array, classes=classes) for name, array in side.items()} for side in data]
    run = sm.evaluate(*labels, metrics=KEY, options={KEY: {"label": 2, "factor": 3}}, groups={"things": ["a", "b"]})
    assert value(run) == by_definition(data, label=2)
    assert run.summary()[KEY].over_data_set.numerator % 3 == 0
    stored = run._stored_columns
    assert [key.options for key in stored] == ['{"label": 2, "things": ["a", "b"]}']
    assert all(facts["weight"].tolist() == [0.2] for facts in next(iter(stored.values())).by_item.values())


def test_a_file_has_the_same_columns_whoever_evaluates(data: Any, tmp_path: Path) -> None:
    whole = sm.evaluate(*data, metrics=KEY, out=tmp_path / "whole.segm", engine="serial")
    threads = sm.evaluate(*data, metrics=KEY, out=tmp_path / "threads.segm", engine="threads", jobs=3)
    assert whole.content_digest() == threads.content_digest()
    for part in ("1/2", "2/2"):
        sm.evaluate(*data, metrics=KEY, out=tmp_path / part[0], shard=part)
    merged = sm.merge_runs([tmp_path / "2", tmp_path / "1"], tmp_path / "merged.segm")
    assert merged.content_digest() == whole.content_digest()
    assert value(sm.Run.open(tmp_path / "merged.segm")) == by_definition(data)


def test_a_resumed_run_has_all_columns(data: Any, tmp_path: Path) -> None:
    def stop(done: int, _: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sm.evaluate(*data, metrics=KEY, out=tmp_path / "run.segm", engine="serial", progress=stop)
    resumed = sm.evaluate(*data, metrics=KEY, out=tmp_path / "run.segm", resume=True)
    whole = sm.evaluate(*data, metrics=KEY, out=tmp_path / "whole.segm")
    assert resumed.content_digest() == whole.content_digest()


def test_parts_with_other_columns_are_not_merged(data: Any, tmp_path: Path) -> None:
    for name in ("first", "second"):
        sm.evaluate(*data, metrics=KEY, out=tmp_path / name).close()
    with closing(sqlite3.connect(tmp_path / "second")) as connection, connection:
        connection.execute("UPDATE collected SET content = x'000000000000f03f' WHERE name = 'weight' AND item = 3")
    with pytest.raises(sm.SegmetryError, match="'item 2' has another collected"):
        sm.merge_runs([tmp_path / "first", tmp_path / "second"], tmp_path / "merged.segm")


def test_intervals_count_an_item_as_often_as_it_is_drawn(data: Any) -> None:
    run = sm.evaluate(*data, metrics=KEY)
    stack = Stack([run.data.sorted().reading(KEY, "pooled")], 9)
    weights = np.random.default_rng(1).integers(0, 3, (9, 6)).astype(float)
    for column, resampled in zip(weights.T, stack.values(weights)[0][0], strict=True):
        drawn = [name for name, times in zip(sorted(data[0]), column, strict=True) for _ in range(int(times))]
        repeated = [{f"{at}": side[name] for at, name in enumerate(drawn)} for side in data]
        assert resampled == by_definition((repeated[0], repeated[1]))
    for name, value_without in zip(sorted(data[0]), stack.without_each()[0][0].tolist(), strict=True):
        others = [{other: array for other, array in side.items() if other != name} for side in data]
        assert value_without == by_definition((others[0], others[1]))
    interval = run.intervals(resamples=200)[KEY]["pooled"]
    assert interval.value == by_definition(data)
    low, high = interval.percentile or (1, 0)
    assert low < interval.value < high


def test_systems_are_compared_by_exchanging_items(data: Any) -> None:
    true, pred = data
    better = {name: np.where(np.arange(20).reshape(5, 4) % 3 == 0, true[name], array) for name, array in pred.items()}
    runs = [sm.evaluate(true, side, metrics=KEY) for side in (pred, better)]
    difference = sm.compare(*runs, resamples=600).difference(KEY, "pooled")
    assert difference.value == by_definition((true, better)) - by_definition(data)
    gaps = []
    for swap in range(2**9):
        mixed = [
            {name: (b if (swap >> at & 1) ^ side else a)[name] for at, name in enumerate(sorted(true))}
            for side, (a, b) in enumerate([(pred, better), (pred, better)])
        ]
        gaps.append(abs(by_definition((true, mixed[1])) - by_definition((true, mixed[0]))))
    assert difference.exact
    assert difference.p == sum(gap >= difference.value - 1e-12 for gap in gaps) / len(gaps)


def test_a_rule_does_not_matter_and_a_file_without_columns_opens(data: Any, tmp_path: Path) -> None:
    run = sm.evaluate(*data, metrics=KEY, out=tmp_path / "run.segm")
    assert value(run.rescore("iou(above=0.9)")) == by_definition(data)
    run.close()
    with closing(sqlite3.connect(tmp_path / "run.segm")) as connection, connection:
        connection.execute("DELETE FROM collected")
    without = sm.Run.open(tmp_path / "run.segm")
    assert KEY not in without.summary().scores


def test_another_rule_is_collected_from_the_table_or_was_stored_or_is_left_out(data: Any, tmp_path: Path) -> None:
    keys = ["pairs_by_alignment", "pairs_by_geometry"]
    rules = ("iou(above=1/5)", "iou(above=1/10)", "iou(above=1/4)")
    true, pred = data
    expected = {
        rule: sum(
            sm.align(sm.overlap(true[name], pred[name]), rule=rule, resolve="keep").tally.n_pairs for name in true
        )
        for rule in rules
    }
    assert len(set(expected.values())) == 3
    options: dict[str, Any] = {"metrics": keys, "resolve": "keep"}
    run = sm.evaluate(*data, rule=rules[0], also=rules[1:2], out=tmp_path / "run.segm", **options)
    for rule in rules:
        rescored = run.rescore(rule)
        by_geometry = ["pairs_by_geometry"] if rule != rules[2] else []
        assert rescored.left_out == tuple(key for key in keys[1:] if key not in by_geometry)
        summary = rescored.summary()
        assert set(summary.scores) == {"pairs_by_alignment", *by_geometry}
        for key in summary.scores:
            score = summary[key].over_data_set
            assert score is not None and score.value == expected[rule]
    stored = {(key.collector, key.rule) for key in run._stored_columns}
    assert stored == {("pairs_by_geometry", rule) for rule in rules[:2]}


@pytest.mark.parametrize(
    "change",
    [
        "type = '<i3'",
        "type = '|O'",
        "shape = '[400]'",
        "shape = '[-1]'",
        "shape = 'x'",
        "content = x'00'",
        "type = 'labels'",
    ],
)
def test_damage_is_an_error(data: Any, tmp_path: Path, change: str) -> None:
    sm.evaluate(*data, metrics=KEY, out=tmp_path / "run.segm").close()
    shutil.copy(tmp_path / "run.segm", tmp_path / "copy.segm")
    with closing(sqlite3.connect(tmp_path / "copy.segm")) as connection, connection:
        connection.execute(f"UPDATE collected SET {change} WHERE item = 2 AND name = 'weight'")  # noqa: S608
    with pytest.raises(FormatError, match="collected column 'weight'"):
        sm.Run.open(tmp_path / "copy.segm").summary()


def test_labels_of_another_kind_are_an_error(data: Any, tmp_path: Path) -> None:
    sm.evaluate(*data, metrics=KEY, out=tmp_path / "run.segm").close()
    with closing(sqlite3.connect(tmp_path / "run.segm")) as connection, connection:
        connection.execute(
            "UPDATE collected SET content = CAST('[[1],2,3,4]' AS BLOB) WHERE item = 2 AND name = 'class'"
        )
    with pytest.raises(FormatError, match="collected column 'class'"):
        sm.Run.open(tmp_path / "run.segm").summary()
