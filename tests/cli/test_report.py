"""``segmetry report`` and ``score --report``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.cli.running import Runner


def test_one_run_two_runs_and_what_is_no_run(segmetry: Runner, tmp_path: Path) -> None:
    for name, labels in (("true", [[1, 1, 2]]), ("first", [[1, 1, 2]]), ("second", [[1, 2, 2]])):
        np.save(tmp_path / f"{name}.npy", np.array(labels))
    files = {name: str(tmp_path / f"{name}.npy") for name in ("true", "first", "second")}
    for name in ("first", "second"):
        target = str(tmp_path / f"{name}.html")
        result = segmetry(
            "score", files["true"], files[name], "--out", str(tmp_path / f"{name}.segm"), "--report", target
        )
        assert result.code == 0 and Path(target).read_text("utf-8").startswith("<!doctype html>")
    runs = [str(tmp_path / f"{name}.segm") for name in ("first", "second")]
    result = segmetry("report", *runs, "-o", str(tmp_path / "both.html"))
    assert result.code == 0 and '"systems":["first","second"]' in (tmp_path / "both.html").read_text("utf-8")
    wrong = segmetry("report", runs[0], runs[0], "-o", str(tmp_path / "same.html"))
    assert wrong.code == 2 and not (tmp_path / "same.html").exists()
    wrong = segmetry("report", files["true"], "-o", str(tmp_path / "no.html"))
    assert wrong.code == 2 and "Traceback" not in wrong.err and not (tmp_path / "no.html").exists()


def test_sensitivity_of_the_run_and_of_another(segmetry: Runner, tmp_path: Path) -> None:
    labels = np.zeros((12, 12), dtype=np.int32)
    labels[2:9, 2:9] = 1
    for name, array in (("true", labels), ("pred", np.roll(labels, 1, axis=1)), ("other", np.roll(labels, 2, axis=1))):
        np.save(tmp_path / f"{name}.npy", array)
    true, pred, other = (tmp_path / f"{name}.npy" for name in ("true", "pred", "other"))
    run, moved, page = (tmp_path / name for name in ("run.segm", "moved.json", "report.html"))
    segmetry("score", true, pred, "--out", run)
    segmetry("sensitivity", true, pred, "--json", moved)
    array = segmetry("report", run, "--sensitivity", moved, "-o", page)
    assert (array.code, array.err) == (0, "") and '"sensitivity":{"rules":[["theta_plus"' in page.read_text("utf-8")
    page.unlink()
    segmetry("sensitivity", true, other, "--json", moved)
    said = segmetry.refused("report", run, "--sensitivity", moved, "-o", page)
    assert f"{moved}: not computed from the inputs of the run" in said and not page.exists()
    assert "not JSON" in segmetry.refused("report", run, "--sensitivity", __file__, "-o", page)


def test_title_names_and_columns_to_filter_by(segmetry: Runner, tmp_path: Path) -> None:
    for name, labels in (("a", [[1, 1, 2]]), ("first", [[1, 1, 2]]), ("second", [[1, 2, 2]])):
        np.save(tmp_path / f"{name}.npy", np.array(labels))
    for name in ("first", "second"):
        segmetry("score", tmp_path / "a.npy", tmp_path / f"{name}.npy", "--out", tmp_path / f"{name}.segm")
    runs, page = [tmp_path / "first.segm", tmp_path / "second.segm"], tmp_path / "report.html"
    (tmp_path / "items.csv").write_text("item,scanner\na,old\n", "utf-8")
    named = ("--title", "Two <systems>", "--names", "base, ours")
    columns = ("--columns", tmp_path / "items.csv", "--by", "scanner", "--by", "size:2")
    assert segmetry("report", *runs, *named, *columns, "-o", page).code == 0
    text = page.read_text("utf-8")
    assert "<title>Two &lt;systems&gt;</title>" in text
    assert '"systems":["base","ours"]' in text and '"groups":{"scanner":["old"]}' in text
    assert '"sizes":{"edges":[2]' in text
    sides = (tmp_path / "a.npy", tmp_path / "first.npy")
    assert segmetry("score", *sides, *columns, "--report", tmp_path / "own.html").code == 0
    assert '"groups":{"scanner":["old"]}' in (tmp_path / "own.html").read_text("utf-8")
    said = segmetry.refused("report", *runs, "--names", "one", "-o", page)
    assert "there are 1 names for 2 runs; expected one for each" in said
    (tmp_path / "items.csv").write_text("item,scanner\nb,old\n", "utf-8")
    assert "has no scanner" in segmetry.refused("report", *runs, *columns, "-o", page)
