"""Mappings of items: what is said about them is done or refused, never ignored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError, KindError, OptionError, SegmetryError
from segmetry.readers.reader import ReadOptions

TRUE, PRED = np.array([[1, 1, 2, 255]]), np.array([[1, 1, 2, 2]])


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_an_item_without_a_prediction_may_be_taken_as_empty(engine: str, tmp_path: Path) -> None:
    np.save(tmp_path / "file.npy", TRUE)
    spans = sm.Spans.from_masses([2, 1], classes=["x", "y"])
    true = {
        "labels": TRUE,
        "file": tmp_path / "file.npy",
        "spans": spans,
        "classes": sm.LabelArray([[1, 2]], classes={1: "x", 2: "y"}),
    }
    with pytest.raises(InputError, match="pred has no item classes, file, labels, spans"):
        sm.evaluate(true, {}, metrics="pq")
    out = tmp_path / "run.segm"
    run = sm.evaluate(true, {"labels": PRED}, metrics="n_matched,n_missed", missing="as-empty", engine=engine, out=out)
    assert {row["item"]: row["n_missed"] for row in run.items()} == {"labels": 2, "file": 3, "spans": 2, "classes": 2}
    run.close()
    again = sm.evaluate(true, {"labels": PRED}, metrics="n_matched,n_missed", missing="as-empty", out=out, resume=True)
    assert again.n_done == 4
    again.close()
    with pytest.raises(InputError, match="the input file of pred is new"):
        sm.evaluate(
            true,
            {"labels": PRED, "file": PRED},
            metrics="n_matched,n_missed",
            missing="as-empty",
            out=out,
            resume=True,
        )


def test_an_item_without_a_truth_is_always_an_error() -> None:
    with pytest.raises(InputError, match="true has no item b"):
        sm.evaluate({"a": TRUE}, {"b": PRED}, missing="as-empty")


@pytest.mark.parametrize("sides", [({"a": TRUE}, {"a": PRED}), ("true.npy", "pred.npy")])
def test_missing_has_two_values(sides: tuple[Any, Any]) -> None:
    with pytest.raises(OptionError, match="missing is 'empty'; expected one of error, as-empty"):
        sm.evaluate(*sides, missing="empty")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"format": "png"}, "format"),
        ({"pred_coder": "ann"}, "pred_coder"),
        ({"read": ReadOptions(coder="ann"), "format": ("masses", None)}, "coder, format"),
    ],
)
def test_how_files_are_read_means_nothing_to_objects(options: dict[str, Any], named: str) -> None:
    with pytest.raises(OptionError, match=f"^{named}: applies to files, but true and pred contain no paths"):
        sm.evaluate({"a": TRUE}, {"a": PRED}, metrics="pq", **options)


def test_classes_of_arrays_are_called_as_the_user_says() -> None:
    sides, read = ([np.array([[1, 1, 2]])], [np.array([[1, 2, 2]])]), {"labels": "classes"}
    run = sm.evaluate(*sides, metrics="iou", read=read, class_names={1: "road", 2: "sky"})
    assert [row["class_name"] for row in run.classes()] == ["road", "sky"]
    assert run.scalars()["class/sky/iou/pooled"] == 0.5
    twice = sm.evaluate(*sides, metrics="iou", read=read, class_names={1: "road", 2: "road"})
    assert "class/2/iou/pooled" in twice.scalars()  # names that are not unique would hide a value
    protocol = sm.evaluate(*sides, protocol="semantic", class_names={2: "sky"}).protocol_table(classes=True)
    assert protocol is not None and "sky" in [row[0] for row in protocol.rows]


def test_what_labels_mean_applies_to_arrays_and_not_to_segmentations() -> None:
    true, pred = {"a": np.array([[60, 61, 255]])}, {"a": np.array([[61, 60, 61]])}
    run = sm.evaluate(true, pred, metrics="n_matched", read={"labels": "classes", "true_void": 255})
    assert run.settings.policy == "strict-void" and run.table("a").class_names == (60, 61)
    assert sm.n_matched(run.table("a")).value == 0 and sm.n_matched(run.table("a"), classes="ignore").value == 2
    made = {"a": sm.LabelArray(true["a"])}
    with pytest.raises(OptionError, match=r"^labels: applies to files and arrays, but true and pred contain segment"):
        sm.evaluate(made, {"a": sm.LabelArray(pred["a"])}, read={"labels": "classes"})


def test_the_coder_of_the_prediction_is_read_from_files_of_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "coders.json"
    path.write_text(
        json.dumps({"items": {"a": {"ann": [4, 4], "bob": [2, 2, 4]}}, "segmentation_type": "linear"})
    )  # fmt: skip
    run = sm.evaluate(
        {"a": path}, {"a": path}, metrics="n_matched,n_spurious", read=ReadOptions(coder="ann"), pred_coder="bob"
    )
    assert [(row["n_matched"], row["n_spurious"]) for row in run.items()] == [(1, 2)]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([1, "1"], "two items are called '1'"),
        ([""], "an item is called ''; expected a name that can be written"),
        (["\ud800"], r"an item is called '\\ud800'; expected a name that can be written"),
    ],
)
def test_names_of_items_can_be_told_apart_and_written(names: list[Any], words: str) -> None:
    with pytest.raises(SegmetryError, match=words):
        sm.evaluate(dict.fromkeys(names, TRUE), dict.fromkeys(names, PRED), metrics="pq")


def test_options_of_reading_are_of_their_own_type() -> None:
    with pytest.raises(KindError, match=r"read is a list; expected options by name, such as {'void': 255}"):
        sm.evaluate({"a": TRUE}, {"a": PRED}, read=["void"])  # type: ignore[arg-type]


def test_threads_are_at_least_one() -> None:
    with pytest.raises(OptionError, match="threads is 0; expected at least 1"):
        sm.evaluate({"a": TRUE}, {"a": PRED}, threads=0)


def test_a_run_is_not_kept_among_its_inputs(tmp_path: Path) -> None:
    for side, labels in (("true", TRUE), ("pred", PRED)):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", labels)
    for out in (tmp_path / "pred" / "run.segm", tmp_path / "true" / "deep" / ".." / "run.segm"):
        with pytest.raises(OptionError, match=r"run\.segm: is inside the input .* and would change it"):
            sm.evaluate(tmp_path / "true", tmp_path / "pred", out=out)
        assert not out.exists()
    read = {"void": 255}
    sm.evaluate(tmp_path / "true", tmp_path / "pred", metrics="pq", read=read, out=tmp_path / "run.segm").close()


def test_a_run_is_not_kept_among_the_images_beside_its_input(coco_panoptic: Path, tmp_path: Path) -> None:
    for side in ("truth", "pred"):
        (tmp_path / f"{side}.json").symlink_to(coco_panoptic / f"{side}.json")
        (tmp_path / side).mkdir()
    with pytest.raises(OptionError, match=r"is inside the input .*truth and would change it"):
        sm.evaluate(tmp_path / "truth.json", tmp_path / "pred.json", out=tmp_path / "truth" / "run.segm")
