"""``--by`` and ``--columns``: parts in the terminal, in tables and in JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import Runner


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
    for at in range(4):
        labels = np.kron(rng.integers(0, 5, (4, 4)), np.ones((2, 2), dtype=int))
        np.save(tmp_path / "true" / f"{at}.npy", labels)
        np.save(tmp_path / "pred" / f"{at}.npy", np.where(rng.random(labels.shape) < 0.9, labels, 0))
    rows = "".join(f"{at},{('liver', 'skin')[at % 2]}\n" for at in range(4))
    (tmp_path / "slides.csv").write_text(f"item,tissue\n{rows}")
    return tmp_path


def test_parts_are_printed_and_written(folder: Path, segmetry: Runner) -> None:
    sides = folder / "true", folder / "pred"
    columns = "--columns", folder / "slides.csv"
    shown = segmetry("score", *sides, "--by", "size:10", "--by", "tissue", *columns, "-o", folder / "run.segm")
    assert shown.code == 0 and "by size" in shown.out and "by tissue" in shown.out
    assert [line.split()[0] for line in shown.out.splitlines() if line.startswith(("liver", "skin"))] == [
        "liver",
        "skin",
    ]
    assert all(len(line) <= 80 for line in shown.out.splitlines() if str(folder) not in line)
    stored = segmetry("export", folder / "run.segm", "--table", "parts", "--by", "tissue", *columns)
    rows = list(csv.DictReader(io.StringIO(stored.out)))
    assert [(row["tissue"], row["items"]) for row in rows] == [("liver", "2"), ("skin", "2")]
    data = json.loads(segmetry("score", *sides, "--by", "tissue", *columns, "--json", "-").out)
    assert [row["pq"] for row in data["by_part"]["tissue"]] == [float(row["pq"]) for row in rows]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--by", "tissue"], "give it a CSV file with the columns item and tissue"),
        (["--by", "size", "--columns", "slides.csv"], "--by names none of them; add --by COLUMN"),
        (["--by", "size:1,x"], "expected integers such as size:100,1000"),
        (["--table", "parts", "--csv", "-"], "--table parts writes the parts of one --by COLUMN, but there are 0"),
        (["--by", "size", "--shard", "1/2", "-o", "r.segm"], "and --by needs the whole run; merge the parts first"),
    ],
)
def test_what_has_no_effect_is_rejected(arguments: list[str], words: str, folder: Path, segmetry: Runner) -> None:
    result = segmetry("score", folder / "true", folder / "pred", *arguments)
    assert result.code == 2 and words in result.err and result.err.count("\n") == 1


def test_parts_that_are_not_written_are_rejected(folder: Path, segmetry: Runner) -> None:
    run = folder / "run.segm"
    assert segmetry("score", folder / "true", folder / "pred", "-o", run).code == 0
    result = segmetry("export", run, "--by", "size")
    assert result.code == 2 and "--by names parts, but none is written; add --table parts" in result.err
    assert segmetry("export", run, "--by", "size", "--table", "parts").code == 0
