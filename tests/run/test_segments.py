"""All items at once give the summary that the definition gives item by item, to the bit."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.policy import POLICIES, as_policy
from segmetry.alignments.tally import add_tallies
from segmetry.errors import ClassesError
from segmetry.metrics.average import average_of
from segmetry.metrics.declare import METRICS
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.run.run_data_set import data_set_of, segments_of
from segmetry.run.settings import Settings
from segmetry.statistics.summary import summarise
from tests.run.test_rescore import loaded
from tests.statistics.oracle import emptied

NAMES = ("a", "b", "c", "d")
RULES = ("theta_and", "theta_plus", "iou(above=0.75)", "iou(at_least=1)", "mutual_coverage(at_least=0.8)")


def _has_defaults(compute: Any) -> bool:
    options = [one for one in signature(compute).parameters.values() if one.kind is one.KEYWORD_ONLY]
    return all(one.default is not one.empty for one in options)


KEYS = [key for key, metric in METRICS.items() if metric.needs == "tally" and _has_defaults(metric.compute)]
OPTIONS: list[dict[str, Any]] = [{"f1_at": {"t": "0.6"}}, {"f1_at": {"t": "0.6"}, "npq": {"alpha": "0.4"}}]


@st.composite
def tables(draw: st.DrawFn, *, classes: bool) -> OverlapTable:
    """Tables with void and crowd, empty sides, ids beyond int64, and segments so large that IoUs need big integers."""
    n_true, n_pred = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    large = draw(st.sampled_from([1, 2**58]))
    shared = np.array(draw(st.lists(st.integers(0, 6), min_size=16, max_size=16))).reshape(4, 4)[:n_true, :n_pred]
    shared = shared.astype(np.int64) * large

    def side(own: Any, n: int, *, crowd: bool) -> Side:
        void, outside = (np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int64) for _ in "vo")
        codes = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int64)
        flags = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
        ids = np.arange(1, n + 1, dtype=np.uint64) + np.uint64(draw(st.sampled_from([0, 2**63 - 2])))
        sizes = np.maximum(own + void + outside, 1)
        earlier = flags & np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
        return Side(
            ids,
            sizes,
            outside,
            void,
            classes=codes if classes else None,
            crowd=flags if crowd else None,
            superseded=earlier if crowd and earlier.any() else None,
        )

    has_crowd = classes and draw(st.booleans())
    row_true, row_pred = np.nonzero(shared)
    return OverlapTable(
        true=side(shared.sum(axis=1), n_true, crowd=has_crowd),
        pred=side(shared.sum(axis=0), n_pred, crowd=False),
        row_true=row_true,
        row_pred=row_pred,
        shared=shared[row_true, row_pred],
        background=BackgroundCounts(),
        n_elements=min(sum(shared.ravel().tolist()), 2**62) + 100,
        class_names=NAMES if classes else None,
    )


def mean(values: list[float], fill: float | None) -> float:
    used = [
        value for value in (fill if math.isnan(one) and fill is not None else one for one in values) if value == value
    ]
    return math.fsum(used) / len(used) if used else math.nan


class ByDefinition:
    """Every value of a data set from the tallies of its items and classes, one after the other."""

    def __init__(self, alignments: list[Any], options: dict[str, Any], undefined: float | None) -> None:
        self.wholes = [alignment.tally for alignment in alignments]
        self.has_classes = alignments[0].table.class_names is not None
        self.parts = [
            {name: part.tally for name, part in sm.break_down(alignment, "class").items()} if self.has_classes else {}
            for alignment in alignments
        ]
        self.options, self.undefined = options, undefined
        policy = as_policy(alignments[0].policy).undefined
        self.in_classes = policy if undefined is None else undefined
        self.by_class = self.has_classes and average_of(alignments[0], None) == "class"

    def value(self, key: str, tallies: list[Any]) -> float:
        total = add_tallies([emptied(self.wholes[0]), *tallies])
        score: Any = METRICS[key].compute(total, **self.options.get(key, {}))
        return float(score.value)

    def class_tallies(self, name: str) -> list[Any]:
        return [parts[name] for parts in self.parts if name in parts and parts[name].n_true + parts[name].n_pred]

    def classes(self) -> list[str]:
        return [name for name in NAMES if self.class_tallies(name)]

    def item(self, key: str, at: int, among: list[str]) -> float:
        """The value of an item: the mean over its classes, or of all its segments."""
        own = {name: part for name, part in self.parts[at].items() if name in among and part.n_true + part.n_pred}
        if METRICS[key].is_count or not self.by_class:
            return self.value(key, [self.wholes[at]])
        return mean([self.value(key, [part]) for part in own.values()], self.in_classes)

    def averages(self, key: str, among: list[str] | None = None) -> dict[str, float]:
        names = [name for name in self.classes() if among is None or name in among]
        every = self.wholes if among is None else [one for name in names for one in self.class_tallies(name)]
        items = [
            at
            for at in range(len(self.wholes))
            if among is None or any(self.parts[at].get(n) in self.class_tallies(n) for n in names)
        ]
        of_items = mean([self.item(key, at, names) for at in items], self.undefined)
        of_classes = mean([self.value(key, self.class_tallies(name)) for name in names], self.in_classes)
        return {
            "pooled": self.value(key, every),
            "by_item": of_items,
            "by_item_of_classes": of_items,
            "by_class": of_classes,
        }


@given(
    st.booleans().flatmap(lambda classes: st.lists(tables(classes=classes), min_size=1, max_size=5)),
    st.sampled_from(RULES),
    st.sampled_from(sorted(POLICIES)),
    st.sampled_from(["match", "ignore"]),
    st.sampled_from([None, 0, 1]),
    st.sampled_from([None, {"things": ["a", "b"], "stuff": ["c", "d"]}, {"few": ["a"], "stuff": []}]),
    st.sampled_from(OPTIONS),
)
def test_all_items_at_once_give_the_bits_of_the_definition(
    found: list[OverlapTable],
    rule: str,
    policy: str,
    classes: str,
    undefined: float | None,
    groups: Any,
    options: Any,
) -> None:
    has_classes = found[0].class_names is not None
    settings = Settings.of(
        rule=rule,
        policy=policy,
        classes=classes,
        groups=groups if has_classes else None,
        metrics=KEYS,
        options=options,
        undefined=undefined,
    )
    run = loaded(found)
    alignments = [sm.align(run.table(at), rule, policy=policy, classes=classes) for at in range(len(found))]
    expected = ByDefinition(alignments, options, undefined)
    summary = summarise(
        data_set_of(
            [str(at) for at in range(len(found))],
            segments_of(run, settings),
            settings,
            {},
            [METRICS[key] for key in KEYS],
            None,
        )
    )
    for key in KEYS:
        known = expected.averages(key)
        for average, score in summary[key].items():
            assert repr(float(score.value)) == repr(known[average]), (key, average)
        for group, members in (groups or {} if has_classes else {}).items():
            of_group = expected.averages(key, list(members))
            for average, score in summary.groups[group][key].items():
                if METRICS[key].is_count or average != "by_item":
                    assert repr(float(score.value)) == repr(of_group[average]), (key, group, average)
        assert list(summary.parts) == (expected.classes() if has_classes else [])
        for name, row in summary.parts.items():
            tallies = expected.class_tallies(str(name))
            assert repr(float(row[key]["pooled"].value)) == repr(expected.value(key, tallies)), (key, name)
            of_items = mean([expected.value(key, [tally]) for tally in tallies], undefined)
            assert repr(float(row[key]["by_item"].value)) == repr(of_items), (key, name)


def test_a_run_of_things_and_stuff_says_of_an_item_what_score_says() -> None:
    kinds = {1: "car", 2: "sky", 3: "sky"}
    true = sm.LabelArray([[1, 1, 1, 2, 2, 3]], classes=kinds)
    pred = sm.LabelArray([[1, 1, 2, 2, 2, 3]], classes=kinds)
    groups = {"things": ["car"], "stuff": ["sky"]}
    run = sm.evaluate({"a": true}, {"a": pred}, metrics="pq,pq_dagger", groups=groups)
    for rule in ("theta_and", "theta_plus"):
        ((_, scores),) = run.rescore(rule).item_scores()
        alone = sm.score(true, pred, "pq,pq_dagger", rule=rule, options={"pq_dagger": {"stuff": ["sky"]}})
        assert scores["pq_dagger"].to_dict() == alone["pq_dagger"].to_dict()
        assert run.rescore(rule).summary()["pq_dagger"].usual.value == pytest.approx(alone["pq_dagger"].value, abs=0)


@pytest.mark.parametrize(
    ("metrics", "shown"),
    [("rand_index", False), ("recall", False), ("pq_dagger", True), ("pq", False), ("panoptic", False)],
)
def test_pq_dagger_must_be_named(metrics: str, *, shown: bool) -> None:
    side = sm.LabelArray([[1, 1, 2]], classes={1: "car", 2: "sky"})
    run = sm.evaluate({"a": side}, {"a": side}, metrics=metrics, groups={"things": ["car"], "stuff": ["sky"]})
    summary, (item,) = run.summary(), run.items()
    assert ("pq_dagger" in summary.scores) == ("pq_dagger" in summary.groups["stuff"]) == ("pq_dagger" in item) == shown


def test_a_run_keeps_no_score_that_tallies_or_partitions_give(tmp_path: Path) -> None:
    labels = sm.LabelArray([[1, 2]], classes={1: "car", 2: "sky"})
    path = tmp_path / "run.segm"
    groups = {"things": ["car"], "stuff": ["sky"]}
    sm.evaluate({"a": labels}, {"a": labels}, metrics="pq,rand_index,covering", groups=groups, out=path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT key FROM score").fetchall() == [("covering",)]


def test_stuff_without_classes_is_reported_with_the_item() -> None:
    with pytest.raises(ClassesError, match="item a: pq_dagger is a mean over classes"):
        sm.evaluate({"a": [[1, 2]]}, {"a": [[1, 1]]}, metrics="pq_dagger", groups={"stuff": ["sky"]}).summary()
