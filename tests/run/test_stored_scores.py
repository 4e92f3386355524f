"""Stored scores read as columns give what the same scores give one by one."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segmetry as sm
from segmetry.metrics.score import Score
from segmetry.run.run import Run
from segmetry.run.stored_scores import StoredScores
from segmetry.run.values import column_of_rows, score_of_row, score_row

numbers = st.one_of(st.integers(0, 9), st.integers(2**62, 2**70), st.floats(0, 9), st.fractions(0, 9))
scores = st.one_of(
    st.builds(lambda top, bottom: Score.of("mean_best_iou", top, bottom), numbers, st.integers(0, 5)),
    st.floats(-9, 9).map(lambda value: Score.number("mean_best_iou", value)),
    st.just(Score.undefined("mean_best_iou", "nothing here")),
)


@given(st.lists(scores, min_size=1, max_size=8))
def test_a_column_has_the_scores_of_its_rows(expected: list[Score]) -> None:
    rows = [score_row(score) for score in expected]
    column = column_of_rows("mean_best_iou", rows)
    assert column is not None
    for score, row in zip(column.scores(), rows, strict=True):
        stored = score_of_row("mean_best_iou", row)
        assert isinstance(stored, Score)
        assert score.as_dict() == stored.as_dict()
        assert [type(part) for part in (score.numerator, score.denominator)] == [
            type(part) for part in (stored.numerator, stored.denominator)
        ]


@pytest.mark.parametrize(
    "row",
    [None, (0.5, None, "1", "2", '{"unit": "mm"}'), (0.5, None, "one", "2", None), (0.5, None, "1", None, None)],
    ids=["missing", "details", "unreadable", "half"],
)
def test_what_is_no_plain_number_is_read_one_by_one(row: Any) -> None:
    assert column_of_rows("mean_best_iou", [score_row(Score.of("mean_best_iou", Fraction(1, 3), 2)), row]) is None


def _written(path: Path) -> Path:
    rng = np.random.default_rng(4)
    sides = [{str(at): rng.integers(0, 4, (4, 6)) * (at > 0) for at in range(7)} for _ in range(2)]
    sm.evaluate(*sides, metrics="panoptic,regions", engine="serial", out=path)
    return path


def test_columns_and_objects_summarise_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _written(tmp_path / "run.segm")

    def results() -> list[Any]:
        with Run.open(path) as run:
            intervals = run.intervals(resamples=100).rows()
            return [run.summary().as_dict(), run.items(), intervals, run.scalars(), bool(run._score_columns)]

    at_once = results()
    assert at_once[-1]
    monkeypatch.setattr(StoredScores, "columns", lambda *_: {})
    one_by_one = results()
    assert repr(at_once[:2]) == repr(one_by_one[:2])
    assert at_once[3].keys() == one_by_one[3].keys()
    for row, expected in zip(at_once[2], one_by_one[2], strict=True):
        for name, value in expected.items():
            same = row[name] == value or (isinstance(value, float) and math.isclose(row[name], value, rel_tol=1e-12))
            assert same, (row, expected)
