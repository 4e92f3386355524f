"""Files that are no run files, or were: one clear error each."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import segmetry as sm
from segmetry.errors import FormatError, SegmetryError
from segmetry.run.run import Run
from segmetry.runfile.schema import VERSION


@pytest.fixture
def path(tmp_path: Path) -> Path:
    labels = {
        f"item {at}": sm.LabelArray([[1, 1, 2, at]], classes=dict.fromkeys(range(60), "car")) for at in range(1, 40)
    }
    sm.evaluate(labels, labels, out=tmp_path / "run.segm", metrics="pq,covering").close()
    return tmp_path / "run.segm"


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_a_missing_file_a_folder_and_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.segm").touch()
    for name, words in (("absent.segm", "no such file"), (".", "a folder"), ("empty.segm", "an empty file")):
        with pytest.raises(FormatError, match=words):
            Run.open(tmp_path / name)


def test_something_else_than_a_database(tmp_path: Path) -> None:
    (tmp_path / "run.segm").write_bytes(b"\x89PNG\r\n\x1a\n" * 2000)
    with pytest.raises(FormatError, match="not a run file: it is not an SQLite database"):
        Run.open(tmp_path / "run.segm")


def test_the_database_of_somebody_else(tmp_path: Path) -> None:
    change(tmp_path / "run.segm", "CREATE TABLE item (item)")
    with pytest.raises(FormatError, match="an SQLite database, but not a run file of segmetry"):
        Run.open(tmp_path / "run.segm")


def test_a_newer_schema(path: Path) -> None:
    change(path, f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(
        FormatError, match=f"schema version {VERSION + 1}; this segmetry reads up to {VERSION}: upgrade"
    ):
        Run.open(path)


@pytest.mark.parametrize("statement", ["DROP TABLE score", "ALTER TABLE counts RENAME COLUMN sizes TO areas"])
def test_tables_that_are_not_as_they_should_be(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(FormatError, match=r"corrupt run file: the table .*(score|counts)"):
        Run.open(path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE item SET status = 'pending' WHERE item = 3",
        "UPDATE counts SET sizes = x'010101010101010101010101010101010101' WHERE item = 3",
        "UPDATE counts SET sizes = CAST(sizes AS TEXT) WHERE item = 3",
        "UPDATE counts SET sizes = zeroblob(7) WHERE item = 3",
        "UPDATE counts SET ids = CAST(ids || x'07' AS BLOB) WHERE item = 3",
        "UPDATE counts SET ids = x'' WHERE item = 3",
        "UPDATE counts SET classes = x'' WHERE item = 3",
        "UPDATE counts SET crowds = x'070000000000' WHERE item = 3",
        "UPDATE counts SET overlaps = zeroblob(length(overlaps)) WHERE item = 3",
        "UPDATE counts SET overlaps = x'000902010101020201' WHERE item = 3",
        "UPDATE counts SET n_true = 99 WHERE item = 3",
        "UPDATE counts SET n_pred = -1 WHERE item = 3",
        "UPDATE counts SET n_true = 4611686018427387904, n_pred = 4611686018427387904 WHERE item = 3",
        "UPDATE counts SET n_true = 4611686018427387904, ids = x'', sizes = x'', classes = x'' WHERE item = 3",
        "UPDATE counts SET n_overlaps = 6148914691236517206, overlaps = x'0000' WHERE item = 3",
        "UPDATE counts SET n_overlaps = 'many' WHERE item = 3",
        "UPDATE counts SET unsigned = 'both' WHERE item = 3",
        "UPDATE counts SET class_list = '[' WHERE item = 3",
        "UPDATE counts SET class_list = printf('%.*c', 100000, '[') WHERE item = 3",
        "UPDATE counts SET class_list = '[]' WHERE item = 3",
        "UPDATE counts SET class_list = '[null]' WHERE item = 3",
        "DELETE FROM counts WHERE item = 3",
        "UPDATE fact SET value = '{}' WHERE name = 'settings'",
        "UPDATE score SET details = '{' WHERE item = 3",
        "DELETE FROM fact",
    ],
)
def test_rows_that_contradict_each_other(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(FormatError, match="corrupt run file"):
        Run.open(path).summary(partial=True)


def test_a_truncated_file_is_rejected(path: Path, tmp_path: Path) -> None:
    whole, broken = path.read_bytes(), tmp_path / "broken.segm"
    for cut in range(0, len(whole), 1999):
        broken.write_bytes(whole[:cut])
        with pytest.raises(SegmetryError):
            Run.open(broken).summary()


@pytest.mark.slow
def test_an_overwritten_file_never_gives_another_exception(path: Path, tmp_path: Path) -> None:
    whole, broken, refused = path.read_bytes(), tmp_path / "broken.segm", 0
    for place in range(0, len(whole), 397):
        broken.write_bytes(whole[:place] + b"\xff" * 16 + whole[place + 16 :])
        try:
            with Run.open(broken) as run:
                run.summary()
                run.items()
        except SegmetryError:
            refused += 1
    assert refused > 10


def test_a_run_file_is_one_plain_file(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "copy.segm")
    assert [found.name for found in sorted(tmp_path.iterdir())] == ["copy.segm", "run.segm"]
    assert Run.open(tmp_path / "copy.segm").content_digest() == Run.open(path).content_digest()
