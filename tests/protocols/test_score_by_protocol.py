"""``score(true, pred, protocol=…)`` returns the values of the protocol's table, those of ``evaluate`` on one item."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import KindError, OptionError, UnknownNameError

numbers = np.random.default_rng(7)
TRUE = np.repeat(np.repeat(numbers.integers(0, 4, (4, 5)), 3, 0), 3, 1)
PRED = np.where(numbers.random(TRUE.shape) < 0.2, 1, TRUE)
CLASSES = {1: "car", 2: "sky", 3: "van"}
ON_LABELS = (
    "coco-panoptic",
    "cremi",
    "skimage-voi",
    "snemi3d",
    "nnunet",
    "brats",
    "stardist",
    "cellpose",
    "semantic",
    "voc",
)

WHOLE = ("all", "All", "mean", "foreground mean", "mean over volumes", "mean over images")


@pytest.mark.parametrize("name", ON_LABELS)
def test_the_table_is_that_of_evaluate(name: str) -> None:
    scores = sm.score(TRUE, PRED, protocol=name)
    run = sm.evaluate({"pair": TRUE}, {"pair": PRED}, protocol=name, engine="serial")
    assert scores.table == run.protocol_table()
    assert scores.class_table == run.protocol_table(classes=True)
    assert scores.protocol == name
    assert not scores.modified
    shown = [value for row, _, value in scores.table.values() if row in WHOLE]
    headline = [value.value for value in shown if value.cell.metric == scores.headline]
    assert not shown or float(scores[scores.headline]) in headline


def test_values_by_their_headings() -> None:
    true, pred = (sm.LabelArray(side, classes=CLASSES) for side in (TRUE, PRED))
    scores = sm.score(true, pred, protocol="coco-panoptic")
    assert scores.table["PQ"] == scores.table["All", "PQ"] == scores["pq"].value == sm.pq(true, pred, policy="coco")
    assert scores.class_table is not None
    assert scores.class_table["car", "PQ"] == scores.classes["car"]["pq"].value
    assert scores.groups["all"]["pq"] == scores["pq"]
    with pytest.raises(UnknownNameError, match=r"no value 'AP'; expected table\[row, column\] with a row of 'All'"):
        scores.table["AP"]


def test_options_given_explicitly_override_the_protocol() -> None:
    scores = sm.score(TRUE, PRED, ["rand_index"], protocol="coco-panoptic", rule="theta_and")
    assert scores.rule == "theta_and"
    assert scores.modified == ("rule",)
    assert scores.header.endswith("modified: rule")
    assert scores["rand_index"] == sm.rand_index(TRUE, PRED)


def test_files_are_read_as_the_protocol_says(tmp_path: Path) -> None:
    sides = tmp_path / "true.npy", tmp_path / "pred.npy"
    for side, labels in zip(sides, (TRUE, PRED), strict=True):
        np.save(side, labels)
    expected = sm.score(TRUE, PRED, protocol="nnunet").table
    assert sm.score(*sides, protocol="nnunet").table == sm.score(sides[0], PRED, protocol="nnunet").table == expected


def test_shown_and_written() -> None:
    scores = sm.score(TRUE, PRED, protocol="cremi")
    assert str(scores).startswith("cremi: voxels of true label 2⁶⁴−1 left out")
    assert "VOI split" in str(scores)
    assert "<th>VOI split</th>" in scores._repr_html_()
    assert repr(scores).endswith("protocol cremi)")
    assert str(scores.table).splitlines()[0] == "cremi"
    plain = json.loads(json.dumps(scores, default=sm.to_json))
    assert plain["protocol"] == "cremi"
    assert plain["table"]["rows"][0]["values"][0] == scores["vi_split"].value


def test_what_cannot_be_scored_is_one_clear_error() -> None:
    with pytest.raises(OptionError, match="found OverlapTable alone; pass the true and the predicted segmentation"):
        sm.score(sm.overlap(TRUE, PRED), protocol="cremi")
    with pytest.raises(UnknownNameError, match="no protocol 'coco'; did you mean coco-instances or coco-panoptic"):
        sm.score(TRUE, PRED, protocol="coco")
    with pytest.raises(KindError, match="average_precision takes masks; found labels"):
        sm.score(TRUE, PRED, protocol="coco-instances")
    with pytest.raises(OptionError, match="score has no option 'void'"):
        sm.score(TRUE, PRED, protocol="cremi", void=255)  # type: ignore[call-overload]


def test_no_further_rules_leave_those_of_the_protocol() -> None:
    lines = {"a": sm.Spans.from_masses([2, 1])}
    for also, expected in (((), ("theta_and",)), (iter(()), ("theta_and",)), (["iou(above=3/4)"], ("iou(above=3/4)",))):
        assert sm.evaluate(lines, lines, protocol="page-streams", also=also).settings.also == expected
    assert sm.evaluate(lines, lines, also=None).settings.also == ()
