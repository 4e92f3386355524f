"""``--table``, ``--csv``, ``--parquet`` and ``segmetry export``: rows that go straight into a data frame."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.options.table_files import number_style, output_table
from segmetry.diagnosis.error_tables import segments_with_errors
from segmetry.results.number_format import NumberStyle
from segmetry.results.records import Table, as_parquet
from tests.cli.running import Runner

pq = pytest.importorskip("pyarrow.parquet")
CLASSES = {1: "car", 2: "-sky", 3: "car"}


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    numbers = np.random.default_rng(3)
    sides: list[dict[str, Any]] = [
        {f"={at}": sm.LabelArray(numbers.integers(0, 4, (5, 5)), classes=CLASSES) for at in range(4)} for _ in "tp"
    ]
    path = tmp_path / "run.segm"
    sm.evaluate(*sides, metrics="pq,sq,n_matched,rand_index", out=path)
    return path


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("table", ["items", "classes", "segments", "summary"])
def test_csv_and_parquet_hold_the_rows_of_python(table: str, run_file: Path, segmetry: Runner, tmp_path: Path) -> None:
    target = tmp_path / "table.parquet"
    result = segmetry("export", run_file, "--table", table, "--csv", "-", "--parquet", target)
    assert (result.code, result.err) == (0, "")
    with sm.Run.open(run_file) as run:
        makers = {"summary": lambda: run.summary().rows(), "segments": lambda: segments_with_errors(run)}
        rows = makers.get(table, getattr(run, table))()
    kept = pq.read_table(target)
    assert kept.schema.metadata[b"segmetry"].decode() == sm.__version__
    assert [{key: value for key, value in row.items() if key != "rule"} for row in kept.to_pylist()] == rows
    assert kept.column_names[1] == "rule" and set(kept["rule"].to_pylist()) == {"theta_plus"}
    cells = read_csv(result.out)
    assert len(cells) == len(rows)
    for row, cell in zip(rows, cells, strict=True):
        for name, value in row.items():
            missing = {"id": -1, "size": 0}.get(name.rpartition("_")[2], "")
            is_formula = isinstance(value, str) and value[:1] in "=+-@"
            assert cell[name] == (f"'{value}" if is_formula else str(missing if value is None else value))


def test_a_run_is_exported_under_several_rules(run_file: Path, segmetry: Runner, tmp_path: Path) -> None:
    result = segmetry("export", run_file, "--rule", "theta_plus", "--rule", "iou(above=0.75)")
    rows = read_csv(result.out)
    assert [row["rule"] for row in rows] == ["theta_plus"] * 4 + ["iou(above=3/4)"] * 4
    with sm.Run.open(run_file) as run:
        expected = [*run.rescore("theta_plus").items(), *run.rescore("iou(above=0.75)").items()]
    assert [row["pq"] for row in rows] == [str(row["pq"]) for row in expected]
    segmetry("export", run_file, "--json", tmp_path / "all.json", "--rule", "theta_plus")
    assert list(json.loads((tmp_path / "all.json").read_text())["rules"]) == ["theta_plus"]


def test_score_writes_the_same_tables(segmetry: Runner, tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.array([[1, 1, 2]]))
    np.save(tmp_path / "p.npy", np.array([[1, 1, 3]]))
    call = ("score", tmp_path / "t.npy", tmp_path / "p.npy", "--metrics", "pq", "--rule", "theta_and")
    segmetry(*call, "--table", "segments", "--parquet", tmp_path / "s.parquet", "--csv", tmp_path / "s.csv")
    rows = pq.read_table(tmp_path / "s.parquet").to_pylist()
    assert [(row["true_id"], row["pred_id"], row["outcome"]) for row in rows] == [(1, 1, "matched"), (2, 3, "matched")]
    assert len(read_csv((tmp_path / "s.csv").read_text())) == 2


def test_columns_have_one_type_whatever_they_hold() -> None:
    big = 2**64 - 1
    rows = [
        {"id": 1, "large": big, "class": 3, "class_2": None, "pq": None, "flag": True, "x": 1},
        {"id": None, "large": 2, "class": "3", "class_2": None, "pq": None, "flag": None, "x": 0.5},
        {"id": -1, "large": None, "class": None, "class_2": None, "pq": None, "flag": False, "x": None},
    ]
    table = pq.read_table(io.BytesIO(as_parquet(Table("x", rows, {"pq": "number"}))))
    types = ["int64", "uint64", "string", "string", "double", "bool", "double"]
    assert [str(field.type) for field in table.schema] == types
    assert table["large"].to_pylist() == [big, 2, None] and table["class"].to_pylist() == ["3", "3", None]


def test_mistakes_are_reported_before_any_work(
    run_file: Path, segmetry: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "bytes to standard output" in segmetry.refused("export", run_file, "--parquet", "-")
    assert "there is no folder" in segmetry.refused("export", run_file, "--parquet", "no/such/t.parquet")
    assert "no such file" in segmetry.refused("export", tmp_path / "absent.segm")
    assert "there is no policy 'x'" in segmetry.refused("export", run_file, "--policy", "x")
    np.save(tmp_path / "a.npy", np.array([[1, 1]]))
    np.save(tmp_path / "b.npy", np.array([[1, 1]]))
    plain = ("score", tmp_path / "a.npy", tmp_path / "b.npy")
    assert "carry no classes" in segmetry.refused(*plain, "--table", "classes", "--csv", "-")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setattr("segmetry.cli.commands.score.evaluate", lambda *_, **__: pytest.fail("the files were read"))
    assert "pip install 'segmetry[parquet]'" in segmetry.refused(*plain, "--parquet", tmp_path / "a.parquet")


def test_metrics_that_need_the_inputs_are_named(segmetry: Runner, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[1, 1], [1, 2]]))
    run = tmp_path / "run.segm"
    segmetry("score", tmp_path / "a.npy", tmp_path / "a.npy", "--metrics", "pq,boundary_iou", "--out", run)
    result = segmetry("export", run, "--rule", "iou(above=0.6)")
    assert "boundary_iou cannot be computed without the inputs under iou(above=3/5)" in result.err
    assert "boundary_iou" not in result.lines[0]


def test_the_columns_of_parquet_have_one_type_whether_they_hold_a_value_or_not() -> None:
    """Files of several runs go into one data frame; a column of nulls must not become text."""
    true = [[1, 1, 2, 2, 2]]
    first, *others = (
        pq.read_schema(io.BytesIO(as_parquet(sm.evaluate({"a": true}, {"a": pred}, metrics="pq").segments())))
        for pred in (true, [[0, 0, 0, 0, 0]], [[3, 0, 0, 3, 0]])
    )
    assert all(schema.equals(first, check_metadata=True) for schema in others)


@pytest.mark.parametrize(
    ("metrics", "columns"),
    [("pq,f1", "class pq"), ("f1,recall", "class recall f1"), ("rand_index", None), ("hoover_index", None)],
)
def test_the_table_of_classes_has_columns_or_is_left_out(
    metrics: str, columns: str | None, segmetry: Runner, tmp_path: Path
) -> None:
    from tests.readers.data_sets import DATA_SETS

    path = DATA_SETS["coco-instances"].write(tmp_path)
    lines = [" ".join(line.split()) for line in segmetry("score", path, path, "--by-class", "--metrics", metrics).lines]
    assert (columns in lines) if columns else not any(line.startswith(("class", "by class")) for line in lines)


def test_shapes_of_matched_pairs_are_read_from_the_inputs_again(segmetry: Runner, tmp_path: Path) -> None:
    for name, labels in (("t", [[1, 1, 1, 0]]), ("p", [[1, 1, 0, 0]])):
        np.save(tmp_path / f"{name}.npy", np.array(labels))
    files = tmp_path / "t.npy", tmp_path / "p.npy"
    tolerance = "--metrics", "pq,surface_dice", "--option", "surface_dice.tolerance=1"
    written = segmetry("score", *files, *tolerance, "-o", tmp_path / "run.segm", "--table", "shapes", "--csv", "-")
    (row, other) = read_csv(written.out)
    assert (row["rule"], other["rule"]) == ("theta_plus", "theta_and")
    assert [float(row[name]) for name in ("dice", "hausdorff", "true_volume", "surface_dice")] == [0.8, 1, 3, 1]
    assert read_csv(segmetry("export", tmp_path / "run.segm", "--table", "shapes").out) == [row]
    files[1].unlink()
    assert "p.npy" in segmetry.refused("export", tmp_path / "run.segm", "--table", "shapes")


def test_the_example_of_output_table() -> None:
    import segmetry as sm

    run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq,n_matched", rule="theta_and")
    assert output_table([run], "items")[0] == {
        "item": "a",
        "rule": "theta_and",
        "n_elements": 3,
        "unit": "pixels",
        "pq": 0.0,
        "n_matched": 0.0,
    }


def test_the_example_of_number_style() -> None:
    assert number_style({"percent": True}) == NumberStyle(decimals=2, percent=True)
