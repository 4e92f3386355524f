"""People's folders: names that differ, other files among the labels, a list of pairs, images elsewhere."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.options.option_groups import pairing_of, parts_asked
from segmetry.evaluation.reopen import loaders_of
from tests.cli.running import Runner

LABELS = {"rock": [[1, 1, 1, 2]], "tree": [[1, 1, 2, 2]]}
CROSSED = pytest.approx(1 / 3)
"""PQ of rock against tree: one pair of IoU 2/3, one missed, one spurious."""


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``gt/rock_gt.npy`` against ``out/rock_net.npy``, with the litter that systems and people leave."""
    for folder, end in (("gt", "_gt"), ("out", "_net")):
        (tmp_path / folder).mkdir()
        for name, labels in LABELS.items():
            np.save(tmp_path / folder / f"{name}{end}.npy", np.array(labels))
    for litter in ("readme.txt", "dataset.json", "Thumbs.db", ".DS_Store"):
        (tmp_path / "gt" / litter).write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def items(segmetry: Runner, *arguments: object) -> dict[str, float]:
    result = segmetry("score", *arguments, "--metrics", "pq", "--json", "-")
    assert result.code == 0, result.err
    return {name: scores["pq"]["value"] for name, scores in result.first_rule["items"].items()}


def test_the_message_names_the_options_that_pair_the_items(segmetry: Runner, folders: Path) -> None:
    message = segmetry("score", "gt", "out").err.splitlines()[-1]
    assert "2 only in true: rock_gt, tree_gt; 2 only in pred: rock_net, tree_net" in message
    remedy = re.search(r"; (--strip .*) would pair all of them$", message)
    assert remedy is not None
    assert items(segmetry, "gt", "out", *shlex.split(remedy[1])) == {"rock": 1.0, "tree": 1.0}


def test_files_that_are_no_labels_get_one_note(segmetry: Runner, folders: Path) -> None:
    result = segmetry("score", "gt", "out", "--strip", "_gt", "--strip", "_net", "--metrics", "pq")
    assert result.code == 0
    assert result.err == (
        "segmetry: note: gt: 3 files that are not label files are ignored: '.DS_Store', 'Thumbs.db', 'readme.txt'\n"
    )


@pytest.mark.parametrize(
    "options",
    [
        ["--pair", r"^([a-z]+)_"],
        ["--true-pair", "(.*)_gt", "--pred-pair", "(.*)_net"],
        ["--strip", "_gt", "--pred-pair", "[a-z]+"],
        ["--strip", "_*"],
    ],
)
def test_every_way_to_say_it(segmetry: Runner, folders: Path, options: list[str]) -> None:
    assert items(segmetry, "gt", "out", *options) == {"rock": 1.0, "tree": 1.0}


def test_a_list_of_pairs(segmetry: Runner, folders: Path) -> None:
    (folders / "pairs.csv").write_text("true,pred,name\nrock_gt.npy,tree_net.npy,crossed\n")
    assert items(segmetry, "gt", "out", "--pairs", "pairs.csv") == {"crossed": CROSSED}
    (folders / "pairs.csv").write_text("true,pred\nrock_gt.npy,rock_net.png\n")
    message = segmetry("score", "gt", "out", "--pairs", "pairs.csv").err.splitlines()[-1]
    assert "pairs.csv, line 2: pred is 'rock_net.png', but PRED has no such item or file" in message
    assert "excludes strip" in segmetry.refused("score", "gt", "out", "--pairs", "pairs.csv", "--strip", "a")


def test_items_carry_their_files(segmetry: Runner, folders: Path) -> None:
    arguments = ["score", "gt", "out", "--strip", "_gt", "--strip", "_net", "--metrics", "pq"]
    document = json.loads(segmetry(*arguments, "--json", "-", "--csv", "items.csv", "--out", "run.segm").out)
    assert document["files"]["rock"] == {"true": "rock_gt.npy", "pred": "rock_net.npy"}
    rows = list(csv.DictReader((folders / "items.csv").read_text().splitlines()))
    assert {(row["item"], row["true_file"], row["pred_file"]) for row in rows} == {
        ("rock", "rock_gt.npy", "rock_net.npy"),
        ("tree", "tree_gt.npy", "tree_net.npy"),
    }
    run = sm.Run.open("run.segm")
    assert run.files["tree"] == ("tree_gt.npy", "tree_net.npy")
    with pytest.warns(UserWarning, match="ignored"):
        true, pred = loaders_of(run)["tree"]()
    assert true.n_elements == pred.n_elements == 4


def test_litter_that_changes_does_not_change_a_run(segmetry: Runner, folders: Path) -> None:
    arguments = ["score", "gt", "out", "--strip", "_gt", "--strip", "_net", "--metrics", "pq", "--out", "run.segm"]
    assert segmetry(*arguments).code == 0
    (folders / "gt" / ".DS_Store").write_text("other")
    assert segmetry(*arguments, "--resume").code == 0
    np.save(folders / "gt" / "rock_gt.npy", np.array([[2, 2, 2]]))
    assert "rock_gt.npy of true has changed" in segmetry(*arguments, "--resume").err


