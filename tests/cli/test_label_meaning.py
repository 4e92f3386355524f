"""``--labels``, ``--void`` and their variants for one side on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.readers.reader import known_options
from tests.cli.running import Runner

METRICS = ("--metrics", "pq,n_matched", "--rule", "theta_plus")


def by_key(run: Runner, *arguments: object) -> dict[str, Any]:
    outcome = run("score", *arguments, *METRICS, "--json", "-")
    assert outcome.code == 0, outcome.err
    return next(iter(outcome.first_rule["items"].values()))


def test_classes_of_the_spine_are_not_matched_with_each_other(segmetry: Runner, shared_data: Path) -> None:
    """True label 60 lies in predicted 61: Dice of the classes .020 and .027, and as instances a perfect exchange."""
    sides = [shared_data / "spine_nifti" / f"semantic_{side}.nii.gz" for side in ("ref", "pred")]
    outcome = segmetry("score", *sides, *METRICS, "--json", "-")
    assert outcome.err.count("labels are read as instances, and the item has the same few labels") == 1
    scores = next(iter(outcome.first_rule["items"].values()))
    assert scores["pq"]["value"] == pytest.approx(0.8175, abs=5e-5) and scores["n_matched"]["value"] == 14
    outcome = segmetry("score", *sides, *METRICS, "--json", "-", "--labels", "classes")
    assert outcome.err == ""
    scores = next(iter(outcome.first_rule["items"].values()))
    assert scores["n_matched"]["value"] == 12
    true, pred = (sm.LabelArray.from_classes(_volume(path)) for path in sides)
    table = sm.overlap(true, pred).by_class().one_against_rest()
    dice = {name: 2 * table[name].shared / (2 * table[name].shared + table[name].missed + table[name].spurious)
            for name in (60, 61)}  # fmt: skip
    assert dice == {60: pytest.approx(0.020, abs=5e-4), 61: pytest.approx(0.027, abs=5e-4)}


def _volume(path: Path) -> Any:
    nibabel = pytest.importorskip("nibabel")
    return np.asarray(nibabel.load(path).dataobj)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    np.save(tmp_path / "t.npy", np.array([[1, 1, 1, 255, 255, 255, 2, 2]], dtype=np.uint8))
    np.save(tmp_path / "p.npy", np.array([[1, 1, 1, 3, 3, 3, 2, 0]], dtype=np.uint8))
    return tmp_path / "t.npy", tmp_path / "p.npy"


def test_void_without_a_policy_is_honoured_and_named(segmetry: Runner, files: tuple[Path, Path]) -> None:
    stated = by_key(segmetry, *files, "--void", 255)
    assert stated == by_key(segmetry, *files, "--void", 255, "--policy", "strict-void")
    assert stated == by_key(segmetry, *files, "--true-void", 255)
    assert stated != by_key(segmetry, *files, "--void", 255, "--policy", "none"), "an explicit policy wins"
    assert "policy strict-void" in segmetry("score", *files, "--void", 255, "--metrics", "pq").out
    assert "policy" not in segmetry("score", *files, "--metrics", "pq").out
    run = sm.evaluate(*files, read={"void": 255}, metrics="pq", rule="theta_plus")
    arrays = sm.LabelArray(np.load(files[0]), void=255), np.load(files[1])
    of_objects = sm.evaluate({"a": arrays[0]}, {"a": arrays[1]}, metrics="pq")
    same = {
        sm.pq(run.table("t"), policy=run.settings.policy, rule="theta_plus").value,
        sm.score(*arrays, "pq", rule="theta_plus")["pq"].value,
        sm.pq(*arrays, rule="theta_plus").value,
        sm.pq(of_objects.table("a"), policy=of_objects.settings.policy, rule="theta_plus").value,
    }
    assert same == {stated["pq"]["value"]}
    assert sm.score(*arrays, "pq").policy == run.settings.policy == "strict-void"


def test_options_of_one_side_have_precedence(segmetry: Runner, files: tuple[Path, Path]) -> None:
    only_pred = by_key(segmetry, *files, "--outside", 0, "--pred-outside", 3)
    assert only_pred["n_matched"]["value"] == 1, "2 is half covered by 2, and 0 is a segment of the prediction"
    assert by_key(segmetry, *files, "--pred-no-outside")["pq"] != by_key(segmetry, *files)["pq"]
    message = segmetry.refused("score", *files, "--pred-outside", 1, "--pred-no-outside")
    assert "--pred-no-outside and --pred-outside exclude each other" in message


def test_options_of_one_side_in_a_file(segmetry: Runner, files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "how.toml").write_text('pred-labels = "classes"\ntrue-labels = "classes"\ntrue-void = [255]\n')
    outcome = segmetry("score", *files, *METRICS, "--config", tmp_path / "how.toml", "--json", "-")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["rules"]


def test_both(segmetry: Runner, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[7000, 26001, 26002, 0]]))
    np.save(tmp_path / "b.npy", np.array([[7000, 26002, 7001, 0]]))
    scores = by_key(segmetry, tmp_path / "a.npy", tmp_path / "b.npy", "--labels", "both", "--instances-per-class", 1000)
    assert scores["n_matched"]["value"] == 2
    message = segmetry.refused("score", tmp_path / "a.npy", tmp_path / "b.npy", "--labels", "both")
    assert "--instances-per-class K" in message


def test_the_help_lists_the_options_that_exist_for_one_side(segmetry: Runner) -> None:
    words = segmetry("score", "--help-all").out
    text = "".join(words.split())  # long flags are broken at hyphens
    listed = ",".join(option.flag for option in known_options().values() if option.per_side)
    assert f"{listed}alsoexistforoneside" in text
    assert "--true-void LABEL" not in " ".join(words.split())


@pytest.mark.parametrize("metrics", [("--metrics", "pq"), (), ("--metrics", "panoptic")])
def test_an_option_of_a_metric_that_is_not_computed_is_rejected(
    segmetry: Runner, files: tuple[Path, Path], metrics: tuple[str, ...], tmp_path: Path
) -> None:
    message = segmetry.refused("score", *files, *metrics, "--option", "pk.k=3")
    assert "options name 'pk', which is not among the selected metrics" in message
    (tmp_path / "how.toml").write_text('option = ["pk.k=3"]\n')
    assert "'pk'" in segmetry.refused("score", *files, *metrics, "--config", tmp_path / "how.toml")
    with pytest.raises(sm.errors.OptionError, match="'pk'"):
        sm.evaluate(*files, metrics="pq", options={"pk": {"k": 3}})


@pytest.fixture
def tumours(tmp_path: Path) -> tuple[Path, Path]:
    """Labels 1 (core), 2 (oedema), 3 (enhancing) as in BraTS; the prediction has one stray element of 2."""
    true = np.zeros((12, 12), np.uint8)
    true[2:8, 2:8], true[3:7, 3:7], true[4:6, 4:6] = 2, 1, 3
    pred = np.roll(true, 1, axis=1)
    pred[11, 11] = 2
    np.save(tmp_path / "t.npy", true)
    np.save(tmp_path / "p.npy", pred)
    return tmp_path / "t.npy", tmp_path / "p.npy"


def test_regions_that_overlap(segmetry: Runner, tumours: tuple[Path, Path]) -> None:
    regions = ("--union", "WT=1,2,3", "--union", "TC=1,3", "--union", "ET=3")
    scores = by_key(segmetry, *tumours, *regions)
    assert scores["n_matched"]["value"] == 2, "the enhancing tumour overlaps by a third"
    true, pred = (np.load(path) for path in tumours)
    dense = [[np.isin(side, labels) for labels in ([1, 2, 3], [1, 3], [3])] for side in (true, pred)]
    masks = [sm.Masks.from_dense(np.stack(side), classes=["WT", "TC", "ET"]) for side in dense]
    assert scores["pq"]["value"] == sm.pq(*masks, rule="theta_plus").value
    run = sm.evaluate(*tumours, read={"union": {"WT": [1, 2, 3], "TC": [1, 3], "ET": 3}}, metrics="pq")
    assert set(run.table("t").class_names or ()) == {"WT", "TC", "ET"}


def test_components_and_small_segments(segmetry: Runner, tumours: tuple[Path, Path]) -> None:
    options = ("--map", "1:1,2:1,3:1", "--components", 4, "--labels", "classes", "--outside", 0)
    outcome = segmetry("score", *tumours, *options, "--metrics", "n_spurious", "--json", "-")
    assert (outcome.code, outcome.err) == (0, "")
    outcome = segmetry("score", *tumours, *options, "--pred-min-size", 2, "--metrics", "n_spurious", "--json", "-")
    assert "0 true and 1 predicted segments in 1 item are left out by --min-size (min_size)" in outcome.err
    assert next(iter(outcome.first_rule["items"].values()))["n_spurious"]["value"] == 0
    assert "components is 26 and the labels have 2 axes" in segmetry.refused("score", *tumours, "--components", 26)


def test_a_run_keeps_how_labels_were_read(tumours: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "map.json").write_text('{"2": 0}')
    read = {"true_map": tmp_path / "map.json", "pred_map": "2:0", "components": 8, "union": ["x=1,3"]}
    run = sm.evaluate(*tumours, read=read, metrics="pq", out=tmp_path / "run.segm")
    stored = {"components": 8, "pred_map": "2:0", "true_map": "2:0", "union": {"x": [1, 3]}}
    assert run.settings.reading == stored
    again = sm.evaluate(*tumours, read=stored, metrics="pq", out=tmp_path / "run.segm", resume=True)
    assert again.table("t") == run.table("t")


def test_a_volume_with_a_spacing_and_one_without(segmetry: Runner, tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    true, pred = np.zeros((4, 6, 8), np.uint8), np.zeros((4, 6, 8), np.uint8)
    true[1:3, 1:5, 1:6], pred[1:3, 1:5, 2:7] = 1, 1
    image = nibabel.Nifti1Image(true, np.diag([3.0, 1.0, 0.5, 1]))
    image.header.set_xyzt_units("mm")
    nibabel.save(image, tmp_path / "t.nii")
    np.save(tmp_path / "p.npy", pred)
    sides = tmp_path / "t.nii", tmp_path / "p.npy"
    assert segmetry("score", *sides, "--metrics", "pq").err == "", "PQ does not depend on it"
    table, rows = tmp_path / "s.json", tmp_path / "i.csv"
    outcome = segmetry("score", *sides, "--metrics", "pq,hausdorff", "--json", table, "--csv", rows)
    assert "only true has a spacing in 1 item; distances are measured in it" in outcome.err
    value, remark = [line for line in outcome.lines if "hausdorff" in line]
    assert "0.5" in value and remark.startswith("hausdorff: mm, ")
    score = next(iter(json.loads(table.read_text())["rules"].values()))["items"]["t"]["hausdorff"]
    assert (score["value"], score["details"]["unit"]) == (0.5, "mm")
    head, row, *_ = (line.split(",") for line in rows.read_text().splitlines())
    assert row[head.index("distance_unit")] == "mm"
    outcome = segmetry("score", *sides, "--metrics", "hausdorff", "--pred-spacing", "3,1,0.5mm")
    assert (outcome.code, outcome.err) == (0, "")
    message = segmetry.refused("score", *sides, "--metrics", "hausdorff", "--pred-spacing", "3,1,1mm")
    assert "true has spacing 3, 1, 0.5 mm and pred 3, 1, 1 mm" in message
    outcome = segmetry("score", *sides, "--metrics", "hausdorff", "--spacing", "2um", "--json", "-")
    score = next(iter(outcome.first_rule["items"].values()))["hausdorff"]
    assert (score["value"], score["details"]["unit"]) == (2.0, "µm"), "what the user states has precedence"
