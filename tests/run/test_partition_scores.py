"""Metrics of two partitions, of all items at once: the bits and the reasons of every item by itself."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.metrics.metric_inputs import MetricInputs
from segmetry.metrics.score import Score
from segmetry.metrics.score_aggregation import NOWHERE
from segmetry.overlaps.cross_table import BACKGROUNDS
from segmetry.overlaps.table import OverlapTable
from segmetry.run.settings import Settings
from segmetry.run.stored_scores import partition_scores
from tests.profiles import examples
from tests.run.strategies import label_tables
from tests.run.test_rescore import loaded
from tests.run.test_segments import tables as counted_tables

PARTITIONED = [metric for metric in METRICS.values() if metric.of_partitions is not None]
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "adapted_rand_error": [{"self_pairs": False}],
    "adjusted_rand_index": [{"trivial": 1.0}],
    "ami": [{"average": "max"}, {"average": "geometric"}, {"average": "min"}],
    "bcubed_f1": [{"average": "means"}, {"over": "pairs"}],
    "bcubed_precision": [{"over": "pairs"}, {"blocks": "whole"}],
    "bcubed_recall": [{"blocks": "whole", "over": "pairs"}],
    "nmi": [{"average": "geometric"}, {"average": "min"}],
    "v_measure": [{"beta": 0.5}],
}
TRUE = {
    "apart": np.array([[1, 1, 2, 2]]),
    "empty": np.zeros((1, 4), dtype=int),
    "one": np.ones((1, 4), dtype=int),
    "only void": np.full((1, 4), 255),
    "single elements": np.array([[1, 2, 3, 2**40]]),
}
PRED = {**TRUE, "apart": np.array([[1, 2, 2, 3]]), "one": np.zeros((1, 4), dtype=int)}


def below_2_to_53(table: OverlapTable) -> OverlapTable:
    """The table with fewer elements: those of segments of 2⁵⁸ become 2³⁰, too many to be computed together."""
    return replace(table, shared=np.where(table.shared > 2**30, table.shared >> 28, table.shared))


def by_itself(table: OverlapTable, key: str, **options: Any) -> str:
    return repr(METRICS[key].on(MetricInputs(counted=table), **options).to_dict())


def test_the_clustering_metrics_are_computed_together() -> None:
    assert len([metric for metric in PARTITIONED if metric.family == "clustering"]) >= 24


@examples(3)
@given(
    st.lists(st.one_of(label_tables(), counted_tables(classes=False).map(below_2_to_53)), min_size=1, max_size=5),
    st.sampled_from(list(BACKGROUNDS)),
    st.data(),
)
def test_all_items_at_once_have_the_bits_of_each(
    tables: list[OverlapTable], background: str, data: st.DataObject
) -> None:
    options = {key: data.draw(st.sampled_from([{}, *own])) for key, own in OPTIONS.items()}
    settings = Settings.of(metrics=[metric.key for metric in PARTITIONED], background=background, options=options)
    columns = partition_scores(PARTITIONED, settings, loaded(tables), {})
    for key, column in columns.items():
        alone = [by_itself(table, key, background=background, **options.get(key, {})) for table in tables]
        assert [repr(score.to_dict()) for score in column.context["scores"](key)] == alone


@given(st.integers(0, 2**32), st.sampled_from(["segment", "singletons"]))
def test_larger_items_have_the_bits_of_each(seed: int, background: str) -> None:
    draws = np.random.default_rng(seed)
    tables = [
        sm.overlap(*(draws.integers(0, draws.integers(1, 30), 4000) for _ in "tp"))
        for _ in range(int(draws.integers(1, 4)))
    ]
    columns = partition_scores(PARTITIONED, Settings.of(background=background), loaded(tables), {})
    for key, column in columns.items():
        alone = [by_itself(table, key, background=background) for table in tables]
        assert [repr(score.to_dict()) for score in column.context["scores"](key)] == alone


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_a_run_has_the_scores_of_its_items(background: str) -> None:
    sides = [{name: sm.LabelArray(labels, void=255) for name, labels in of_side.items()} for of_side in (TRUE, PRED)]
    run = sm.evaluate(*sides, metrics=[metric.key for metric in PARTITIONED], background=background, engine="serial")
    assert run._query("SELECT count(*) FROM score") == [(0,)]
    for name, scores in run.item_scores():
        for key, score in scores.items():
            table = sm.overlap(sides[0][name], sides[1][name])
            assert repr(score.to_dict()) == by_itself(table, key, background=background)
    for key, averages in run.summary().scores.items():
        values = [scores[key].value for _, scores in run.item_scores() if scores[key].is_defined]
        expected = Score.of(key, math.fsum(values), len(values), NOWHERE)
        assert repr(replace(averages["by_item"], details={})) == repr(expected)
    assert math.isnan(next(scores for name, scores in run.item_scores() if name == "only void")["vi_split"].value)


def test_another_background_is_computed_again_without_the_inputs() -> None:
    run = sm.evaluate(TRUE, PRED, metrics="rand_index,vi", engine="serial")
    again = run.rescore(background="common").summary()
    assert repr(again.to_dict()) == repr(
        sm.evaluate(TRUE, PRED, metrics="rand_index,vi", background="common", engine="serial").summary().to_dict()
    )


def test_an_option_that_is_wrong_is_an_error_before_the_summary() -> None:
    with pytest.raises(sm.errors.OptionError, match="item apart: average is 'mean'"):
        sm.evaluate(TRUE, PRED, metrics="nmi", options={"nmi": {"average": "mean"}}, engine="serial")


def test_overlapping_segments_are_an_error_before_the_summary() -> None:
    masks = sm.Masks.from_dense(np.array([[[1, 1, 0]], [[0, 1, 1]]], dtype=bool))
    with pytest.raises(sm.errors.InputError, match="item a: the true segments overlap"):
        sm.evaluate({"a": masks}, {"a": masks}, metrics="rand_index", engine="serial")


def test_items_of_several_kinds_have_the_metrics_of_their_kind() -> None:
    true = {"a": np.array([[1, 1, 2]]), "b": sm.Masks.from_dense(np.array([[[1, 1, 0]], [[0, 1, 1]]], dtype=bool))}
    run = sm.evaluate(true, true, engine="serial")
    scores = {name: list(scores) for name, scores in run.item_scores()}
    assert "adjusted_rand_index" in scores["a"]
    assert "adjusted_rand_index" not in scores["b"]
