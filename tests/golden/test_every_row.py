"""Every row of the papers has a command that shows it, and a test of its name where it is a claim or a definition."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import segmetry as sm
from segmetry.cli.main import cli

PROJECT = Path(__file__).resolve().parents[2]
WHOLE = tomllib.loads((PROJECT / "examples" / "reproduce" / "rows.toml").read_text("utf-8"))
ROWS: list[dict[str, str]] = WHOLE["row"]
TESTS = set(
    re.findall(
        r"(?:def| as) (test_\w+)",
        "".join(path.read_text("utf-8") for path in (PROJECT / "tests" / "papers").glob("test_*.py")),
    )
)


@cache
def names() -> dict[str, Any]:
    found: dict[str, Any] = {"sm": sm, "np": np, "Fraction": Fraction}
    exec(WHOLE["names"], found)  # noqa: S102 - our own file
    return found


@cache
def printed_by(script: str) -> str:
    done = subprocess.run(
        [sys.executable, PROJECT / script], capture_output=True, text=True, check=False, cwd=PROJECT, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    image = names()["image"]
    for name, labels in zip("tp", image, strict=True):
        np.save(tmp_path / f"{name}.npy", labels)
    files = tmp_path / "t.npy", tmp_path / "p.npy"
    sm.evaluate(*files, metrics="pq,sq", out=tmp_path / "r.segm")
    for side, lines in (("GT", 4), ("PRED", 5)):
        (tmp_path / "sheets" / side).mkdir(parents=True)
        sheet = np.full((9, 9), 255, np.uint8)
        sheet[4], sheet[:, lines] = 0, 0
        Image.fromarray(sheet).save(tmp_path / "sheets" / side / f"201-OUTPUT-{side}.png")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_102_rows() -> None:
    assert len(ROWS) == 102


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{at}-{row['place']}", marks=[pytest.mark.slow] * row["run"].startswith("python "))
        for at, row in enumerate(ROWS, 1)
    ],
)
def test_the_command_of_a_row_shows_it(row: dict[str, str], folder: Path) -> None:
    run, shows = row["run"], row["shows"]
    if run.startswith("segmetry "):
        import shlex

        done = CliRunner().invoke(cli, shlex.split(run)[1:], catch_exceptions=False)
        assert done.exit_code == 0 and shows in done.output, done.output
    elif run.startswith("python "):
        printed = printed_by(run.removeprefix("python "))
        if shows not in printed and "skipped" in printed:
            pytest.skip("the published result files are not available")
        assert shows in printed
    else:
        assert repr(eval(run, names())) == shows  # noqa: S307 - our own file


def test_rows_name_all_property_tests_of_the_papers() -> None:
    assert {name.strip() for row in ROWS for name in row.get("test", "").split(",")} - {""} == TESTS
