"""``segmetry curves`` and ``segmetry plot``: the numbers and pictures of the Python calls."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from tests.cli.running import Runner
from tests.outputs.test_plots_of_runs import run_of

TRUE = np.array([[1, 1, 1, 2, 2], [1, 1, 1, 2, 2], [3, 3, 3, 2, 0]])
PRED = np.array([[1, 1, 2, 2, 2], [1, 1, 1, 2, 2], [3, 3, 4, 4, 0]])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    np.savez(tmp_path / "t.npz", a=TRUE, b=TRUE)
    np.savez(tmp_path / "p.npz", a=PRED, b=TRUE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("weight", ["iou", "tversky(alpha=0.3,beta=0.7)", "hausdorff95", "median_set_distance"])
def test_curves_by_any_weight(weight: str, folder: Path, segmetry: Runner) -> None:
    done = segmetry(
        "curves", "t.npz", "p.npz", "--weight", weight, "--json", "c.json", "--csv", "c.csv", "--svg", "c.svg"
    )
    assert done.code == 0 and "all items" in done.out
    found = json.loads((folder / "c.json").read_text())
    one = sm.curves(TRUE, PRED, weight=weight)
    assert found["items"]["a"]["area"] == one.area() and found["items"]["a"]["npq"] == one.npq()
    both = (2 * one.tally.total(one.weight) + 6) / 13  # of b: three perfect pairs
    assert found["items"]["all items"]["area"] == pytest.approx(both)
    with (folder / "c.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["item"] == "a"]
    assert [float(row["up_to"]) for row in rows] == one.arrays()["t"][1:].tolist()
    assert (folder / "c.svg").read_text().startswith("<svg")


def test_a_distance_takes_the_furthest_and_an_overlap_does_not(folder: Path, segmetry: Runner) -> None:
    far = segmetry("curves", "t.npz", "p.npz", "--weight", "hausdorff", "--furthest", "1", "--json", "-")
    assert json.loads(far.out)["items"]["a"]["area"] == sm.curves(TRUE, PRED, weight="hausdorff", furthest=1).area()
    assert "is for weights that are distances" in segmetry("curves", "t.npz", "p.npz", "--furthest", "1").err
    assert "hausdorff95" in segmetry("curves", "t.npz", "p.npz", "--weight", "nothing").err


@pytest.mark.parametrize("kind", ["curves", "precision-recall", "coverages", "overlaps", "pair", "sweep"])
def test_every_kind_of_plot(kind: str, folder: Path, segmetry: Runner) -> None:
    more = ["--ids", "1,1"] if kind == "pair" else []
    done = segmetry("plot", kind, "t.npz", "p.npz", "-o", "x.svg", "--item", "a", *more)
    assert done.code == 0, done.err
    alignment = sm.align(sm.overlap(TRUE, PRED))
    expected = {
        "curves": lambda: sm.curve_plot(sm.curves(TRUE, PRED)),
        "precision-recall": lambda: sm.precision_recall_plot(TRUE, PRED),
        "coverages": lambda: sm.coverage_plot(TRUE, PRED),
        "overlaps": lambda: sm.overlap_plot(TRUE, PRED),
        "pair": lambda: alignment.draw((1, 1), TRUE, PRED),
        "sweep": lambda: sm.sweep_plot(sm.boundary_sweep(TRUE, PRED)),
    }[kind]()
    assert (folder / "x.svg").read_text() == expected.svg


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("overlaps t.npz p.npz -o x.svg", "there are 2 items; plot overlaps draws one: name it with --item NAME"),
        ("overlaps t.npz p.npz -o x.svg --item c", "there is no item 'c'"),
        ("overlaps t.npz p.npz -o x.svg --weight dice", "--weight has no effect on plot overlaps"),
        ("pair t.npz p.npz -o x.svg --item a", "needs the ids of a true and a predicted segment"),
        ("nothing t.npz p.npz -o x.svg", "there is no plot 'nothing'; expected one of box"),
        ("box,curves t.npz p.npz -o x.svg", "draws two segmentations and runs"),
        ("curves t.npz -o x.svg", "plot curves takes TRUE and PRED; found 1 files"),
        ("box t.npz --item a -o x.svg", "--item has no effect on plot box"),
        ("curves t.npz p.npz --class-names n.csv -o x.svg", "--class-names has no effect on plot curves"),
        ("curves t.npz p.npz --item a --data x.csv -o x.svg", "plot curves has none"),
        ("sweep t.npz p.npz -o x.gif", "a plot is saved as .svg, .pdf, .png"),
    ],
)
def test_wrong_calls_are_one_line(arguments: str, words: str, folder: Path, segmetry: Runner) -> None:
    done = segmetry("plot", *arguments.split())
    assert done.code == 2 and words in done.err


def test_maps_write_the_best_partner_of_every_segment(folder: Path, segmetry: Runner) -> None:
    segmetry("maps", "t.npz", "p.npz", "-o", "maps", "--weight", "tversky(alpha=1,beta=0)")
    with (folder / "maps" / "a" / "segments.csv").open() as file:
        rows = {(row["side"], row["id"]): row for row in csv.DictReader(file)}
    assert (rows["pred", "4"]["partner"], rows["pred", "4"]["weight"]) == ("2", "0.5")
    assert len(rows) == 7


def test_figures_of_runs_are_those_of_python(tmp_path: Path, segmetry: Runner) -> None:
    runs = [run_of(name, tmp_path) for name in ("first", "second")]
    done = segmetry("plot", "box", *map(str, runs), "-o", str(tmp_path / "x.svg"), "--data", str(tmp_path / "x.csv"))
    assert done.code == 0, done.err
    assert (tmp_path / "x.svg").read_text() == sm.plots.box(*runs).svg
    with (tmp_path / "x.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["pq"]) for row in rows] == (sm.plots.box(*runs).data or {})["pq"]
    both = segmetry("plot", "sizes,f1", str(runs[0]), "-o", str(tmp_path / "x.pdf"), "--width", "17", "--no-title")
    assert both.code == 0, both.err
    width = 2 * 560 + 40
    assert b"/MediaBox [0 0 %.3f" % (17 / 2.54 * 72) in (tmp_path / "x.pdf").read_bytes()
    assert sm.plots.figure(sm.plots.sizes(runs[0]), sm.plots.f1(runs[0])).width == width
