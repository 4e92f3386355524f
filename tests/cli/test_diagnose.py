"""``segmetry diagnose`` and ``segmetry sensitivity``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.commands.diagnose import size_bins
from tests.cli.running import Runner
from tests.readers.samples import png


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A split, a merge, a confusion of classes, a missed and a spurious segment, a loose boundary."""
    true = [[1] * 8 + [2] * 4 + [3] * 10 + [4] * 3 + [5] * 3 + [6] * 2 + [0] * 5]
    pred = [[1] * 6 + [0] * 2 + [2] * 4 + [3] * 5 + [7] * 5 + [4] * 6 + [0] * 4 + [8] * 3]
    of_true = {1: "sky", 2: "[bold]car", 3: "road", 4: "tree", 5: "tree", 6: "a sign with a very, very long name"}
    of_pred = {1: "sky", 2: "van", 3: "road", 7: "road", 4: "tree", 8: of_true[6]}
    path = tmp_path / "run.segm"
    sm.evaluate(
        {"a": sm.LabelArray(true, classes=of_true)}, {"a": sm.LabelArray(pred, classes=of_pred)}, out=path, metrics="pq"
    )
    return path


@pytest.fixture
def images(tmp_path: Path) -> tuple[Path, Path]:
    labels = np.zeros((12, 12), dtype=np.int32)
    labels[2:9, 2:9] = 1
    true, pred = tmp_path / "true.npy", tmp_path / "pred.npy"
    np.save(true, labels)
    np.save(pred, np.roll(labels, 1, axis=1))
    return true, pred


def test_tables_fit_80_columns(run: Path, segmetry: Runner) -> None:
    result = segmetry("diagnose", run)
    assert (result.code, result.err) == (0, "") and max(map(len, result.lines)) <= 80
    assert result.lines[0].rstrip() == "error analysis of 1 item: gain in PQ if fixed, IoU > 0.5 (θ⁺), policy none"
    at = result.lines.index(
        next(line for line in result.lines if line.startswith("after each kind and all above are fixed"))
    )
    assert next(line.split() for line in result.lines[at:] if "boundary" in line) == ["boundary", *["1.0000"] * 5]
    cells = next(line.split() for line in result.lines if line.startswith("merge"))
    assert cells[1:5] == ["1", "2", "1", "+0.1667"]  # 1.75/6 - 0.75/6, the mean over six classes
    assert any(line.split() == ["[bold]car", "1", "van"] for line in result.lines)


def test_classes_are_called_what_the_data_set_calls_them(segmetry: Runner, tmp_path: Path) -> None:
    frames = {"true": [[7, 7, 7, 26001, 26001, 26001]], "pred": [[7, 7, 7, 28001, 28001, 28001]]}
    for side, values in frames.items():
        (tmp_path / side).mkdir()
        rows = [np.array(row, dtype=">u2").tobytes() for row in values]
        (tmp_path / side / "ulm_000001_000019_instanceIds.png").write_bytes(png(6, 1, 16, 0, rows))
    run = tmp_path / "run.segm"
    scored = segmetry("score", tmp_path / "true", tmp_path / "pred", "--metrics", "pq", "--by-class", "--out", run)
    assert [line.split() for line in scored.lines if line.startswith(("road", "car", "bus"))] == [
        ["road", "100.0"],
        ["car", "0.0"],
        ["bus", "0.0"],
    ]
    result = segmetry("diagnose", run, "--plots", tmp_path / "plots")
    assert any(line.split() == ["car", "1", "bus"] for line in result.lines)
    assert any(line.split()[:4] == ["car", "0.0", "+100.0", "0"] for line in result.lines)
    assert ">car<" in (tmp_path / "plots" / "confusion.svg").read_text(encoding="utf-8")
    data = json.loads(segmetry("diagnose", run, "--json", "-").out)
    assert data["confusion"] == [{"true_class": 26, "pred_class": 28, "pairs": 1}]
    assert (data["class_names"]["26"], data["class_names"]["28"]) == ("car", "bus")


def test_json_and_csv_hold_what_python_says(run: Path, segmetry: Runner) -> None:
    expected = sm.diagnose(run, rule="theta_plus", sizes=sm.BySize((3, 9)))
    options = ("--rule", "theta_plus", "--sizes", "3,9")
    data = json.loads(segmetry("diagnose", run, *options, "--json", "-").out)
    assert data.pop("run") == str(run)
    assert (data.pop("schema"), data.pop("version")) == ("diagnosis", 1)
    assert data == json.loads(json.dumps(expected.to_dict()))
    rows = list(csv.DictReader(io.StringIO(segmetry("diagnose", run, *options, "--csv", "-").out)))
    assert len(rows) == len(expected.rows())
    assert [row["by_class"] for row in rows] == [
        "" if r["by_class"] is None else str(r["by_class"]) for r in expected.rows()
    ]


def test_plots_are_written(run: Path, segmetry: Runner, tmp_path: Path) -> None:
    result = segmetry("diagnose", run, "--plots", tmp_path / "plots")
    assert result.code == 0
    names = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert names == [
        "budget_by_class.svg",
        "budget_by_item.svg",
        "budget_pooled.svg",
        "budget_sizes.svg",
        "confusion.svg",
    ]
    assert all(path.read_text(encoding="utf-8").startswith("<svg") for path in (tmp_path / "plots").iterdir())


