"""``segmetry report --maps --true --pred``: which items have pictures, and where their inputs are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import Runner


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, segmetry: Runner) -> Path:
    numbers = np.random.default_rng(2)
    for side in ("t", "p"):
        np.savez(tmp_path / f"{side}.npz", **{f"i{at}": numbers.integers(0, 4, (6, 6)) for at in range(3)})
    monkeypatch.chdir(tmp_path)
    assert segmetry("score", "t.npz", "p.npz", "--metrics", "pq", "--out", "run.segm").code == 0
    return tmp_path


def n_pictures(path: Path) -> int:
    return path.read_text("utf-8").count('id="maps-0-')


@pytest.mark.parametrize(("maps", "expected"), [((), 3), (("--maps", "2"), 2), (("--maps", "none"), 0)])
def test_as_many_pictures_as_asked_for(folder: Path, segmetry: Runner, maps: tuple[str, ...], expected: int) -> None:
    assert segmetry("report", "run.segm", *maps).code == 0
    assert n_pictures(folder / "report.html") == expected
    assert segmetry("score", "t.npz", "p.npz", "--metrics", "pq", "--report", "other.html", *maps).code == 0
    assert n_pictures(folder / "other.html") == expected


def test_mistakes_are_one_line_and_write_nothing(folder: Path, segmetry: Runner) -> None:
    for words, message in (
        (("report", "run.segm", "--maps", "few"), "maps is 'few'; expected 'all', 'none' or a number of items"),
        (("report", "run.segm", "--pred", "p.npz", "--pred", "p.npz"), "pred names 2 inputs for 1 runs"),
        (("score", "t.npz", "p.npz", "--maps", "3"), "it needs --report FILE"),
    ):
        result = segmetry(*words)
        assert (result.code, len(result.err.splitlines())) == (2, 1)
        assert message in result.err
    assert not (folder / "report.html").exists()


def test_inputs_that_have_moved_are_named_again(folder: Path, segmetry: Runner) -> None:
    (folder / "moved").mkdir()
    for name in ("t.npz", "p.npz"):
        (folder / name).rename(folder / "moved" / name)
    result = segmetry("report", "run.segm")
    assert result.code == 0 and result.err.startswith(
        "segmetry: note: the report has no pictures: t.npz is not there any more; pictures need the unchanged inputs"
    )
    assert n_pictures(folder / "report.html") == 0
    result = segmetry("report", "run.segm", "--true", "moved/t.npz", "--pred", "moved/p.npz")
    assert (result.code, result.err) == (0, "")
    assert n_pictures(folder / "report.html") == 3
    (folder / "report.html").unlink()
    result = segmetry("report", "run.segm", "--true", "moved/p.npz", "--pred", "moved/p.npz")
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert "the input p.npz of true is new since the run started (and 1 more)" in result.err
    result = segmetry("report", "run.segm", "--true", "nowhere.npz", "--pred", "moved/p.npz")
    assert (result.code, result.err) == (2, "segmetry: nowhere.npz: no such file or folder\n")
    assert not (folder / "report.html").exists()
