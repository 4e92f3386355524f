"""Counts in a run file: what is read is what was written, in however many rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import FormatError
from segmetry.evaluation.evaluate_items import IN_A_ROW, LONGEST, CommitGroups
from segmetry.overlaps.line_tables import count_lines
from segmetry.run.run import Run
from segmetry.runfile import counts
from segmetry.runfile.counts import _narrow_columns, _read_columns, rows_of_items, table_rows
from tests.profiles import examples

MANY = 1024
NUMBERS = st.sampled_from([1, 7, 8, 15, 16, 31, 32, 63]).flatmap(lambda bits: st.integers(-(2**bits), 2**bits - 1))


@examples(1)
@given(st.lists(st.tuples(st.lists(NUMBERS, max_size=4), st.lists(NUMBERS, max_size=2)), min_size=1, max_size=5))
def test_numbers_are_read_as_they_were_written(rows: list[tuple[list[int], list[int]]]) -> None:
    columns = [[row[at] for row in rows] for at in (0, 1)]
    numbers = np.array([number for column in columns for part in column for number in part], dtype=np.int64)
    sizes = [np.array([len(part) for part in column]) for column in columns]
    blobs = _narrow_columns(numbers, sizes)
    for column, parts in zip(blobs, columns, strict=True):
        for blob, part in zip(column, parts, strict=True):
            bits = max((1 + max(number, ~number).bit_length() for number in part), default=8)
            width = len(blob) // max(len(part), 1)
            assert not part or width == min(w for w in (1, 2, 4, 8) if 8 * w >= bits)
            assert [
                int.from_bytes(blob[at : at + width], "little", signed=True) for at in range(0, len(blob), width or 1)
            ] == part
    assert [column.tolist() for column in _read_columns(blobs, sizes)] == [
        [number for part in column for number in part] for column in columns
    ]


@pytest.mark.parametrize("length", [0, 1, 2, 5, 7, 9, 27])
def test_a_blob_of_another_length_is_corrupt(length: int) -> None:
    with pytest.raises(FormatError, match="cut off"):
        _read_columns([[b"x" * length]], [np.array([3])])


def data() -> tuple[dict[str, Any], dict[str, Any]]:
    """Items of all sorts: large and negative ids, classes of any type, crowds, nothing, many segments."""
    numbers = np.random.default_rng(5)
    many = np.arange(3 * MANY).reshape(3, -1)
    large = np.array([[2**63 + 5, 2**63 + 5, 7]], np.uint64)
    true: dict[str, Any] = {
        "integer classes": sm.LabelArray([[1, 1, 2, 0]], classes={1: 3, 2: -4}),
        "any classes": sm.LabelArray(large, classes={2**63 + 5: "x", 7: 2}, crowd=7),
        "negative": sm.LabelArray([[-5, 3, 3]], allow_negative=True, classes={-5: 1.5, 3: "x"}),
        "nothing": sm.LabelArray([[0, 0]], classes={}),
        "many": sm.LabelArray(many, outside=None, classes=dict.fromkeys(range(3 * MANY), 8)),
    }
    pred: dict[str, Any] = {
        "integer classes": sm.LabelArray([[5, 1, 1, 9]], classes={1: 3, 5: -4, 9: 2**40}),
        "any classes": sm.LabelArray([[9, 7, 7]], classes={9: "y", 7: 2}),
        "negative": sm.LabelArray([[3, 3, 4]], classes={3: "x", 4: 2}, void=4),
        "nothing": sm.LabelArray([[0, 0]], classes={}),
        "many": sm.LabelArray(
            numbers.permutation(many.ravel() // 2).reshape(many.shape), classes=dict.fromkeys(range(3 * MANY), 8)
        ),
    }
    return true, pred


@pytest.fixture(params=[counts.MOST_IN_A_ROW, MANY])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(counts, "MOST_IN_A_ROW", request.param)
    sm.evaluate(*data(), metrics="pq", policy="none", out=tmp_path / "run.segm", engine="serial").close()
    return tmp_path / "run.segm"


def test_tables_are_those_that_were_counted(path: Path) -> None:
    true, pred = data()
    with Run.open(path) as run:
        for name, table in run.tables():
            counted = sm.overlap(true[name], pred[name])
            assert (table.true, table.pred, table.class_names) == (counted.true, counted.pred, counted.class_names)
            for column in ("row_true", "row_pred", "shared"):
                assert getattr(table, column).tolist() == getattr(counted, column).tolist()


@pytest.mark.parametrize("left_out", [(), ("any classes",)])
def test_items_are_written_together_as_each_alone(left_out: tuple[str, ...]) -> None:
    true, pred = data()
    tables = [(at, sm.overlap(true[name], pred[name])) for at, name in enumerate(true, 1) if name not in left_out]
    assert list(table_rows(tables)) == [row for table in tables for row in table_rows([table])]


@pytest.mark.parametrize("most", [3, MANY + 2])
def test_lines_are_written_as_their_tables(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MOST_IN_A_ROW", MANY)
    true = [sm.Spans.from_masses([2] * n) for n in (1, most, 2)] + [sm.Spans([], [], 5), sm.Spans([1], [2], 3)]
    pred = [sm.Spans.from_masses([1, 2 * n - 1]) for n in (1, most, 2)] + [sm.Spans([0], [4], 5), sm.Spans([], [], 3)]
    tables = [(at, sm.overlap(*line)) for at, line in enumerate(zip(true, pred, strict=True), 7)]
    assert list(
        rows_of_items(range(7, 12), count_lines(sm.SpanLines.of(true), sm.SpanLines.of(pred), has_classes=False))
    ) == list(table_rows(tables))


def test_items_that_took_long_are_committed_at_once() -> None:
    """Results of many workers may arrive together after hours: they are not lost because they came quickly."""
    now = 0.0
    groups = CommitGroups(clock=lambda: now)
    for _ in range(3):
        now += 3600.0
        assert all(groups.is_due() for _ in range(IN_A_ROW))
    due = []
    for _ in range(1000):
        now += LONGEST / 100
        due.append(groups.is_due())
    assert sum(due) <= 11
    now += 1.0
    assert groups.is_due()
