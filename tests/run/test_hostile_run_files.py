"""Run files made to do harm: endless SQL, values of other types, deep JSON, expressions without end."""

# ruff: noqa: S608 - fixed names

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import FormatError, InputError, SegmetryError
from segmetry.evaluation import loaders_of
from segmetry.readers.reader import Isolation

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    labels = {name: sm.LabelArray([[1, 1, 2]], classes={1: "car", 2: "tree"}) for name in ("a", "b")}
    sm.evaluate(labels, labels, out=tmp_path / "run.segm", metrics="pq,covering,hausdorff").close()
    return tmp_path / "run.segm"


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement)


def ask(path: Path) -> None:
    with sm.Run.open(path) as run:
        run.summary(partial=True)
        run.items()
        run.content_digest()


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TABLE class_name", f"CREATE VIEW class_name AS {ENDLESS} SELECT x AS class, 'a' AS name FROM n"),
        ("ALTER TABLE fact RENAME TO kept", f"CREATE VIEW fact AS {ENDLESS} SELECT x AS name, 'a' AS value FROM n"),
        (f"CREATE VIEW more AS {ENDLESS} SELECT x FROM n",),
        ("CREATE INDEX evil ON item (upper(name))",),
        ("CREATE TRIGGER evil AFTER INSERT ON item BEGIN SELECT 1; END",),
        ("ALTER TABLE item ADD COLUMN more AS (hex(zeroblob(100000000)))",),
    ],
)
def test_nothing_that_the_file_defines_is_run(path: Path, statements: tuple[str, ...]) -> None:
    change(path, *statements)
    program = f"import segmetry as sm; sm.Run.open({str(path)!r})"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "is not as it should be" in ended.stderr


