"""A protocol's table shows the values of the summary, under the headings of its layout, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.protocols.protocol import PROTOCOLS, EachClass, Grid, Heading
from segmetry.protocols.protocol_cells import protocol_table
from segmetry.results.result_table import ResultTable, Value

COCO = PROTOCOLS["coco-panoptic"]
CLASSES = {1: "car", 2: "sky", 3: "van"}
GROUPS = {"things": ["car", "van"], "stuff": ["sky"]}


def run(**options: Any) -> sm.Run:
    numbers = np.random.default_rng(4)
    true, pred = (
        {f"{at}": sm.LabelArray(np.repeat(numbers.integers(0, 4, (4, 5)), 2, 1), classes=CLASSES) for at in range(3)}
        for _ in range(2)
    )
    pred["0"] = true["0"]
    return sm.evaluate(true, pred, protocol="coco-panoptic", **options)


def values(table: ResultTable) -> dict[str, dict[str, float | None]]:
    shown: dict[str, dict[str, float | None]] = {str(row[0]): {} for row in table.rows}
    for row, column, value in table.values():
        shown[row][column] = value.or_none
    return shown


def test_groups_are_rows() -> None:
    evaluated = run(groups=GROUPS)
    summary, table = evaluated.summary(), evaluated.protocol_table()
    assert table is not None and table.title == "coco-panoptic"
    shown = values(table)
    assert list(shown) == ["All", "Things", "Stuff"]
    for row, group in (("All", "all"), ("Things", "things"), ("Stuff", "stuff")):
        for heading, key in (("PQ", "pq"), ("SQ", "sq"), ("RQ", "rq")):
            score = summary.groups[group][key]["by_class"]
            assert shown[row][heading] == score.value
    assert [row["N"] for row in shown.values()] == [3, 2, 1]
    assert table.to_dict()["rows"][0] == {"name": "All", "values": list(shown["All"].values())}


def test_groups_that_the_data_set_does_not_have_are_left_out() -> None:
    table = run().protocol_table()
    assert table is not None and [row[0] for row in table.rows] == ["All"]


def test_without_classes_everything_is_one_class() -> None:
    evaluated = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 1]]}, protocol="coco-panoptic")
    table = evaluated.protocol_table()
    assert table is not None
    score = evaluated.summary()["pq"]["pooled"]
    assert values(table)["All"]["PQ"] == score.value
    assert evaluated.protocol_table(classes=True).rows == []  # type: ignore[union-attr]


def test_classes_have_their_names() -> None:
    evaluated = run(groups=GROUPS)
    names = {"car": "a car", "sky": "the sky"}
    table = protocol_table(COCO, evaluated.data, class_names=names, cells=COCO.class_cells)
    assert [row[0] for row in table.rows] == ["a car", "the sky", "van"]
    one = Grid(rows=(Heading("", level="class", name="the sky"),), columns=COCO.cells.columns[:1])
    pooled = evaluated.summary().parts["sky"]["pq"]["pooled"]
    assert values(protocol_table(COCO, evaluated.data, class_names=names, cells=one)) == {"": {"PQ": pooled.value}}


def test_columns_may_be_classes_and_rows_metrics() -> None:
    evaluated = run(groups=GROUPS)
    layout = Grid(
        rows=(
            Heading("PQ", key="pq", average="by_class"),
            Heading("RQ", key="rq", average="by_item_of_classes"),
            Heading("F1", key="f1", average="by_item_of_classes"),
        ),
        columns=(EachClass(), Heading("mean")),
        corner="metric",
    )
    summary = evaluated.summary()
    table = protocol_table(COCO, evaluated.data, cells=layout)
    assert table.headings == ["metric", "car", "sky", "van", "mean"]
    shown = values(table)
    assert list(shown) == ["PQ", "RQ"]  # F1 was not computed
    assert shown["RQ"]["mean"] == summary["rq"]["by_item_of_classes"].value
    assert shown["RQ"]["van"] == summary.parts["van"]["rq"]["by_item"].value


def test_a_metric_that_was_not_computed_has_no_column() -> None:
    evaluated = run(groups=GROUPS)
    assert protocol_table(COCO, evaluated.data.with_keys(["pq"])).headings == ["", "PQ", "N"]


def test_an_undefined_value_has_a_reason() -> None:
    nothing = {"a": sm.LabelArray([[0, 0]], classes={})}
    layout = Grid(rows=(Heading("all"),), columns=(Heading("SQ", key="sq", average="by_item"),))
    evaluated = sm.evaluate(nothing, nothing, metrics="sq")
    (row,) = protocol_table(COCO, evaluated.data, cells=layout).rows
    value = row[1]
    assert isinstance(value, Value) and value.or_none is None and value.reason


@pytest.mark.parametrize("show", ["n", "nonsense"])
def test_details_of_a_score(show: str) -> None:
    layout = Grid(rows=(Heading(""),), columns=(Heading("x", key="pq", average="by_item", show=show),))
    assert protocol_table(COCO, run().data, cells=layout)["x"] == (3 if show == "n" else None)


def test_an_entry_of_an_entry_of_the_details() -> None:
    masks = sm.Masks.from_dense([[[True, True, False]]], scores=[0.5])
    run_of_masks = sm.evaluate({"a": masks}, {"a": masks}, metrics="average_precision")
    names = ("criteria", "iou(at_least=1/2)"), ("criteria", "other"), ("criteria", "iou(at_least=1/2)", "more")
    shown = [Heading("AP50", key="average_precision", average="by_class", show=name) for name in names]
    (row,) = protocol_table(COCO, run_of_masks.data, cells=Grid((Heading(""),), tuple(shown))).rows
    assert [value.or_none for value in row[1:] if isinstance(value, Value)] == [1.0, None, None]


def test_a_run_without_a_protocol_has_no_table() -> None:
    assert sm.evaluate({"a": [[1]]}, {"a": [[1]]}, metrics="pq").protocol_table() is None
