"""A folder of receipts becomes a table: ranks under resampling, groups that cannot be told apart, who was left out."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.comparison import is_certain
from segmetry.errors import InputError
from segmetry.receipts.ranked_folder import rank_interval
from tests.cli.running import Runner


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    true = {f"i{at:02}": np.kron(rng.integers(0, 4, (5, 5)), np.ones((4, 4), int)) for at in range(24)}
    for name, share in {"best": 0.05, "good": 0.2, "fair": 0.21, "poor": 0.5}.items():
        pred = {
            item: np.where(rng.random(labels.shape) < share, 0, np.where(labels, labels + 10, 0))
            for item, labels in true.items()
        }
        sm.evaluate(true, pred, metrics="pq,sq", out=tmp_path / f"{name}.segm").close()
        sm.seal(tmp_path / f"{name}.segm")
    return tmp_path


def test_ranks_groups_and_intervals(folder: Path) -> None:
    board = sm.leaderboard(folder)
    assert list(board.groups) == ["best", "good", "fair", "poor"] or list(board.groups) == [
        "best",
        "fair",
        "good",
        "poor",
    ]
    assert set(board.groups["good"]) & set(board.groups["fair"])
    assert not set(board.groups["best"]) & set(board.groups["poor"])
    for first, second in combinations(board.groups, 2):
        row = next(
            row
            for row in board.comparison.differences
            if {row.first, row.second} == {first, second} and row.average == "by_item" and row.level == "data set"
        )
        shared = set(board.groups[first].split()) & set(board.groups[second].split())
        assert bool(shared) is not is_certain(board.comparison, row)
    assert {name: sm.verify(folder / f"{name}.segm").digest for name in board.groups} == board.digests


def test_a_changed_receipt_another_truth_and_a_copy_are_left_out(folder: Path, segmetry: Runner) -> None:
    with closing(sqlite3.connect(folder / "good.segm", isolation_level=None)) as connection:
        connection.execute(
            "UPDATE fact SET value = replace(value, 'pq/by_item\": 0.', 'pq/by_item\": 0.9') WHERE name = 'receipt'"
        )
    (folder / "copy.segm").write_bytes((folder / "best.segm").read_bytes())
    (folder / "broken.segm").write_text("no run file")
    other = {f"i{at:02}": [[1, 1, 2]] for at in range(24)}
    sm.evaluate(other, other, metrics="pq", out=folder / "other.segm").close()
    sm.seal(folder / "other.segm")
    board = sm.leaderboard(folder)
    assert list(board.groups) == ["best", "fair", "poor"]
    assert board.left_out == {
        "broken": "not a run file: it is not an SQLite database (file is not a database)",
        "copy": "the same results as best",
        "good": "its receipt does not follow from its statistics (pq/by_item)",
        "other": "another truth, or other settings",
    }
    page = folder / "board.html"
    shown = segmetry("leaderboard", folder, "--like", folder / "fair.segm", "--html", page)
    assert shown.code == 0 and "left out: good" in shown.out
    assert max(map(len, shown.lines)) <= 80
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text and "http" not in text and all(name in text for name in board.groups)


def test_a_name_is_text_in_the_page(folder: Path) -> None:
    (folder / "best.segm").rename(folder / "<img src=x>.segm")
    page = sm.leaderboard(folder).html("<b>")
    assert "<img" not in page and "<b>" not in page


def test_an_empty_folder_and_a_single_run_are_errors(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no run file \(\*.segm\)"):
        sm.leaderboard(tmp_path / "empty")
    for name in ("good", "fair", "poor"):
        (folder / f"{name}.segm").unlink()
    with pytest.raises(InputError, match="1 receipts to compare"):
        sm.leaderboard(folder)


def test_rank_intervals_hold_their_share() -> None:
    """Against adding up: the ranks below and above the interval have at most half of the rest each."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        shares = rng.dirichlet(np.full(6, 0.4))
        low, high = rank_interval(list(shares), 0.9)
        assert shares[: low - 1].sum() <= 0.05 + 1e-12 and shares[high:].sum() <= 0.05 + 1e-12
        assert shares[:low].sum() > 0.05 - 1e-12 and shares[high - 1 :].sum() > 0.05 - 1e-12


def test_the_example_of_rank_interval() -> None:
    assert (rank_interval([0.01, 0.9, 0.09], 0.95), rank_interval([1.0, 0.0], 0.95)) == ((2, 3), (1, 1))