def test_columns_of_another_expression_with_the_same_names_and_types(path: Path) -> None:
    """Names, types and keys alone were compared: a generated column runs its expression for every row."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'class_name'").fetchone()
        connection.execute("DROP TABLE class_name")
        connection.execute(sql.replace("name  TEXT NOT NULL", "name  TEXT NOT NULL CHECK (length(name) < 10)"))
    with pytest.raises(FormatError, match="the table class_name is not as it should be"):
        sm.Run.open(path)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("rule", "é"),
        ("rule", "greedy(at_least=é)"),
        ("also", ["é"]),
        ("policy", "é"),
        ("metrics", ["é"]),
        ("metrics", []),
        ("classes", "é"),
        ("background", "é"),
        ("average", "é"),
        ("groups", {"é": ["a"]}),
        ("options", {"average_precision": {"thresholds": ["é"]}}),
    ],
    ids=str,
)
def test_an_error_about_a_setting_names_the_file(tmp_path: Path, setting: str, value: object) -> None:
    """Whatever is asked of a run whose settings name something unknown, the error says in which file."""
    masks = {"a": sm.Masks.from_dense(np.ones((1, 2, 2), bool), scores=[0.5])}
    sm.evaluate(masks, masks, out=tmp_path / "run.segm", metrics="pq,average_precision").close()
    change(
        tmp_path / "run.segm",
        f"UPDATE fact SET value = json_set(value, '$.{setting}', json('{json.dumps(value)}')) WHERE name = 'settings'",
    )
    for question in (sm.Run.summary, sm.Run.items, sm.Run.scalars, lambda run: run.rescore("theta_and").summary()):
        if (setting, question) == ("groups", sm.Run.items):
            continue  # items are not divided by groups
        with pytest.raises(SegmetryError) as raised:
            question(sm.Run.open(tmp_path / "run.segm"))
        assert str(raised.value).startswith(f"{tmp_path / 'run.segm'}: ")


def test_comments_of_the_schema_may_differ(path: Path) -> None:
    change(path, "PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = replace(sql, '-- a ', '-- one ')")
    ask(path)


def test_a_reader_does_nothing_but_read(path: Path) -> None:
    with sm.Run.open(path) as run:
        for statement in ("ATTACH '/tmp/x' AS x", "SELECT load_extension('x')", f"{ENDLESS} SELECT x FROM n LIMIT 1"):
            with pytest.raises(sqlite3.DatabaseError, match=r"not authorized|prohibited"):
                run._connection.execute(statement)


@pytest.mark.parametrize("table", ["fact", "item", "score", "input"])
@pytest.mark.parametrize("value", ["x'6161'", "9e999", "NULL", "1.5"])
def test_every_value_has_the_type_of_its_column(path: Path, table: str, value: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    for _, column, kind, is_required, _, is_key in columns:
        copy = Path(shutil.copy(path, path.with_name(f"{column}.segm")))
        try:
            change(copy, f"UPDATE {table} SET {column} = {value}")
        except sqlite3.Error:
            continue  # SQLite keeps it out itself
        with closing(sqlite3.connect(copy)) as connection:
            (found,) = connection.execute(f"SELECT DISTINCT typeof({column}) FROM {table}").fetchone() or (None,)
        if found in (kind.lower(), None) or (found == "null" and not (is_required or is_key)):
            continue
        with pytest.raises(FormatError, match="corrupt run file"):
            ask(copy)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE item SET n_elements = -5",
        "UPDATE item SET n_elements = 9e999",
        "UPDATE item SET void_void = -1",
        "UPDATE item SET axes = -1",
        "UPDATE item SET n_elements = NULL",
        "UPDATE score SET numerator = '1e999', denominator = '1'",
        "UPDATE score SET details = '[1]'",
        "UPDATE score SET details = '{\"k\": 1e999}'",
        "UPDATE score SET details = printf('%.*c', 100000, '[')",
        "UPDATE fact SET value = printf('%.*c', 100000, '[') WHERE name = 'settings'",
        "UPDATE input SET sha256 = CAST(x'ff80' AS TEXT)",
    ],
)
def test_values_that_nothing_can_have(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(FormatError, match="run") as problem:
        ask(path)
    assert str(path) in str(problem.value)
    assert len(str(problem.value)) < 2000


@pytest.mark.parametrize(
    "setting",
    [
        {"metrics": [[1]]},
        {"metrics": [7]},
        {"also": [{}]},
        {"rule": None},
        {"rule": 7},
        {"policy": []},
        {"undefined": "x"},
        {"groups": {"a": [[1]]}},
        {"groups": []},
        {"options": {"pq": 7}},
        {"options": 7},
        {"reading": [[1, 2]]},
        {"protocol": 7},
        {"more": 7},
    ],
)
def test_every_setting_has_its_type(path: Path, setting: dict[str, Any]) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        (text,) = connection.execute("SELECT value FROM fact WHERE name = 'settings'").fetchone()
        changed = json.dumps({**json.loads(text), **setting})
        connection.execute("UPDATE fact SET value = ? WHERE name = 'settings'", (changed,))
    with pytest.raises(FormatError, match=r"run\.segm: corrupt run file: its settings cannot be read"):
        sm.Run.open(path)


@pytest.mark.parametrize("pairing", [{"pair": ["(a+)+$", "(a+)+$"]}, {"strip": ["*a" * 30 + "b"]}])
@pytest.mark.parametrize("in_folders", [True, False])
def test_no_expression_of_the_file_runs_without_end(tmp_path: Path, pairing: dict[str, Any], in_folders: bool) -> None:
    name = "a" * 60 + "!"
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / f"{name}.npy", np.array([[1, 2]]))
        (tmp_path / f"{side}.json").write_text(json.dumps({name: [1, 2], "b": [3]}))
    sides = [tmp_path / (side if in_folders else f"{side}.json") for side in ("true", "pred")]
    sm.evaluate(*sides, out=tmp_path / "run.segm", pairing={"strip": ["_x"]}).close()
    with closing(sqlite3.connect(tmp_path / "run.segm")) as connection, connection:
        (text,) = connection.execute("SELECT value FROM fact WHERE name = 'settings'").fetchone()
        settings = json.loads(text)
        settings["reading"]["pairing"] = pairing
        connection.execute("UPDATE fact SET value = ? WHERE name = 'settings'", (json.dumps(settings),))
    with sm.Run.open(tmp_path / "run.segm") as run:
        if in_folders:
            assert set(loaders_of(run)) == {name}
        else:
            with pytest.raises(InputError, match="may take without end"):
                loaders_of(run)


def test_an_expression_of_the_file_that_is_searched_in_text_gets_the_time_of_a_child_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side in ("true", "pred"):
        (tmp_path / f"{side}.txt").write_text("line\n!\n" + "a" * 40 + "!\n")
    options: dict[str, Any] = {"format": "text", "read": {"separator": "!"}}
    sm.evaluate(tmp_path / "true.txt", tmp_path / "pred.txt", out=tmp_path / "run.segm", **options).close()
    with closing(sqlite3.connect(tmp_path / "run.segm")) as connection, connection:
        connection.execute("UPDATE fact SET value = replace(value, '\"!\"', '\"(a+)+\"')")
    monkeypatch.setattr(Isolation, "seconds_for", lambda *_: 2.0)
    with sm.Run.open(tmp_path / "run.segm") as run:
        assert run.settings.reading["separator"] == "(a+)+"
        with pytest.raises(InputError, match=r"2 s"):
            loaders_of(run)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE item SET true_disjoint = 0", "item a: the true segments overlap and class 'car'"),
        ("UPDATE item SET has_classes = name = 'a'", "item 'a' was scored by class"),
        ("DELETE FROM collected WHERE name = 'area'", "corrupt run file: the collected column 'area' is missing"),
        ("DELETE FROM collected WHERE name = 'area' AND item = 1", "damaged run file: "),
        ("DELETE FROM score WHERE key = 'hausdorff'", "'hausdorff' was not computed; found pq"),
    ],
)
def test_an_error_in_the_numbers_of_a_run_names_the_file(statement: str, words: str, tmp_path: Path) -> None:
    masks = sm.Masks.from_dense(np.eye(3, dtype=bool)[:, None], scores=[0.9, 0.5, 0.1], classes=["car", "car", "tree"])
    path, sides = tmp_path / "run.segm", dict.fromkeys(("a", "b"), masks)
    sm.evaluate(sides, sides, out=path, metrics="pq,mean_iou,hausdorff,average_precision").close()
    change(path, statement)
    with sm.Run.open(path) as run, pytest.raises(SegmetryError) as raised:
        _ = run.summary(), run.value("hausdorff")
    assert str(raised.value).startswith(f"{path}: {words}")


def test_scores_without_some_of_their_details_are_not_added_up(path: Path) -> None:
    change(path, "UPDATE score SET details = json_remove(details, '$.spurious') WHERE item = 1")
    ask(path)
