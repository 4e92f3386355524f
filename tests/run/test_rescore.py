"""Everything a run says follows from its rows: equal to what the inputs give, under any rule."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClashError, InputError
from segmetry.metrics.statistics import Statistics
from segmetry.metrics.tally_quotient import segment_counts, segment_sums, tally_of
from segmetry.overlaps.table import OverlapTable
from segmetry.run import run_data_set
from segmetry.run.run import Run
from segmetry.run.run_data_set import segments_of
from segmetry.run.settings import Settings
from segmetry.runfile.overlap_columns import RunTables
from segmetry.runfile.writer import ItemResult, RunWriter
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.summary import summarise
from segmetry.testing.strategies import label_pairs
from tests.run.strategies import label_tables

RULES = ("theta_and", "theta_plus", "iou(above=0.75)", "greedy", "maximum_weight", "mutual_coverage(at_least=0.8)")


def loaded(tables: list[OverlapTable]) -> RunTables:
    writer = RunWriter.create(None, Settings.of().as_json(), {}, [f"item {at}" for at in range(len(tables))])
    for at, table in enumerate(tables):
        writer.add([(at + 1, ItemResult(f"item {at}", table))])
    writer.commit()
    return RunTables.load(writer.connection)


def counts(segments: Statistics) -> dict[Any, list[int]]:
    """Matched, missed and spurious segments of every class that occurs."""
    sums = segment_sums(segments, "class" if segments.labels else "all")
    rows = np.stack([sums[name][:, 0] for name in ("matched", "missed", "spurious")], axis=1).tolist()
    return {name: row for name, row in zip(sums.names if segments.labels else ("all",), rows, strict=True) if any(row)}


def ious(segments: Statistics) -> list[float]:
    return sorted(tally_of(segments).weights("iou").tolist())


@given(
    st.lists(label_tables(), min_size=1, max_size=4),
    st.sampled_from(RULES),
    st.sampled_from(["none", "torchmetrics", "strict-void"]),
    st.sampled_from(["match", "ignore"]),
)
def test_all_items_at_once_and_one_by_one_give_the_same_segments(
    tables: list[OverlapTable], rule: str, policy: str, classes: str
) -> None:
    settings = Settings.of(rule=rule, policy=policy, classes=classes)
    tables = [table for table in tables if (table.class_names is None) == (tables[0].class_names is None)]
    together = segments_of(loaded(tables), settings).segments()
    for at, table in enumerate(tables):
        alone = segment_counts(sm.align(table, rule, policy=policy, classes=classes))
        assert counts(together.item(at)) == counts(alone)
        assert ious(together.item(at)) == ious(alone)


def test_local_rules_take_the_way_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_data_set, "item_alignment", lambda *args: pytest.fail("went item by item"))
    table = sm.overlap([[1, 1, 2]], [[1, 2, 2]])
    assert segments_of(loaded([table, table]), Settings.of()).segments().n_items == 2


@given(st.lists(label_pairs(dimensions=(2, 2)), min_size=1, max_size=3), st.sampled_from(RULES))
def test_a_rescored_run_equals_a_run_under_that_rule(pairs: list[tuple[Any, Any]], rule: str) -> None:
    true, pred = ({str(at): pair[side] for at, pair in enumerate(pairs)} for side in (0, 1))
    metrics = "panoptic,rand_index,one_to_one,additional_pairs,covering,pair_counts"
    first = sm.evaluate(true, pred, metrics=metrics, engine="serial")
    again, direct = first.rescore(rule), sm.evaluate(true, pred, metrics=metrics, rule=rule, engine="serial")
    assert again.summary().to_dict() == direct.summary().to_dict()
    assert again.items() == direct.items()
    assert again.segments() == direct.segments()
    assert again.left_out == ()
    for name, scores in direct.item_scores():
        apart = sm.score(true[name], pred[name], metrics, rule=rule)
        assert {key: repr(score.to_dict()) for key, score in scores.items()} == {
            key: repr(score.to_dict()) for key, score in apart.items()
        }


SHAPES = [[1, 1, 1, 2, 2], [1, 1, 1, 2, 2]], [[3, 3, 3, 3, 2], [3, 3, 3, 2, 2]]


def test_scores_that_need_the_inputs_are_kept_and_left_out_under_rules_nobody_computed() -> None:
    run = sm.evaluate({"a": SHAPES[0]}, {"a": SHAPES[1]}, metrics="pq,boundary_iou,shape_index", also=["theta_plus"])
    assert run.left_out == ()
    plus = run.rescore("theta_plus")
    assert plus.items()[0]["boundary_iou"] == sm.boundary_iou(*SHAPES, rule="theta_plus").value
    other = run.rescore("iou(above=0.6)")
    assert other.left_out == ("boundary_iou",)
    assert set(other.items()[0]) == {"item", "n_elements", "unit", "pq", "shape_index"}
    assert run.rescore(policy="strict-void").left_out == ("shape_index", "boundary_iou")


def test_overlapping_masks_clash_in_the_item_that_is_named() -> None:
    masks = sm.Masks.from_dense(np.array([[[1, 1, 1]], [[1, 1, 1]]], dtype=bool))
    fine = sm.Masks.from_dense(np.array([[[1, 1, 1]]], dtype=bool))
    run = sm.evaluate({"a": fine, "b": masks}, {"a": fine, "b": masks}, metrics="mean_best_iou")
    assert run.summary()["mean_best_iou"].n("by_item") == 2
    with pytest.raises(ClashError, match="item b: true segment"):
        sm.evaluate({"a": fine, "b": masks}, {"a": fine, "b": masks}, metrics="pq").summary()


def test_classes_scalars_and_plain_rows() -> None:
    side = {
        "a": sm.LabelArray([[1, 1, 2]], classes={1: "car", 2: "sky"}),
        "b": sm.LabelArray([[1, 1, 1]], classes={1: "car"}),
    }
    other = {**side, "b": sm.LabelArray([[1, 0, 0]], classes={1: "car"})}
    run = sm.evaluate(side, other, metrics="pq,sq,pq_dagger", groups={"stuff": ["sky"]})
    assert [(row["class"], row["pq"], row["sq_by_item"]) for row in run.classes()] == [
        ("car", 0.5, 1.0),
        ("sky", 1.0, 1.0),
    ]
    scalars = run.scalars()
    assert scalars["pq/by_item_of_classes"] == 0.5
    assert scalars["class/car/pq/pooled"] == 0.5
    assert all(isinstance(value, float) for value in scalars.values())
    assert "pq_dagger/by_item_of_classes" in scalars
    segments = Statistics.concatenate([segment_counts(sm.align(sm.overlap(side[name], other[name]))) for name in side])
    data = DataSet.of_segments([*side], segments, "class", "none", ["pq", "sq"], groups={"stuff": frozenset({"sky"})})
    assert run.summary().groups["stuff"]["pq"].to_dict() == summarise(data).groups["stuff"]["pq"].to_dict()
    assert {type(value) for row in run.segments() for value in row.values()} <= {str, int, float, bool, type(None)}


def test_undefined_is_none_in_rows_and_nan_in_scalars() -> None:
    run = sm.evaluate({"a": [[1, 0]]}, {"a": [[0, 1]]}, metrics="sq")
    assert run.items()[0]["sq"] is None
    assert math.isnan(run.scalars()["sq/by_item"])
    assert run.rescore(undefined=0).items()[0]["sq"] == 0.0


def test_a_notebook_shows_the_summary_and_escapes() -> None:
    run = sm.evaluate({"<b>": [[1]]}, {"<b>": [[1]]}, metrics="pq")
    assert "<td>1.0000</td>" in run._repr_html_()
    assert "1 item, rule theta_plus, policy none" in run._repr_html_()


def test_a_run_without_a_finished_item_has_no_summary() -> None:
    writer = RunWriter.create(None, Settings.of().as_json(), {}, ["a"])
    run = Run(writer.connection)
    with pytest.raises(InputError, match="not finished: 0 of 1"):
        run.summary()
    with pytest.raises(InputError, match="no item is finished"):
        run.summary(partial=True)
    assert "0 of 1 item done" in run._repr_html_()
