"""What the README shows is what the command prints."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def test_the_example_prints_what_it_shows(tmp_path: Path) -> None:
    ((command, shown),) = re.findall(
        r"```console\n\$ segmetry ([^\n]+)\n(.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    for name in ("true", "pred"):
        source = files("segmetry.samples") / f"street_{name}.png"
        shutil.copy(str(source), tmp_path / {"true": "truth.png", "pred": "prediction.png"}[name])
    run = subprocess.run(
        [sys.executable, "-m", "segmetry", *command.split()],
        cwd=tmp_path,
        env={"COLUMNS": "80", "PATH": "", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert lines(run.stdout) == lines(shown)


def test_it_names_the_two_commands_and_links_to_files_that_exist() -> None:
    text = README.read_text("utf-8")
    assert "make demo" in text and "make test" in text
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (README.parent / target).exists(), target
