"""The queries that the documentation shows for DuckDB, run by DuckDB on exported tables."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

import segmetry as sm
from segmetry.cli.main import main
from tests.run.test_documented_schema import DUCKDB, path

__all__ = ["path"]
EXPORTS = [line for line in DUCKDB.splitlines() if line.startswith("segmetry export ")]
BY_CLASS, BY_GAIN = re.findall(r"```sql\n(.*?)```", DUCKDB, flags=re.DOTALL)


@pytest.fixture
def connection(path: Path, monkeypatch: pytest.MonkeyPatch) -> duckdb.DuckDBPyConnection:
    monkeypatch.chdir(path.parent)
    for line in EXPORTS:
        assert main(line.split()[1:]) == 0
    return duckdb.connect()


def test_classes_and_outcomes(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    found = connection.execute(BY_CLASS).fetchall()
    with sm.Run.open(path) as run:
        rows = run.segments()
    expected = {}
    for row in rows:
        key = row["true_class"] or row["pred_class"], row["outcome"]
        expected.setdefault(key, []).append(row["iou"])
    assert {(name, outcome): count for name, outcome, count, _ in found} == {
        key: len(values) for key, values in expected.items()
    }
    for name, outcome, _, mean in found:
        values = [value for value in expected[name, outcome] if value is not None]
        assert mean == (pytest.approx(sum(values) / len(values)) if values else None)


def test_gain(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    found = connection.execute(BY_GAIN).fetchall()
    with sm.Run.open(path) as run:
        plus = {row["item"]: row["pq"] for row in run.items()}
        gains = {row["item"]: row["pq"] - plus[row["item"]] for row in run.rescore("theta_and").items()}
    assert found == sorted(gains.items(), key=lambda one: (-one[1], one[0]))[:10]
