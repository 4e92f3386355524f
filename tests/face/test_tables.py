"""Tables of results: rows as dictionaries, and data frames that keep every digit of an id."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import MissingExtraError, UnknownNameError
from segmetry.results.records import as_csv, as_parquet

BIG = 2**60 + 1
HUGE = 2**64 - 1
PRECISE = [BIG, BIG + 1, BIG + 2]
"""Ids that are one float."""

assert len({float(number) for number in PRECISE}) == 1


def _segments(*ids: int, classes: dict[int, Any] | None = None) -> sm.Table:
    """One matched, one missed and one spurious segment with these ids."""
    first, missed, spurious = ids
    dtype = np.uint64
    true = sm.LabelArray(np.array([[first, first, missed, 0]], dtype), classes=classes)
    pred = sm.LabelArray(np.array([[first, first, 0, spurious]], dtype), classes=classes)
    return sm.evaluate({"a": true}, {"a": pred}, metrics="pq").segments()


def test_a_table_is_a_sequence_of_dictionaries():
    table = _segments(1, 2, 3)
    assert len(table) == 3
    assert [row["outcome"] for row in table] == table["outcome"] == ["matched", "missed", "spurious"]
    assert table[-1]["true_id"] is None
    assert table[1:] == list(table)[1:]
    assert table == list(table)
    assert table != list(table)[1:]
    assert repr(table).startswith("Table(segments: 3 rows of item, outcome, true_id")
    assert "\n" not in repr(table)
    assert str(table).splitlines()[3].startswith("a    matched")
    with pytest.raises(UnknownNameError, match="no column 'iuo'; found item, outcome"):
        table["iuo"]


def test_types_of_columns():
    types = _segments(1, 2, 3).types
    assert {types[name] for name in ("true_id", "pred_id", "nearest_id", "true_size", "shared")} == {"integer"}
    assert (types["iou"], types["outcome"], types["small"]) == ("number", "text", "flag")
    assert sm.Table("x", [{"a": 2**64}, {"a": 1}]).types["a"] == "text"
    assert sm.Table("x", [{"a": -1}, {"a": 2**63}]).types["a"] == "text"
    assert sm.Table("x", [{"a": True}, {"a": 1}]).types["a"] == "text"


def test_empty_tables_have_their_columns():
    run = sm.evaluate({"a": [[0]]}, {"a": [[0]]}, metrics="pq")
    assert len(run.segments()) == 0
    assert "true_id" in run.segments().columns
    assert len(run.classes()) == 0


def test_a_summary_has_its_class_names_and_files(tmp_path: Path):
    np.save(tmp_path / "t.npy", np.array([[1, 1, 2]]))
    run = sm.evaluate(tmp_path / "t.npy", tmp_path / "t.npy", metrics="pq")
    row = run.items()[0]
    assert (row["true_file"], row["unit"], row["n_elements"]) == (str(tmp_path / "t.npy"), "pixels", 3)
    assert run.segments()[0]["pred_file"] == str(tmp_path / "t.npy")
    named = sm.evaluate({"a": sm.LabelArray([[1]], classes={1: 7})}, {"a": sm.LabelArray([[1]], classes={1: 7})})
    assert "class_name" not in named.summary().rows().columns


@pytest.mark.parametrize(("package", "extra"), [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "parquet")])
def test_a_missing_package_is_named_with_its_extra(package: str, extra: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, package, None)
    table = _segments(1, 2, 3)
    convert = {"pandas": table.to_pandas, "polars": table.to_polars, "pyarrow": table.to_arrow}[package]
    with pytest.raises(MissingExtraError, match=rf"pip install 'segmetry\[{extra}\]'"):
        convert()


@pytest.mark.parametrize("ids", [PRECISE, [HUGE, HUGE - 1, HUGE - 2]])
def test_arrow_keeps_ids(ids: list[int]):
    pa = pytest.importorskip("pyarrow")
    table = _segments(*ids)
    for arrow in (table.to_arrow(), pa.table(table)):
        assert arrow["true_id"].to_pylist() == table["true_id"] == [ids[0], ids[1], None]
        assert arrow["pred_id"].to_pylist() == table["pred_id"]
        assert str(arrow["true_id"].type) == ("int64" if ids == PRECISE else "uint64")
    summary = sm.evaluate({"a": [[1]]}, {"a": [[1]]}, metrics="pq").summary()
    assert pa.table(summary).to_pylist() == summary.to_arrow().to_pylist() == list(summary.rows())


@pytest.mark.peers
@pytest.mark.parametrize(("ids", "dtype"), [(PRECISE, "Int64"), ([HUGE, HUGE - 1, HUGE - 2], "UInt64")])
def test_data_frames_keep_ids(ids: list[int], dtype: str):
    import pandas as pd
    import polars as pl

    table = _segments(*ids)
    frame = table.to_pandas()
    assert str(table.to_arrow().to_pandas()["true_id"].dtype) == dtype
    assert (str(frame["true_id"].dtype), str(frame["small"].dtype), str(frame["iou"].dtype)) == (
        dtype,
        "boolean",
        "float64",
    )
    assert [None if value is pd.NA else value for value in frame["pred_id"]] == table["pred_id"]
    assert list(frame.columns) == list(table.columns)
    assert frame["outcome"].tolist() == table["outcome"]
    for other in (table.to_polars(), pl.DataFrame(table)):
        assert other["pred_id"].to_list() == table["pred_id"]
        assert str(other["pred_id"].dtype) == dtype
        assert other["nearest_iou"].dtype == pl.Float64
    empty = sm.evaluate({"a": [[0]]}, {"a": [[0]]}, metrics="pq").segments()
    assert str(empty.to_pandas()["true_id"].dtype) == "Int64"
    assert empty.to_polars()["true_id"].dtype == pl.Int64
    summary = sm.evaluate({"a": [[1]]}, {"a": [[1]]}, metrics="pq").summary()
    assert summary.to_pandas()["key"].tolist() == summary.to_polars()["key"].to_list() == ["pq", "pq"]


@pytest.mark.peers
@pytest.mark.parametrize("ids", [PRECISE, [HUGE, HUGE - 1, HUGE - 2]])
def test_plain_readers_of_csv_and_parquet_keep_ids(ids: list[int], tmp_path: Path):
    import pandas as pd
    import polars as pl

    table = _segments(*ids, classes=dict.fromkeys(ids, BIG))
    (tmp_path / "t.csv").write_text(as_csv(table))
    (tmp_path / "t.parquet").write_bytes(as_parquet(table))
    for name in ("true_id", "pred_id", "nearest_id", "true_class", "true_size"):
        missing = 0 if name.endswith("_size") else -1
        expected = [missing if value is None else value for value in table[name]]
        assert [int(value) for value in pd.read_csv(tmp_path / "t.csv")[name]] == expected
        assert pl.read_csv(tmp_path / "t.csv")[name].to_list() == expected
        assert pl.read_parquet(tmp_path / "t.parquet")[name].to_list() == table[name]
        kept = pd.read_parquet(tmp_path / "t.parquet")[name]
        assert [None if value is pd.NA else value for value in kept] == table[name]
    plain = pd.read_csv(io.StringIO(as_csv(_segments(*PRECISE))))
    assert str(plain["true_id"].dtype) == str(plain["pred_id"].dtype) == "int64"
