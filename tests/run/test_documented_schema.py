"""The documentation has every table and column, and its queries give the numbers of the library."""

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
from docs._run_file import schema_table
from segmetry.runfile.schema import SCHEMA, VERSION

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
    sm.evaluate(true, pred, out=tmp_path / "run.segm", metrics="pq,covering").close()
    return tmp_path / "run.segm"


def test_every_table_and_column_is_documented() -> None:
    assert f"the version of the schema, currently {VERSION}" in PAGE.read_text(encoding="utf-8")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE sql IS NOT NULL")]
        expected = [
            (name, column)
            for name in names
            for column in [None, *(row[1] for row in connection.execute(f"PRAGMA table_info({name})"))]
        ]
    table, found = "", []
    for row in schema_table(SCHEMA).splitlines()[2:]:
        cells = [cell.strip(" `") for cell in row.split("|")[1:4]]
        table = cells[0] or table
        found.append((table, cells[1] or None))
        assert cells[2], f"{cells} says nothing"
    assert found == expected


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


def test_the_counts_are_those_of_the_library(path: Path) -> None:
    query = next(query for query in QUERIES if "n_true" in query)
    with closing(sqlite3.connect(path)) as connection, sm.Run.open(path) as run:
        found = {name: tuple(counts) for name, *counts in connection.execute(query).fetchall()}
        assert found == {name: (len(table.true), len(table.pred), len(table)) for name, table in run.tables()}
