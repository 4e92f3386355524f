"""All items at once give the summary that the definition gives item by item, to the bit."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segmetry as sm
from segmetry.alignments.policy import POLICIES
from segmetry.errors import ClassesError
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.run.alignment_columns import columns_of
from segmetry.run.settings import Settings
from segmetry.statistics.record_columns import records_of_columns
from segmetry.statistics.records import record_of
from segmetry.statistics.summary import panoptic_keys, summarise_columns
from tests.run.test_rescore import loaded
from tests.statistics.oracle import summary_by_definition

NAMES = ("a", "b", "c", "d")
RULES = ("theta_and", "theta_plus", "iou(above=0.75)", "iou(at_least=1)", "mutual_coverage(at_least=0.8)")
KEYS = [*panoptic_keys(), "f1_at"]
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
        n_elements=int(shared.sum()) + 100,
        class_names=NAMES if classes else None,
    )


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
    chosen = groups if found[0].class_names is not None else None
    settings = Settings.of(rule=rule, policy=policy, classes=classes, groups=chosen, metrics="pq,pq_dagger")
    run = loaded(found)
    per_class = None if chosen is None else {"pq_dagger": {"stuff": chosen["stuff"]}}
    records = [
        record_of(f"item {at}", sm.align(run.table(at), rule, policy=policy, classes=classes), per_class=per_class)
        for at in range(len(found))
    ]
    columns = columns_of(run, settings, {})
    same: dict[str, Any] = {"metrics": KEYS, "groups": chosen, "undefined": undefined, "options": options}
    assert repr(summarise_columns(columns, **same).as_dict()) == repr(summary_by_definition(records, **same))
    assert [record.facts() for record in records_of_columns(columns)] == [record.facts() for record in records]


def test_a_run_of_things_and_stuff_says_of_an_item_what_score_says() -> None:
    kinds = {1: "car", 2: "sky", 3: "sky"}
    true = sm.LabelArray([[1, 1, 1, 2, 2, 3]], classes=kinds)
    pred = sm.LabelArray([[1, 1, 2, 2, 2, 3]], classes=kinds)
    groups = {"things": ["car"], "stuff": ["sky"]}
    run = sm.evaluate({"a": true}, {"a": pred}, metrics="pq,pq_dagger", groups=groups)
    for rule in ("theta_and", "theta_plus"):
        ((_, scores, _),) = run.rescore(rule).item_scores()
        alone = sm.score(true, pred, "pq,pq_dagger", rule=rule, options={"pq_dagger": {"stuff": ["sky"]}})
        assert scores["pq_dagger"].as_dict() == alone["pq_dagger"].as_dict()
        assert run.rescore(rule).summary()["pq_dagger"].by_item.value == pytest.approx(alone["pq_dagger"].value, abs=0)


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


def test_stuff_without_classes_is_told_with_the_item_before_the_run_is_finished() -> None:
    with pytest.raises(ClassesError, match="item a: pq_dagger is a mean over classes"):
        sm.evaluate({"a": [[1, 2]]}, {"a": [[1, 1]]}, metrics="pq_dagger", groups={"stuff": ["sky"]})
