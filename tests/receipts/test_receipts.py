"""A receipt states what follows from a run file; a change of any statistic, value or input is found."""

# ruff: noqa: S608 - fixed names

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError, OptionError, SegmetryError
from segmetry.receipts.receipt import SCHEMAS, Receipt
from segmetry.receipts.receipt_checks import _are_equal
from tests.cli.running import Runner

STORED = ("item", "counts", "score", "collected", "input", "class_name")
PARTS_OF_NO_NUMBER = {("item", "item"), ("counts", "item"), ("score", "item"), ("collected", "item")}


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    rng = np.random.default_rng(7)
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
    for name in "abc":
        labels = np.kron(rng.integers(0, 3, (4, 4)), np.ones((3, 3), int))
        np.save(tmp_path / "true" / f"{name}.npy", labels)
        np.save(tmp_path / "pred" / f"{name}.npy", np.roll(np.where(labels, labels + 10, 0), 1, axis=1))
    return [str(tmp_path / "true"), str(tmp_path / "pred")]


@pytest.fixture
def path(tmp_path: Path, folders: list[str], segmetry: Runner) -> str:
    out = tmp_path / "run.segm"
    assert (
        segmetry(
            "score", *folders, "--metrics", "pq,dice,hausdorff,class_surface_dice", "--option", "tolerance=1", "-o", out
        ).code
        == 0
    )
    return str(out)


