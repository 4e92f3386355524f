"""Packed counts: what is read is what was written, and SQL sees the same rows as the library."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segmetry as sm
from segmetry.errors import FormatError
from segmetry.evaluation.commit_groups import IN_A_ROW, LONGEST, CommitGroups
from segmetry.overlaps.line_tables import LineTables
from segmetry.run.counts.fixed_width import read, width_of, widths_of, written, written_parts
from segmetry.run.counts.packed_item import BLOCK, packed_lines, packed_rows
from segmetry.run.run import Run
from tests.profiles import examples
from tests.run.earlier_file import make_earlier

NUMBERS = [st.integers(0, 2**31), st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1)]


@examples(1)
@given(st.one_of([st.lists(numbers, max_size=8) for numbers in NUMBERS]))
def test_numbers_are_read_as_they_were_written(numbers: list[int]) -> None:
    kind = np.uint64 if max(numbers, default=0) >= 2**63 else np.int64
    width = width_of(*numbers)
    text = written(np.array(numbers, dtype=kind), width)
    assert len(text) == width * len(numbers)
    assert [int(text[at : at + width]) for at in range(0, len(text), width)] == numbers
    assert read(text, width).tolist() == numbers


@examples(1)
@given(st.lists(st.lists(st.one_of(NUMBERS[:2]), max_size=3), max_size=5))
def test_parts_are_written_together_as_each_alone(parts: list[list[int]]) -> None:
    together = np.array([number for part in parts for number in part], dtype=np.int64)
    counts = np.array([len(part) for part in parts], dtype=np.int64)
    widths = widths_of(together, counts)
    assert widths.tolist() == [width_of(*part) for part in parts]
    texts = [written(np.array(part, dtype=np.int64), width_of(*part)) for part in parts]
    assert written_parts(together, counts, widths) == texts


@pytest.mark.parametrize(
    ("text", "width"), [(b"12x", 1), (b"1-2", 3), (b"123", 2), (b"", 0), (b"9" * 20, 20), (b"12", 21)]
)
def test_anything_else_is_refused(text: bytes, width: int) -> None:
    with pytest.raises(ValueError, match="not numbers of"):
        read(text, width)


def data() -> tuple[dict[str, Any], dict[str, Any]]:
    """Items of all sorts: large and negative ids, classes of any type, crowds, nothing, more than one block."""
    numbers = np.random.default_rng(5)
    many = np.arange(3 * BLOCK).reshape(3, -1)
    large = np.array([[2**63 + 5, 2**63 + 5, 7]], np.uint64)
    true: dict[str, Any] = {
        "integer classes": sm.LabelArray([[1, 1, 2, 0]], classes={1: 3, 2: -4}),
        "any classes": sm.LabelArray(large, classes={2**63 + 5: "x", 7: 2}, crowd=7),
        "negative": sm.LabelArray([[-5, 3, 3]], allow_negative=True, classes={-5: 1.5, 3: "x"}),
        "nothing": sm.LabelArray([[0, 0]], classes={}),
        "many": sm.LabelArray(many, outside=None, classes=dict.fromkeys(range(3 * BLOCK), 8)),
    }
    pred: dict[str, Any] = {
        "integer classes": sm.LabelArray([[5, 1, 1, 9]], classes={1: 3, 5: -4, 9: 2**40}),
        "any classes": sm.LabelArray([[9, 7, 7]], classes={9: "y", 7: 2}),
        "negative": sm.LabelArray([[3, 3, 4]], classes={3: "x", 4: 2}, void=4),
        "nothing": sm.LabelArray([[0, 0]], classes={}),
        "many": sm.LabelArray(
            numbers.permutation(many.ravel() // 2).reshape(many.shape), classes=dict.fromkeys(range(3 * BLOCK), 8)
        ),
    }
    return true, pred


@pytest.fixture
def path(tmp_path: Path) -> Path:
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
def test_items_are_packed_together_as_each_alone(left_out: tuple[str, ...]) -> None:
    true, pred = data()
    tables = [(at, sm.overlap(true[name], pred[name])) for at, name in enumerate(true, 1) if name not in left_out]
    assert list(packed_rows(tables)) == [row for table in tables for row in packed_rows([table])]


@pytest.mark.parametrize("most", [3, BLOCK + 2])
def test_lines_are_packed_as_their_tables(most: int) -> None:
    true = [sm.Spans.from_masses([2] * n) for n in (1, most, 2)] + [sm.Spans([], [], 5), sm.Spans([1], [2], 3)]
    pred = [sm.Spans.from_masses([1, 2 * n - 1]) for n in (1, most, 2)] + [sm.Spans([0], [4], 5), sm.Spans([], [], 3)]
    tables = [(at, sm.overlap(*line)) for at, line in enumerate(zip(true, pred, strict=True), 7)]
    assert list(packed_lines(range(7, 12), LineTables.of(true, pred))) == list(packed_rows(tables))


def test_a_file_of_an_earlier_version_gives_the_same_and_is_not_continued(path: Path, tmp_path: Path) -> None:
    with Run.open(path) as run:
        expected = run.content_digest(), run.results_digest(), run.truth_digests(), run.summary().as_dict()
    make_earlier(path, 2)
    with Run.open(path) as run:
        assert (run.content_digest(), run.results_digest(), run.truth_digests(), run.summary().as_dict()) == expected
    for attempt in (
        lambda: sm.evaluate(*data(), metrics="pq", policy="none", out=path, resume=True),
        lambda: sm.merge_runs([path], tmp_path / "merged.segm"),
    ):
        with pytest.raises(FormatError, match="schema version 2, which this segmetry reads but does not write"):
            attempt()


def test_the_views_have_the_rows_of_the_library(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, Run.open(path) as run:
        for at, (name, table) in enumerate(run.tables(), 1):
            pairs = connection.execute(
                "SELECT true_id, pred_id, shared, missed, spurious FROM pair WHERE item = ?", (name,)
            )
            expected = zip(table.true_id, table.pred_id, table.shared, table.missed, table.spurious, strict=True)
            assert [tuple(map(int, row)) for row in pairs] == [tuple(map(int, row)) for row in expected]
            for word, side in (("true", table.true), ("pred", table.pred)):
                query = "SELECT id, size, outside, void FROM segment WHERE item = ? AND side = ? ORDER BY position"
                columns = zip(side.ids, side.sizes, side.outside, side.void, strict=True)
                found = connection.execute(query, (at, word)).fetchall()
                assert [tuple(map(int, row)) for row in found] == [tuple(map(int, row)) for row in columns]


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
