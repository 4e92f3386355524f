"""The documentation names every table and column, and its queries give the numbers of the library."""

from __future__ import annotations

import csv
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.run.schema import SCHEMA, VERSION

PAGE = Path(__file__).parents[2] / "docs" / "run-file.md"
SQLITE, DUCKDB = PAGE.read_text(encoding="utf-8").split("## Queries with DuckDB")
QUERIES = re.findall(r"```sql\n(.*?)```", SQLITE, flags=re.DOTALL)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    numbers = np.random.default_rng(2)
    classes = {1: "car", 2: "car", 3: "sky", 4: "sky"}

    rows = [np.repeat(numbers.integers(0, 5, 8), 5)[None] for _ in range(9)]
    true, pred = (
        {f"item {at}": sm.LabelArray(np.roll(row, by * at % 4), classes=classes) for at, row in enumerate(rows)}
        for by in (0, 1)
    )
    pred["item 8"] = sm.LabelArray(np.where(np.arange(40) < 20, 3, 0)[None], classes=classes)
    true["item 8"] = sm.LabelArray(np.where(np.arange(40) < 15, 1, 4)[None], classes=classes)
    true["item 7"] = sm.LabelArray(np.where(np.arange(40) < 15, 1, 4)[None], classes=classes)
    pred["item 7"] = sm.LabelArray(np.where(np.arange(40) < 15, 2, 0)[None], classes=classes)
    sm.evaluate(true, pred, out=tmp_path / "run.segm", metrics="pq").close()
    return tmp_path / "run.segm"


def test_every_table_and_column_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert f"the version of the schema, currently {VERSION}" in page
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE sql IS NOT NULL")]
        columns = {row[1] for name in names for row in connection.execute(f"PRAGMA table_info({name})")}
    assert [name for name in sorted({*names, *columns}) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.split("\n")[0])
def test_the_queries_run(path: Path, query: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(query).fetchall()


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.split("\n")[0])
def test_the_shell_prints_what_python_fetches(path: Path, query: str) -> None:
    shell = shutil.which("sqlite3")
    if shell is None:  # not part of Python; the queries themselves are tried above
        return
    result = subprocess.run(
        [shell, "-readonly", "-csv", str(path), query], capture_output=True, text=True, check=True, timeout=60
    )
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(query).fetchall()
    assert result.stderr == ""
    assert [row[0] for row in csv.reader(result.stdout.splitlines())] == [str(row[0]) for row in rows]


def test_confused_classes_have_their_names(path: Path) -> None:
    by_class, by_name = (query for query in QUERIES if "true_class <> pred_class" in query)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(by_name).fetchall() == connection.execute(by_class).fetchall()
        connection.execute("INSERT INTO class_name VALUES ('car', 'a car'), ('sky', 'the sky')")
        called = {"car": "a car", "sky": "the sky"}
        expected = [(called[t], called[p], n) for t, p, n in connection.execute(by_class).fetchall()]
        assert connection.execute(by_name).fetchall() == expected


def test_the_query_for_pq_gives_pq(path: Path) -> None:
    query = next(query for query in QUERIES if "AS pq" in query)
    with closing(sqlite3.connect(path)) as connection, sm.Run.open(path) as run:
        values = dict(connection.execute(query).fetchall())
        expected = {row["item"]: row["pq"] for row in run.rescore("theta_plus", average="segments").items()}
    assert values == pytest.approx(expected)
    assert len(set(values.values())) > 2
