"""The shipped sample: evaluated without input, written whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import segmetry as sm
from segmetry.cli.main import cli
from segmetry.errors import OptionError
from segmetry.samples.shipped import street, texts


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    result = CliRunner().invoke(cli, ["demo", "-o", str(folder)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output, folder


@pytest.mark.parametrize("name", ["report.html", "texts.html"])
def test_the_reports_stand_alone(shown: tuple[str, Path], name: str) -> None:
    page = (shown[1] / name).read_text("utf-8")
    assert page.startswith("<!doctype html>") and "default-src 'none'; script-src 'sha256-" in page
    assert "<script src" not in page and "<link" not in page and "url(" not in page
    assert name in shown[0]


def test_the_numbers_are_those_of_python(shown: tuple[str, Path]) -> None:
    data = json.loads((shown[1] / "scores.json").read_text("utf-8"))
    assert list(data["street"]["rules"]) == ["theta_plus", "theta_and"]
    for rule, scores in data["street"]["rules"].items():
        expected = sm.pq(*street(), rule=rule).value
        assert scores["items"]["street"]["pq"]["value"] == expected
        assert f"{expected:.4f}" in shown[0]
    true, pred = texts()
    mean = sum(sm.pq(t.load(), p.load()).value for t, p in zip(true, pred, strict=True)) / 2
    assert data["texts"]["rules"]["theta_plus"]["scores"]["pq"]["by_item"]["value"] == pytest.approx(mean, abs=1e-15)


def test_the_sample_shows_what_the_rules_disagree_about() -> None:
    table = sm.overlap(*street())
    assert sm.additional_pairs(table, rule="theta_and").value == 1
    assert sm.n_splits(table).value >= 1


def test_a_target_that_is_a_file_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(OptionError, match="cannot be created"):
        CliRunner().invoke(cli, ["demo", "-o", str(tmp_path / "taken")], catch_exceptions=False)
    assert (tmp_path / "taken").read_text() == "mine"


def test_the_sample_is_what_its_script_draws(tmp_path: Path) -> None:
    checkout = Path(__file__).parents[2]
    code = (
        "import runpy, pathlib; names = runpy.run_path('tools/make_samples.py');"
        f"names['main'].__globals__['TARGET'] = pathlib.Path({str(tmp_path)!r}); names['main']()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=checkout, check=True)
    from PIL import Image

    for name in ("street_true.png", "street_pred.png"):
        drawn, shipped = (Image.open(folder / name) for folder in (tmp_path, checkout / "src/segmetry/samples"))
        assert drawn.tobytes() == shipped.tobytes()
    for name in ("street_true.classes.json", "street_pred.classes.json", "text_true.json", "text_pred.json"):
        assert (tmp_path / name).read_text() == (checkout / "src/segmetry/samples" / name).read_text()
