"""The page on the architecture: its picture shows every import, and its walks are what really runs."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import segmetry as sm

PROJECT = Path(__file__).resolve().parent.parent
PAGE = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
SOURCE = Path(sm.__file__).parent
FOUNDATIONS = ("_base/", "kernels/backend.py")


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PROJECT / "docs"))
    sys.modules.pop(name, None)
    return importlib.import_module(name)


@pytest.fixture
def architecture(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load("_architecture", monkeypatch)


def files_entered(call: Callable[[], Any]) -> list[str]:
    """Return the files of segmetry whose functions run in a call, by first entry; importing does not count."""
    entered: dict[str, None] = {}

    def profile(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        if event == "call" and code.co_flags & CO_NEWLOCALS and path.is_relative_to(SOURCE):
            entered.setdefault(path.relative_to(SOURCE).as_posix())

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    return list(entered)


def walk_on_page(heading: str) -> list[str]:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)


def test_the_walk_of_pq_is_what_runs() -> None:
    true, pred = np.array([[1, 1, 1, 2]]), np.array([[3, 4, 4, 4]])
    sm.pq(true, pred)  # imports everything
    entered = files_entered(lambda: sm.pq(true, pred))
    walk = walk_on_page("What `sm.pq(true, pred)` runs")
    assert [path for path in entered if not path.startswith(FOUNDATIONS)] == walk
    assert len(walk) <= 23
    assert len(entered) <= 24
    for path in entered:
        assert f"`{path}`" in PAGE


def test_the_walk_of_a_command_is_what_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from segmetry.cli.main import cli

    load("_samples", monkeypatch).coco_panoptic(tmp_path, images=2)
    monkeypatch.chdir(tmp_path)

    def score() -> None:
        result = CliRunner().invoke(cli, ["score", "truth.json", "first.json", "--engine", "serial"])
        assert result.exit_code == 0, result.output

    score()  # imports everything
    walk = walk_on_page("What `segmetry score truth.json prediction.json` runs")
    assert [path for path in files_entered(score) if path in walk] == walk
    assert 15 <= len(walk) <= 20


def test_the_walk_of_a_protocol_is_what_runs() -> None:
    true, pred = np.array([[1, 1, 1, 2]]), np.array([[1, 2, 2, 2]])
    sm.score(true, pred, protocol="semantic")  # imports everything
    entered = files_entered(lambda: sm.score(true, pred, protocol="semantic"))
    walk = walk_on_page('What `sm.score(true, pred, protocol="semantic")` runs')
    assert [path for path in entered if not path.startswith(FOUNDATIONS)] == walk
    assert len(entered) <= 30
    rooms = ("storage/", "outputs/", "readers/", "run/", "runfile/")
    assert not any(path.startswith(rooms) for path in entered)


@pytest.mark.slow
def test_the_walk_of_a_report_is_what_runs(tmp_path: Path) -> None:
    true, pred = {"a": np.array([[1, 1, 1, 2]])}, {"a": np.array([[1, 2, 2, 2]])}
    sm.evaluate(true, pred).report(tmp_path / "first.html")  # imports everything
    run = sm.evaluate(true, pred)
    entered = files_entered(lambda: run.report(tmp_path / "report.html"))
    walk = walk_on_page("What `run.report(path)` runs")
    assert [path for path in entered if path in walk] == walk
    assert len(entered) <= 115


def test_the_tracer_sees_a_file_that_is_entered() -> None:
    assert "metrics/panoptic/alignment_facts.py" in files_entered(
        lambda: sm.fairness(sm.align(sm.overlap([[1, 2]], [[1, 1]])))
    )


def test_every_file_on_the_page_exists() -> None:
    paths = re.findall(r"`((?:\w+/)+\w+\.py)`", PAGE)
    assert len(paths) > 40
    assert [path for path in paths if not (SOURCE / path).exists()] == []
    folders = re.findall(r"`((?:\w+/)+)(?:<\w+>/)?`", PAGE)
    assert [folder for folder in folders if not ((SOURCE / folder).is_dir() or (PROJECT / folder).is_dir())] == []


@pytest.mark.slow
def test_the_picture_shows_every_room_and_imports_go_left(architecture: ModuleType) -> None:
    rooms = architecture.read_rooms()
    names = [room.name for room in rooms]
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    modules = {path.stem for path in SOURCE.glob("*.py")} - {"__init__"}
    assert set(names) == packages | modules
    for at, room in enumerate(rooms):
        assert set(room.imports) & set(names) <= set(names[:at]), room.name
        assert room.summary, room.name
    assert len(architecture.read_exceptions()) <= 6
    svg = architecture.draw(rooms).svg
    assert "<title>metrics imports alignments in " in svg
    assert all(f">{name}</text>" in svg for name in names)


def test_imports_under_type_checking_are_left_out(architecture: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text(
        "from typing import TYPE_CHECKING\nimport segmetry.run.run\n"
        "if TYPE_CHECKING:\n    from segmetry.report import page\n"
        "def late():\n    from segmetry.metrics.score import Score\n    from numpy import array\n"
    )
    assert architecture.imported_modules(file) == {"segmetry.run.run", "segmetry.metrics.score"}
