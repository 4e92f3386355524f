"""``--cluster`` in every command that draws items, columns that are checked first, and names of classes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    numbers, n = np.random.default_rng(4), 24
    for name in ("true", "pred"):
        (tmp_path / name).mkdir()
    for at in range(n):
        true = numbers.integers(0, 3, (6, 6))
        for side, labels in (("true", true), ("pred", np.where(numbers.random((6, 6)) < 0.3, 1, true))):
            np.save(tmp_path / side / f"s{at:02}.npy", labels)
    rows = "".join(f"s{at:02},p{at // 2}\n" for at in range(n))
    (tmp_path / "scans.csv").write_text(f"item,patient\n{rows}")
    return tmp_path


SCORE = ("score", "true", "pred", "--labels", "classes", "--metrics", "dice")


def test_score_draws_patients(folder: Path, segmetry: Any) -> None:
    cluster = ("--columns", "scans.csv", "--cluster", "patient")
    out = segmetry(*SCORE, *cluster, "--interval", "-o", "run.segm", "--force").out
    assert "resamples of the patients" in out
    data = json.loads(segmetry(*SCORE, *cluster, "--interval", "--json", "-").out)
    with sm.Run.open("run.segm") as run:
        by = sm.ByItem.read("scans.csv", "patient")
        assert data["rules"]["theta_plus"]["intervals"] == json.loads(run.intervals(cluster=by).to_json())
        assert run.intervals(cluster=by).n_units == 12
        assert run.intervals(cluster=by).to_dict()["scores"] != run.intervals().to_dict()["scores"]
        run.cluster = by
        headline = run.headline_interval()
        assert headline == run.interval("dice", run.cell().average, cluster=by)
        assert run.rescore(undefined=0).cluster is by
    assert segmetry(*SCORE, "--cluster", "patient").err.startswith("segmetry: --cluster patient names a column")


def test_a_column_without_an_item_is_an_error_before_anything_is_read(folder: Path, segmetry: Any) -> None:
    (folder / "scans.csv").write_text("item,patient\ns00,p0\n")
    (folder / "pred" / "s01.npy").write_bytes(b"no array")
    err = segmetry(*SCORE, "--columns", "scans.csv", "--by", "patient", "-o", "run.segm").err
    assert "item 's01' has no patient" in err
    assert not (folder / "run.segm").exists()


def test_classes_have_the_names_of_a_file_in_every_command(folder: Path, segmetry: Any) -> None:
    segmetry(*SCORE, "-o", "a.segm")
    segmetry("score", "true", "true", "--labels", "classes", "--metrics", "dice", "-o", "b.segm")
    (folder / "names.csv").write_text("label,name\n1,liver\n2,spleen\n9,unseen\n")
    names = ("--class-names", "names.csv")
    assert "liver" in segmetry("compare", "a.segm", "b.segm", "--parts", "--resamples", "100", *names).out
    assert "liver" in segmetry("export", "a.segm", "--table", "classes", "--csv", "-", *names).out
    segmetry("plot", "box", "a.segm", "--by", "class", "-o", "box.svg", *names)
    assert "liver" in (folder / "box.svg").read_text(encoding="utf-8")
    segmetry("report", "a.segm", "-o", "report.html", *names)
    assert "spleen" in (folder / "report.html").read_text(encoding="utf-8")
    (folder / "names.csv").write_text("label,name\n9,unseen\n")
    assert "the run has no class 9; found 1, 2" in segmetry("export", "a.segm", *names).err


def test_every_document_names_its_format(folder: Path, segmetry: Any) -> None:
    segmetry(*SCORE, "-o", "a.segm")
    segmetry("score", "true", "true", "--labels", "classes", "--metrics", "dice", "-o", "b.segm")
    calls = {
        "summary": (*SCORE, "--json", "-"),
        "comparison": ("compare", "a.segm", "b.segm", "--resamples", "100", "--json", "-"),
        "run": ("info", "a.segm", "--json"),
        "installation": ("info", "--self", "--json"),
        "metrics": ("metrics", "--json"),
        "rules": ("rules", "--json"),
        "formats": ("formats", "--json"),
        "protocols": ("protocols", "--json"),
    }
    for schema, call in calls.items():
        data = json.loads(segmetry(*call).out)
        assert (data["schema"], data["version"]) == (schema, 1)


def test_empty_cases_have_rows_of_their_own(folder: Path, segmetry: Any) -> None:
    for name in ("s00", "s01", "s02"):
        np.save(folder / "true" / f"{name}.npy", np.zeros((6, 6), int))
    np.save(folder / "pred" / "s02.npy", np.zeros((6, 6), int))
    call = ("score", "true", "pred", "--metrics", "pq,n_pred", "--by", "empty")
    rows = json.loads(segmetry(*call, "--json", "-").out)["by_part"]["truth"]
    assert (rows[0]["truth"], rows[0]["items"], rows[0]["true"]) == ("empty", 3, 0)
    assert rows[0]["pred"] == rows[0]["n_pred"] == 4 and rows[1]["items"] == 21
    segmetry(*call[:-2], "-o", "a.segm")
    segmetry("score", "true", "true", "--metrics", "pq,n_pred", "-o", "b.segm")
    shown = segmetry("compare", "a.segm", "b.segm", "--by", "empty", "--metrics", "n_pred", "--resamples", "100").out
    assert "n_pred by truth" in shown and "not empty" in shown
    assert segmetry("export", "a.segm", "--table", "parts", "--by", "empty").out.startswith("truth,rule,items")


def test_distances_have_their_unit(folder: Path, segmetry: Any) -> None:
    metrics = ("--labels", "classes", "--metrics", "dice,class_hausdorff95")
    segmetry("score", "true", "pred", *metrics, "-o", "a.segm")
    segmetry("score", "true", "true", *metrics, "-o", "b.segm")
    call = ("compare", "a.segm", "b.segm", "--resamples", "100")
    assert "class_hausdorff95: in pixels" in segmetry(*call).out
    assert r"class\_hausdorff95 (pixels) $\downarrow$" in segmetry(*call, "--latex", "-").out
    assert "class_hausdorff95 (pixels)" in segmetry("info", "a.segm", "--interval").out