def test_wrong_calls_of_diagnose(run: Path, segmetry: Runner, tmp_path: Path) -> None:
    assert "no such file" in segmetry.refused("diagnose", tmp_path / "none.segm")
    assert "the error analysis needs a rule" in segmetry.refused(
        "diagnose", run, "--rule", "greedy(weight=iou,above=0.1)"
    )
    assert "--sizes is 'a,b'; expected increasing integers" in segmetry.refused("diagnose", run, "--sizes", "a,b")
    assert "expected increasing positive integers" in segmetry.refused("diagnose", run, "--sizes", "5,3")
    assert "both want standard output" in segmetry.refused("diagnose", run, "--json", "-", "--csv", "-")
    assert "there is no folder" in segmetry.refused("diagnose", run, "--json", tmp_path / "no" / "x.json")
    (tmp_path / "file").write_text("")
    assert "cannot be created" in segmetry.refused("diagnose", run, "--plots", tmp_path / "file" / "plots")


def test_sensitivity_of_images(images: tuple[Path, Path], segmetry: Runner, tmp_path: Path) -> None:
    result = segmetry("sensitivity", *images, "--svg", tmp_path / "s.svg")
    assert (result.code, result.err) == (0, "") and max(map(len, result.lines)) <= 80
    assert next(line.split() for line in result.lines if "shift_1-" in line)[:4] == [
        "shift_1-",
        "θ⁺",
        "1.0000",
        "+0.2500",
    ]
    assert (tmp_path / "s.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "No element changes" not in result.out
    data = json.loads(segmetry("sensitivity", *images, "--rule", "theta_plus", "--json", "-").out)
    assert (data.pop("schema"), data.pop("version")) == ("sensitivity", 1)
    expected = sm.sensitivity(*images, rules="theta_plus").to_dict()
    assert data == {"true": str(images[0]), "pred": str(images[1]), **json.loads(json.dumps(expected))}
    rows = list(csv.DictReader(io.StringIO(segmetry("sensitivity", *images, "--csv", "-").out)))
    assert {row["move"] for row in rows} == {"base", "dilate", "erode", "shift_0-", "shift_0+", "shift_1-", "shift_1+"}


def test_sensitivity_cuts_no_number_and_says_what_nothing_changes(segmetry: Runner, tmp_path: Path) -> None:
    true = np.repeat(np.arange(1, 9), np.arange(8, 80, 9))[None]
    paths = [tmp_path / "true.npy", tmp_path / "pred.npy"]
    for path, labels in zip(paths, (true, np.roll(true, 2)), strict=True):
        np.save(path, labels)
    rule = "maximum_weight(weight=iou,above=0)"
    result = segmetry("sensitivity", *paths, "--sizes", "10,20,30,40,50,60,70", "--rule", rule)
    assert max(map(len, result.lines)) <= 80 and "…" not in result.out
    sensitivity = sm.sensitivity(*paths, rules=rule, sizes=sm.BySize((10, 20, 30, 40, 50, 60, 70)))
    assert len(sensitivity.present_sizes) == 8
    for size in sensitivity.present_sizes:
        assert f"{sensitivity.value(rule, 'base', size=size):.4f}" in result.out and size in result.out
    said = " ".join(result.out.split())
    assert "No element changes by dilate: the prediction leaves nothing outside to grow into." in said


def test_wrong_calls_of_sensitivity(streams: tuple[Path, Path], images: tuple[Path, Path], segmetry: Runner) -> None:
    said = segmetry.refused("sensitivity", *streams, "--first", "force")
    assert "item a: true is spans, whose segments have no outline of pixels" in said
    assert "there is no rule" in segmetry.refused("sensitivity", *images, "--rule", "theta")
    assert "is a folder" in segmetry.refused("sensitivity", *images, "--svg", images[0].parent)


def test_classes_of_elements_are_diagnosed_by_their_confusions(segmetry: Runner, tmp_path: Path) -> None:
    true, pred = np.array([[1, 1, 1, 2, 2, 3]]), np.array([[1, 1, 2, 2, 2, 1]])
    for name, labels in (("true", true), ("pred", pred)):
        np.save(tmp_path / f"{name}.npy", labels)
    run = tmp_path / "run.segm"
    sides = tmp_path / "true.npy", tmp_path / "pred.npy"
    assert segmetry("score", *sides, "--protocol", "semantic", "-o", run).code == 0
    shown = segmetry("diagnose", run, "--plots", tmp_path / "plots")
    assert shown.code == 0 and "3 → 1" in shown.out and "1 → 2" in shown.out
    assert (tmp_path / "plots" / "confusion_matrix.svg").read_text().startswith("<svg")
    data = json.loads(segmetry("diagnose", run, "--json", "-").out)
    with sm.Run.open(run) as opened:
        assert data["mean_iou"] == opened.summary()["mean_iou"].over_data_set
    # 3 is never found: put right, its IoU is 1 and that of 1 is 2/3 instead of 2/4
    assert data["confusions"][0]["true"] == "3"
    assert data["confusions"][0]["gain"] == pytest.approx((1 + 2 / 3 - 2 / 4) / 3)
    rows = list(csv.DictReader(io.StringIO(segmetry("diagnose", run, "--csv", "-").out)))
    assert [row["kind"] for row in rows] == ["confused", "confused"]
    assert "--rule is about aligned segments" in segmetry.refused("diagnose", run, "--rule", "theta_and")


def test_the_example_of_size_bins() -> None:
    assert size_bins("100,1000").edges == (100, 1000)
