"""Options of single metrics on the command line reach their metric, and wrong ones are one clear error."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import segmetry as sm
from segmetry.cli.main import cli
from segmetry.errors import KindError, OptionError, UnknownNameError


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "true.json").write_text('{"a": [5, 3, 5]}')
    (tmp_path / "pred.json").write_text('{"a": [4, 4, 5]}')
    return [str(tmp_path / "true.json"), str(tmp_path / "pred.json")]


def run(*arguments: str) -> str:
    return CliRunner().invoke(cli, ["score", *arguments], catch_exceptions=False).output


def test_an_option_reaches_its_metric(files: list[str]) -> None:
    options = ["--option", "window_diff.padded=true", "--option", "pk.k=3", "--json", "-", "--rule", "theta_and"]
    data = json.loads(run(*files, "--metrics", "pk,window_diff", *options))
    true, pred = sm.Spans.from_masses([5, 3, 5]), sm.Spans.from_masses([4, 4, 5])
    scores = data["rules"]["theta_and"]["items"]["a"]
    assert scores["window_diff"]["value"] == sm.window_diff(true, pred, padded=True).value
    assert scores["pk"]["value"] == sm.pk(true, pred, k=3).value


def test_a_required_option_can_be_given(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(6, dtype=int))
    path = str(tmp_path / "a.npy")
    assert "1.0000" in run(path, path, "--metrics", "surface_dice", "--option", "surface_dice.tolerance=1.5")
    with pytest.raises(OptionError, match=r"--option surface_dice\.tolerance=…"):
        run(path, path, "--metrics", "surface_dice")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("pk", "expected METRIC.NAME=VALUE"),
        ("pk.q=1", "pk has no option 'q'; it takes k, padded"),
        ("pk.k=[1,", "expected METRIC.NAME=VALUE|k is"),
        ("pk.k=[1 2]", "is not a list"),
    ],
)
def test_a_wrong_option_is_one_clear_error(files: list[str], written: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        run(*files, "--metrics", "pk", "--option", written)
    with pytest.raises(UnknownNameError, match="no metric 'pkk'"):
        run(*files, "--option", "pkk.k=1")


def test_a_family_that_fits_nothing_says_so(files: list[str]) -> None:
    with pytest.raises(KindError, match="no metric of the family video fits: they take labels"):
        run(*files, "--metrics", "video")
