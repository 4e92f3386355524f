"""The demo: evaluated without input, on data that its script computes."""

from __future__ import annotations

import io
import runpy
import shutil
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import segmetry as sm
from segmetry.cli.main import cli
from segmetry.errors import OptionError
from segmetry.samples.shipped import street, texts, write_demo
from tests.conftest import Demo

CHECKOUT = Path(__file__).parents[2]
MOST_LINES = 20
MOST_BYTES = 1_500_000


@pytest.fixture
def shipped() -> ZipFile:
    return ZipFile(str(files("segmetry.samples") / "demo.zip"))


def test_it_answers_in_twenty_lines_of_a_terminal(demo: Demo) -> None:
    lines = demo.output.splitlines()
    assert len(lines) <= MOST_LINES and max(map(len, lines)) <= 80
    assert "moss beats fern" in demo.output and "Next: open demo/report.html" in demo.output


@pytest.mark.parametrize("name", ["report.html", "comparison.html"])
def test_the_reports_stand_alone(demo: Demo, name: str) -> None:
    page = (demo.folder / name).read_text("utf-8")
    assert page.startswith("<!doctype html>") and "default-src 'none'; script-src 'sha256-" in page
    assert "<script src" not in page and "<link" not in page and "url(" not in page
    assert name in demo.output


def test_the_numbers_are_those_of_python(demo: Demo) -> None:
    runs = [sm.Run.open(demo.folder / f"{name}.segm") for name in ("fern", "moss")]
    again = sm.evaluate(demo.folder / "truth.json", demo.folder / "fern.json", protocol="coco-panoptic")
    values = [run.protocol_table()["All", "PQ"] for run in (again, *runs)]  # type: ignore[index]
    assert values[0] == values[1] and f"PQ {100 * values[1]:.1f} (All)" in demo.output
    assert f"+{100 * (values[2] - values[1]):.1f} PQ" in demo.output


def test_it_writes_its_inputs_once_more_and_replaces_no_other_file(demo: Demo, tmp_path: Path) -> None:
    write_demo(tmp_path)
    (tmp_path / "truth.json").unlink()
    write_demo(tmp_path)
    assert (tmp_path / "truth.json").read_bytes() == (demo.folder / "truth.json").read_bytes()
    (tmp_path / "scenes.csv").write_text("mine")
    shutil.rmtree(tmp_path / "truth")
    with pytest.raises(
        OptionError, match=r"scenes\.csv is not the file of the demo; choose another folder with --output"
    ):
        CliRunner().invoke(cli, ["demo", "-o", str(tmp_path)], catch_exceptions=False)
    assert (tmp_path / "scenes.csv").read_text() == "mine" and not (tmp_path / "truth").exists()


def test_a_target_that_is_a_file_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(OptionError, match="cannot be created"):
        CliRunner().invoke(cli, ["demo", "-o", str(tmp_path / "taken")], catch_exceptions=False)
    assert (tmp_path / "taken").read_text() == "mine"


def test_the_data_are_small(shipped: ZipFile) -> None:
    assert Path(str(shipped.filename)).stat().st_size <= MOST_BYTES
    assert sum(name.endswith(".jpg") and name.startswith("images/") for name in shipped.namelist()) == 40


@pytest.mark.slow
def test_the_data_are_what_their_script_computes(shipped: ZipFile) -> None:
    names = runpy.run_path(str(CHECKOUT / "tools" / "make_demo.py"))
    computed = names["streets"](1) | names["texts"]() | names["recordings"]() | names["tags"]()
    for name, content in computed.items():
        if name.endswith(".png"):
            drawn, kept = (np.asarray(Image.open(io.BytesIO(data))) for data in (content, shipped.read(name)))
            assert (drawn == kept).all(), name
        elif "/" in name and not name.endswith(".jpg"):
            assert content == shipped.read(name), name


@pytest.mark.slow
def test_the_small_sample_is_what_its_script_draws(tmp_path: Path) -> None:
    names = runpy.run_path(str(CHECKOUT / "tools" / "make_samples.py"))
    names["main"].__globals__["TARGET"] = tmp_path
    names["main"]()
    for drawn in tmp_path.iterdir():
        kept = CHECKOUT / "src" / "segmetry" / "samples" / drawn.name
        if drawn.suffix == ".png":
            assert Image.open(drawn).tobytes() == Image.open(kept).tobytes()
        else:
            assert drawn.read_text() == kept.read_text()


def test_the_small_sample_shows_what_the_rules_disagree_about() -> None:
    table = sm.overlap(*street())
    assert sm.additional_pairs(table, rule="theta_and").value == 1
    assert sm.n_splits(table).value >= 1
    assert [item.name for side in texts() for item in side] == ["harbour guide", "letter home"] * 2
