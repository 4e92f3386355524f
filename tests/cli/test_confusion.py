"""``--confusion`` and ``--table confusion``: which classes are taken for which."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import Runner


@pytest.fixture
def pair(tmp_path: Path) -> list[str]:
    true = np.array([[1, 1, 1, 1, 2, 2, 3, 3]])
    pred = np.array([[1, 1, 1, 2, 2, 2, 3, 1]])
    for name, labels in (
        ("t", true),
        ("p", pred),
        ("many", np.arange(1, 31)[None]),
        ("turned", np.arange(30, 0, -1)[None]),
    ):
        np.save(tmp_path / f"{name}.npy", labels)
    return [str(tmp_path / f"{name}.npy") for name in ("t", "p", "many", "turned")]


def test_a_small_matrix_is_printed_whole(pair: list[str], segmetry: Runner) -> None:
    lines = segmetry("score", *pair[:2], "--labels", "classes", "--metrics", "mean_iou", "--confusion").lines
    at = next(at for at, line in enumerate(lines) if line.startswith("confusion matrix"))
    assert [line.split() for line in lines[at + 3 : at + 8] if line.strip("─ ")] == [
        ["1", "75.0", "25.0", "0.0", "4"],
        ["2", "0.0", "100.0", "0.0", "2"],
        ["3", "50.0", "0.0", "50.0", "2"],
        ["all", "50.0", "37.5", "12.5", "8"],
    ]


def test_of_a_large_matrix_the_largest_cells_are_printed(pair: list[str], segmetry: Runner) -> None:
    out = segmetry("score", *pair[2:], "--labels", "classes", "--metrics", "mean_iou", "--confusion").out
    assert "largest confusions of 30 classes" in out and "--table confusion --csv FILE" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_matrix_goes_to_files_and_needs_no_inputs(pair: list[str], segmetry: Runner, tmp_path: Path) -> None:
    run = str(tmp_path / "run.segm")
    assert segmetry("score", *pair[:2], "--labels", "classes", "-o", run).code == 0
    out = segmetry("export", run, "--table", "confusion", "--csv", "-").out
    assert out.splitlines() == ["true_class,1,2,3", "1,3,1,0", "2,0,2,0", "3,1,0,1"]