def test_force_replaces_a_run_and_nothing_else(segmetry: Runner, folders: Path) -> None:
    arguments = ["score", "gt", "out", "--strip", "_*", "--out", "run.segm"]
    assert segmetry(*arguments, "--metrics", "pq").code == 0
    message = segmetry(*arguments, "--metrics", "rq").err.splitlines()[-1]
    assert "replace it with force (--force)" in message
    assert segmetry(*arguments, "--metrics", "rq", "--force").code == 0
    assert list(sm.Run.open("run.segm").summary().scores) == ["rq"]
    (folders / "notes.segm").write_text("precious")
    assert (
        "not an SQLite database"
        in segmetry("score", "gt", "out", "--strip", "_*", "--out", "notes.segm", "--force").err
    )
    assert (folders / "notes.segm").read_text() == "precious"
    assert "--out names none" in segmetry.refused("score", "gt", "out", "--force")
    assert "pass one of them" in segmetry(*arguments, "--force", "--resume").err


def test_in_python(folders: Path) -> None:
    with pytest.warns(UserWarning, match="ignored"):
        run = sm.evaluate("gt", "out", pairing={"strip": ["_gt", "_net"]}, metrics="pq")
    assert run.names == ("rock", "tree")
    values = {f"{name} 1": labels for name, labels in LABELS.items()}
    assert sm.evaluate(values, LABELS, pairing={"strip": " 1"}, metrics="pq").names == ("rock", "tree")
    listed = sm.evaluate(values, LABELS, pairing={"pairs": [("rock 1", "tree")]}, metrics="pq")
    assert listed.names == ("rock 1",) and listed.items()[0]["pq"] == CROSSED
    with pytest.raises(sm.errors.InputError, match="expected the same names on both sides, or pairing="):
        sm.evaluate(values, LABELS)


def test_maps_and_sensitivity_pair_likewise(segmetry: Runner, folders: Path) -> None:
    assert segmetry("maps", "gt", "out", "--strip", "_*", "-o", "maps").code == 0
    assert (folders / "maps" / "rock").is_dir()
    result = segmetry("sensitivity", "gt", "out", "--strip", "_*", "--json", "-")
    assert json.loads(result.out)["n_items"] == 2


def test_globs_select_files_of_one_folder(segmetry: Runner, folders: Path) -> None:
    """Truth and prediction in one folder, as many programs leave them."""
    for file in (folders / "out").iterdir():
        file.rename(folders / "gt" / file.name)
    arguments = ["gt", "gt", "--true-glob", "*_gt.npy", "--pred-glob", "*_net.npy", "--strip", "_*"]
    result = segmetry("score", *arguments, "--metrics", "pq", "--json", "-", "--out", "run.segm")
    assert (result.code, result.err) == (0, "")  # the litter was not asked for, so there is no note
    assert json.loads(result.out)["files"]["rock"] == {"true": "rock_gt.npy", "pred": "rock_net.npy"}
    run = sm.Run.open("run.segm")
    assert {row["name"] for row in run.inputs if row["side"] == "true"} == {"gt/rock_gt.npy", "gt/tree_gt.npy"}
    assert loaders_of(run)["tree"]()[0].n_elements == 4
    message = segmetry.refused("score", "gt", "gt", "--glob", "*.tif")
    assert "no label file that fits '*.tif' in it; expected one per item" in message


def test_two_items_of_one_name_are_told_apart_by_a_glob(segmetry: Runner, folders: Path) -> None:
    np.savez(folders / "gt" / "rock_gt.npz", np.array([[1, 1]]))
    message = segmetry("score", "gt", "out", "--strip", "_*").err.splitlines()[-1]
    assert "true: two items are called 'rock'; expected one of each name (--true-glob selects files" in message
    assert items(segmetry, "gt", "out", "--strip", "_*", "--true-glob", "*.npy") == {"rock": 1.0, "tree": 1.0}


def test_the_images_of_a_panoptic_prediction_may_lie_elsewhere(
    segmetry: Runner, coco_panoptic: Path, tmp_path: Path
) -> None:
    data = coco_panoptic
    shutil.copy(data / "pred.json", tmp_path / "results.json")
    arguments = [data / "truth.json", tmp_path / "results.json", "--metrics", "pq", "--json", "-"]
    message = segmetry.refused("score", *arguments)
    assert "(--pred-folder DIR names another)" in message
    result = segmetry("score", *arguments, "--pred-folder", data / "pred")
    assert result.code == 0
    beside = segmetry("score", data / "truth.json", data / "pred.json", "--metrics", "pq", "--json", "-")
    assert result.first_rule == beside.first_rule
    assert (
        "--pred-folder is absent, which is not a folder" in segmetry("score", *arguments, "--pred-folder", "absent").err
    )


def test_the_example_of_pairing_of() -> None:
    assert pairing_of({"strip": ("_gt",), "pair": None, "true_pair": "(a)", "pred_pair": None, "pairs": None}).pair == (
        "(a)",
        None,
    )


def test_the_example_of_parts_asked() -> None:
    assert [by.name for by in parts_asked({"parts_by": ("size:10,20",), "columns_file": None})] == ["size"]