def changes(path: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield a statement for every byte of every stored value: a byte of a blob or a text, a number and its next."""
    with closing(sqlite3.connect(path)) as connection:
        for table in STORED:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for column in columns:
                if (table, column) in PARTS_OF_NO_NUMBER:
                    continue
                values = {row[0] for row in connection.execute(f"SELECT {column} FROM {table}")}
                for value in values - {None}:
                    for other in others(value):
                        statement = f"UPDATE {table} SET {column} = ? WHERE {column} = ?"
                        yield statement, (other, value)


def others(value: Any) -> Iterator[Any]:
    if isinstance(value, int | float):
        yield value + 1
        return
    content = value.encode() if isinstance(value, str) else value
    for at in range(len(content)):
        flipped = bytes([*content[:at], content[at] ^ 16, *content[at + 1 :]])
        yield flipped.decode("latin-1") if isinstance(value, str) else flipped


@pytest.mark.parametrize("step", [29, pytest.param(1, marks=pytest.mark.slow)])
def test_a_change_of_any_byte_of_a_statistic_is_found(path: str, tmp_path: Path, step: int) -> None:
    seen, copy = 0, tmp_path / "copy.segm"
    for statement, values in list(changes(path))[::step]:
        shutil.copy(path, copy)
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute(statement, values)
        try:
            changed = sm.verify(copy).changed
        except SegmetryError:
            changed = ["the file is rejected"]
        assert changed, (statement, values)
        seen += 1
    assert seen * step > 800


def test_a_sound_run_is_verified_with_and_without_its_inputs(path: str, folders: list[str]) -> None:
    alone, whole = sm.verify(path), sm.verify(path, true=folders[0], pred=folders[1])
    assert not alone.changed and not whole.changed
    assert {check.status for check in alone.checks if check.kind in ("input", "count")} == {"not checkable"}
    assert {check.status for check in whole.checks} == {"verified"}
    counted = [check for check in whole.checks if check.kind == "count"]
    assert [check.name for check in counted] == ["a", "b", "c"]


def test_a_sample_counts_some_items_again(path: str, folders: list[str]) -> None:
    checks = sm.verify(path, true=folders[0], pred=folders[1], sample=2).checks
    statuses = sorted(check.status for check in checks if check.kind == "count")
    assert statuses == ["not checkable", "verified", "verified"]
    with pytest.raises(OptionError, match="needs true= and pred="):
        sm.verify(path, sample=2)


def test_a_changed_input_is_named_with_its_item(path: str, folders: list[str]) -> None:
    changed = np.load(f"{folders[1]}/b.npy")
    changed[0, 0] = 9
    np.save(f"{folders[1]}/b.npy", changed)
    found = sm.verify(path, true=folders[0], pred=folders[1])
    assert [(check.kind, check.name) for check in found.changed] == [("input", "pred pred/b.npy"), ("count", "b")]


def test_statistics_forged_with_their_digests_are_contradicted_by_the_inputs(path: str, folders: list[str]) -> None:
    """Whoever computes the receipt again has a file that agrees with itself: only the inputs or a digest show it."""
    before = sm.verify(path).digest
    run = sm.evaluate(folders[0], folders[0], metrics="pq,dice,hausdorff")
    better = Path(path).with_name("better.segm")
    run.save(better)
    with closing(sqlite3.connect(path, isolation_level=None)) as forged:
        forged.execute("ATTACH ? AS other", (str(better),))
        for table in ("counts", "score", "collected", "item"):
            forged.execute(f"DELETE FROM main.{table}")
        for table in ("item", "counts", "score", "collected"):
            forged.execute(f"INSERT INTO main.{table} SELECT * FROM other.{table}")
    sm.seal(path)
    assert not sm.verify(path).changed
    assert sm.verify(path).digest != before
    assert {check.kind for check in sm.verify(path, true=folders[0], pred=folders[1]).changed} == {"count"}


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("values", {"pq/by_item": 0.99}, "value"),
        ("values", {"pq/by_item": 10**400}, "value"),
        ("interval", {"key": "pq", "average": "by_item", "low": 10**400, "high": []}, "interval"),
        ("interval", {"key": "pq"}, "interval"),
        ("items", ["0" * 64] * 3, "item"),
        ("frame", "0" * 64, "settings"),
        ("protocol", "nnunet", "receipt"),
        ("modified", ["rule"], "receipt"),
        ("decisions", {"metric": "dice"}, "receipt"),
    ],
)
def test_every_statement_of_a_receipt_is_checked(path: str, field: str, value: Any, kind: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (text,) = connection.execute("SELECT value FROM fact WHERE name = 'receipt'").fetchone()
        stated = json.dumps({**json.loads(text), field: value})
        connection.execute("UPDATE fact SET value = ? WHERE name = 'receipt'", (stated,))
    assert kind in {check.kind for check in sm.verify(path).changed}


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[" * 100_000, '{"version": 1}', '{"version": 2}', '{"version": 1, "values": {"pq": {}}, "items": [1]}',
     '{"version": 1, "values": {"pq": "1"}, "items": [], "modified": [], "segmetry": 1, "frame": "", "protocol": null}',
     '{"version": 1, "values": {}, "items": [], "modified": [], "segmetry": "", "frame": "", "protocol": {}}'],
)  # fmt: skip
def test_a_hostile_receipt_is_one_error(path: str, text: str, segmetry: Runner) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE fact SET value = ? WHERE name = 'receipt'", (text,))
    result = segmetry("verify", path)
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert "receipt" in result.err


def test_a_run_without_a_receipt_says_how_to_make_one(tmp_path: Path, folders: list[str], segmetry: Runner) -> None:
    sm.evaluate(*folders, metrics="pq", out=tmp_path / "plain.segm").close()
    with pytest.raises(InputError, match="segmetry verify RUN --seal"):
        sm.verify(tmp_path / "plain.segm")
    assert "receipt" in segmetry("verify", tmp_path / "plain.segm", "--seal").out


def test_a_receipt_changes_no_content(path: str, folders: list[str], tmp_path: Path) -> None:
    with sm.Run.open(path) as run:
        before = run.content_digest()
    sm.seal(path)
    with sm.Run.open(path) as run:
        assert run.content_digest() == before


def test_merged_parts_have_a_receipt_of_the_whole(folders: list[str], tmp_path: Path, segmetry: Runner) -> None:
    for part in (1, 2):
        segmetry("score", *folders, "--metrics", "pq", "--shard", f"{part}/2", "-o", tmp_path / f"{part}.segm")
    segmetry("merge", tmp_path / "1.segm", tmp_path / "2.segm", "-o", tmp_path / "all.segm")
    assert not sm.verify(tmp_path / "all.segm", true=folders[0], pred=folders[1]).changed


def test_the_command_exits_with_3_on_a_mismatch(path: str, folders: list[str], segmetry: Runner) -> None:
    assert "changed" in segmetry("verify", path, "--true", folders[0], "--pred", folders[1]).out
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE counts SET sizes = zeroblob(length(sizes)) WHERE item = 2")
    result = segmetry("verify", path, "--json", "-")
    assert result.code == 3
    data = json.loads(result.out)
    assert data["changed"] and {"kind": "item", "name": "b"}.items() <= data["checks"][3].items()


def test_schemas_describe_what_is_written(path: str, folders: list[str], segmetry: Runner) -> None:
    with sm.Run.open(path) as run:
        receipt = json.loads(run.facts["receipt"])
    summary = json.loads(segmetry("score", *folders, "--metrics", "pq", "--json", "-").out)
    for name, data in (("receipt", receipt), ("summary", summary)):
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(data, schema)
        assert data["version"] == schema["properties"]["version"]["const"]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**data, "version": "1"}, schema)


def test_the_example_of_receipt_of() -> None:
    import segmetry as sm

    run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq")
    receipt = Receipt.of(run)
    assert (receipt.values, Receipt.read(receipt.text) == receipt) == ({"pq/by_item": 1.0, "pq/pooled": 1.0}, True)


def test_the_example_of_are_equal() -> None:
    assert (_are_equal(0.1 + 0.2, 0.3), _are_equal(None, 0.0), _are_equal("percentile", "percentile")) == (
        True,
        False,
        True,
    )


def test_every_form_says_whose_numbers_it_has(folders: list[str], tmp_path: Path, segmetry: Runner) -> None:
    """JSON, CSV, Parquet's facts, LaTeX, Markdown, the report and trackers: one sentence, from one place."""
    forms = {form: tmp_path / f"scores.{form}" for form in ("csv", "latex", "markdown", "json")}
    options = [text for form, path in forms.items() for text in (f"--{form}", path)]
    out = tmp_path / "run.segm"
    segmetry(
        "score", *folders, "--protocol", "dsb2018", "--rule", "theta_and", "--table", "scores", *options, "-o", out
    )
    words = "as Kaggle 2018, the page of the competition (transcribed), but for rule"
    for form, path in forms.items():
        assert words in path.read_text(encoding="utf-8"), form
    assert rf"\footnotesize Numbers {words}." in forms["latex"].read_text(encoding="utf-8")
    told: dict[str, str] = {}

    class Tracker:
        set_tag = staticmethod(told.__setitem__)

        def log_metrics(self, values: dict[str, float], step: int | None = None) -> None:
            assert values and step is None

    with sm.Run.open(out) as run:
        run.log_to(Tracker())
        run.report(tmp_path / "report.html", maps="none")
        assert run.provenance()["reference"] == "Kaggle 2018, the page of the competition (transcribed)"
        assert run.provenance()["decisions"]["strict"] is True
    assert told == {"segmetry": words}
    assert words in (tmp_path / "report.html").read_text(encoding="utf-8")
