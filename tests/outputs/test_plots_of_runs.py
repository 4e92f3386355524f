"""Figures of runs: the table behind each has the numbers of the run, which the picture draws at the size of paper."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import InputError, OptionError, UnknownNameError
from segmetry.outputs.plots.picture import Dot, Line, Picture, Polygon, Raster, Rectangle, Shape, Words

RNG = np.random.default_rng(5)
TRUE = {f"item {at}": RNG.integers(0, 5, (12, 12)).repeat(3, 0).repeat(3, 1) for at in range(6)}
SYSTEMS = {
    name: {item: np.where(RNG.random(labels.shape) < share, 0, labels) for item, labels in TRUE.items()}
    for name, share in (("first", 0.1), ("second", 0.3), ("third", 0.5))
}


def run_of(name: str, folder: Path, metrics: str = "pq,segment_f1") -> Path:
    np.savez(folder / "truth.npz", **TRUE)
    np.savez(folder / f"{name}.npz", **SYSTEMS[name])
    path = folder / f"{name}.segm"
    sm.evaluate(folder / "truth.npz", folder / f"{name}.npz", metrics=metrics, out=path)
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    return [run_of(name, folder) for name in SYSTEMS]


def test_a_box_has_the_quartiles_of_the_items(runs: list[Path]) -> None:
    picture = sm.plots.box(*runs)
    assert picture.data is not None
    for name, systems in SYSTEMS.items():
        values = [sm.pq(TRUE[item], systems[item]).value for item in TRUE]
        drawn = [row["pq"] for row in picture.data if row["system"] == name]
        assert drawn == values
        quartiles = ", ".join(f"{value:.4f}" for value in np.quantile(values, (0.25, 0.5, 0.75)))
        assert f"quartiles {quartiles}" in picture.svg
    assert picture.title == "pq by system: 3 systems, 6 items"


def test_a_box_by_class_has_the_score_of_every_class_of_every_item() -> None:
    def labels(values: np.ndarray) -> sm.LabelArray:
        return sm.LabelArray(values, classes={int(label): "ab"[label % 2] for label in np.unique(values[values > 0])})

    name = "second"
    run = sm.evaluate(
        {item: labels(values) for item, values in TRUE.items()},
        {item: labels(values) for item, values in SYSTEMS[name].items()},
        metrics="pq",
    )
    data = sm.plots.box(run, by="class").data
    assert data is not None and len(data) == 12
    for row in data:
        kept = [
            np.where(side % 2 == "ab".index(row["class"]), side, 0)
            for side in (TRUE[row["item"]], SYSTEMS[name][row["item"]])
        ]
        assert row["pq"] == pytest.approx(sm.pq(*kept).value)
    assert "a" in sm.plots.box(run, by="class").svg and sm.plots.box(run, by="item").title.startswith("pq by item")
    with pytest.raises(UnknownNameError, match="has no values of dice by system; found"):
        sm.plots.box(run, metric="dice")


def test_f1_follows_from_the_overlaps_of_any_run(tmp_path: Path) -> None:
    path = run_of("second", tmp_path, metrics="pq")
    data = sm.plots.f1(path).data
    run = sm.evaluate(TRUE, SYSTEMS["second"], metrics="segment_f1")
    score = run.summary()["segment_f1"].over_data_set
    assert data is not None and score is not None
    assert {row["threshold"]: row["segment_f1"] for row in data} == {
        float(at): value for at, value in score.details["thresholds"].items()
    }


def test_sizes_count_every_segment_once(runs: list[Path]) -> None:
    data = sm.plots.sizes(runs[0]).data
    assert data is not None
    sizes = np.concatenate([np.unique(values[values > 0], return_counts=True)[1] for values in TRUE.values()])
    for row in data:
        if row["side"] == "true":
            assert row["segments"] == ((sizes >= row["from"]) & (sizes < row["below"])).sum()
    assert sum(row["segments"] for row in data if row["side"] == "true") == sizes.size


def test_other_figures_have_the_tables_of_what_they_draw(runs: list[Path]) -> None:
    with sm.Run.open(runs[1]) as run:
        assert sm.plots.budget(run).data == sm.diagnose(run).rows()
        worst = min(run.items(), key=lambda row: row["pq"])["item"]
    overlay = sm.plots.overlay(runs[1])
    assert overlay.title.startswith(f"{worst}: PQ ") and {row["item"] for row in overlay.data or ()} == {worst}
    points = sm.plots.recall(runs[1]).data
    assert points is not None and len(points) == len(TRUE)
    ranks = sm.plots.ranks(*runs).data
    assert (
        ranks is not None
        and len(ranks) == 9
        and sum(row["share"] for row in ranks if row["rank"] == 1) == pytest.approx(1)
    )
    means = sm.plots.critical_difference(*runs).data
    assert means is not None
    assert min(means, key=lambda row: row["mean_rank"])["system"] == "first"
    assert sm.plots.differences(*runs[:2]).data == sm.compare(*runs[:2]).rows()
    with pytest.raises(InputError, match="needs three or more runs; found 2"):
        sm.plots.critical_difference(*runs[:2])
    with pytest.raises(InputError, match="an error budget draws one run; found 2"):
        sm.plots.budget(*runs[:2])


def test_a_confusion_is_that_of_the_run() -> None:
    run = sm.evaluate(TRUE, SYSTEMS["second"], metrics="mean_iou", read={"labels": "classes", "outside": None})
    assert sm.plots.confusion(run).data == run.confusion_matrix()


SHAPES: dict[str, Shape] = {
    "rectangle": Rectangle(10, 10, 40, 20, "#ff0000", "#000000"),
    "line": Line(((10, 50), (90, 50)), "#0000ff", 2, (4, 3)),
    "polygon": Polygon(((60, 10), (90, 10), (90, 30)), "#00ff00", 0.5),
    "dot": Dot(30, 80, 6, "#123456", 0.7),
    "words": Words(50, 70, "IoU ≥ 0.5 (a)", 12, "middle"),
    "upright": Words(95, 50, "up", 10, "middle", upright=True),
    "raster": Raster(60, 60, 20, 20, np.full((2, 2, 4), 255, np.uint8)),
}


def content_of(pdf: bytes) -> bytes:
    """The operators of the page: the first packed stream."""
    found = re.search(rb"/FlateDecode >>\nstream\n(.*?)\nendstream", pdf, re.DOTALL)
    assert found is not None
    return zlib.decompress(found[1])


def test_a_pdf_has_the_size_asked_for_and_every_shape(tmp_path: Path) -> None:
    picture = Picture(100, 100, "all", tuple(SHAPES.values()))
    picture.save(tmp_path / "a.pdf", width_cm=2.54)
    pdf = (tmp_path / "a.pdf").read_bytes()
    assert b"/MediaBox [0 0 72.000 72.000]" in pdf and b"/BaseFont /Helvetica" in pdf
    drawn = content_of(pdf).decode("cp1252")
    assert "1.0000 0.0000 0.0000 rg 10.000 10.000 40.000 20.000 re f" in drawn
    assert "[4 3] 0 d 10.000 50.000 m 90.000 50.000 l S" in drawn
    assert r"(IoU >= 0.5 \(a\)) Tj" in drawn and "/I0 Do" in drawn and "/G0 gs" in drawn and "/G1 gs" in drawn
    places = [int(number) for number in re.findall(rb"(\d{10}) 00000 n", pdf)]
    assert [pdf[place:].split(b" ", 1)[0] for place in places] == [b"%d" % at for at in range(1, len(places) + 1)]


def test_words_are_placed_by_the_widths_of_the_font(tmp_path: Path) -> None:
    Picture(100, 20, "w", (Words(100, 10, "ii", 10, "end"),)).save(tmp_path / "w.pdf")
    narrow = re.search(rb"1 0 0 -1 ([\d.]+) 13.500 Tm", content_of((tmp_path / "w.pdf").read_bytes()))
    assert narrow is not None and float(narrow[1]) == pytest.approx(100 - 2 * 0.222 * 10)


def test_a_font_is_part_of_the_file_and_one_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    picture = Picture(100, 60, "a title", (Words(2, 12, "a title"), Words(2, 40, "below")))
    for font in sorted(Path("/usr/share/fonts").rglob("*.ttf"))[:1]:
        picture.save(tmp_path / "a.pdf", font=str(font))
        assert b"/FontFile2" in (tmp_path / "a.pdf").read_bytes()
        picture.save(tmp_path / "a.png", font=str(font))
    picture.save(tmp_path / "a.svg", font="Times New Roman", width_cm=8.5)
    text = (tmp_path / "a.svg").read_text()
    assert 'font-family="Times New Roman"' in text and 'width="8.5cm" height="5.1cm"' in text
    for ending in ("pdf", "png"):
        with pytest.raises(OptionError, match="there is no font 'No Such Font' here"):
            picture.save(tmp_path / f"b.{ending}", font="No Such Font")
    with pytest.raises(OptionError, match="expected a width in centimetres"):
        picture.save(tmp_path / "b.svg", width_cm=0)


def test_paper_has_300_dots_an_inch_and_no_title_if_it_is_not_wanted(tmp_path: Path) -> None:
    picture = Picture(100, 60, "a title", (Words(2, 12, "a title"), Words(2, 40, "below")))
    picture.save(tmp_path / "a.png", width_cm=2.54)
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (300, 180)
    picture.save(tmp_path / "b.svg", title=False)
    assert "below" in (tmp_path / "b.svg").read_text() and ">a title</text>" not in (tmp_path / "b.svg").read_text()
