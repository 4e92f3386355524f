"""The documentation names every table and column, and its queries give the numbers of the library."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.run.schema import SCHEMA, VERSION

PAGE = Path(__file__).parents[2] / "docs" / "run-file.md"
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


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
    assert f"the version of the schema, now {VERSION}" in page
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE sql IS NOT NULL")]
        columns = {row[1] for name in names for row in connection.execute(f"PRAGMA table_info({name})")}
    assert [name for name in sorted({*names, *columns}) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.split("\n")[0])
def test_the_queries_run(path: Path, query: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(query).fetchall()


def test_the_query_for_pq_gives_pq(path: Path) -> None:
    query = next(query for query in QUERIES if "AS pq" in query)
    with closing(sqlite3.connect(path)) as connection, sm.Run.open(path) as run:
        found = dict(connection.execute(query).fetchall())
        expected = {row["item"]: row["pq"] for row in run.rescore("theta_plus").items()}
    assert found == pytest.approx(expected)
    assert len(set(found.values())) > 2
