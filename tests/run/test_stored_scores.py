"""Stored scores read as columns give what the same scores give one by one."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Score
from segmetry.metrics.score_aggregation import column_statistics
from segmetry.run.run import Run
from segmetry.run.score_rows import ScoreRows, column_of_rows, rows_of_column, score_of_row, score_row
from segmetry.run.settings import Settings
from segmetry.run.stored_scores import StoredScores

numbers = st.one_of(st.integers(0, 9), st.integers(2**62, 2**70), st.floats(0, 9), st.fractions(0, 9))
scores = st.one_of(
    st.builds(lambda top, bottom: Score.of("mean_best_iou", top, bottom), numbers, st.integers(0, 5)),
    st.floats(-9, 9).map(lambda value: Score.number("mean_best_iou", value)),
    st.just(Score.undefined("mean_best_iou", "nothing here")),
)


def parts(score: Score) -> tuple[Any, ...]:
    """Everything in a score, with the types of its numbers."""
    numbers = (score.numerator, score.denominator, *score.details.values())
    return repr(score.to_dict()), [type(number) for number in numbers]


@given(st.lists(scores, min_size=1, max_size=8), st.sampled_from([(), ("k",), ("k", "missed")]), st.data())
def test_a_column_has_the_scores_of_its_rows(found: list[Score], names: tuple[str, ...], data: st.DataObject) -> None:
    integers = st.integers(-9, 2**63 - 1)
    expected = [replace(score, details={name: data.draw(integers) for name in names}) for score in found]
    rows = [score_row(score) for score in expected]
    column = column_of_rows(ScoreRows.of(rows))
    assert column is not None
    stored = [score_of_row("mean_best_iou", row) for row in rows]
    assert list(map(parts, column.scores("mean_best_iou"))) == list(map(parts, stored))  # type: ignore[arg-type]
    assert rows_of_column(column).rows() == rows
    tops, bottoms = (column_statistics(column).columns[name].tolist() for name in ("numerator", "denominator"))
    assert sum(tops) == sum(score.numerator or 0 for score in stored if isinstance(score, Score))
    assert sum(bottoms) == sum(score.denominator or 0 for score in stored if isinstance(score, Score))


@pytest.mark.parametrize(
    "row",
    [
        (0.5, None, "1/3", "2", '{"unit": "mm"}'),
        (0.5, None, "1/3", "2", '{"share": 0.5}'),
        (0.5, None, "1/3", "2", '{"k": 2'),
        (0.5, None, "one", "2", None),
        (0.5, None, "1/0", "2", None),
        (0.5, None, "", "2", None),
        (0.5, None, b"1", "2", None),
        (0.5, None, "1", None, None),
    ],
)
def test_what_is_no_plain_number_is_read_one_by_one(row: Any) -> None:
    rows = [score_row(Score.of("mean_best_iou", Fraction(1, 3), 2)), row]
    assert column_of_rows(ScoreRows.of(rows)) is None


def test_scores_that_some_items_lack_are_read_one_by_one() -> None:
    rows = [("a", "aji", "", *score_row(Score.of("aji", 1, 2))), ("b", "pk", "", *score_row(Score.of("pk", 1, 3, k=2)))]
    stored = StoredScores.of(rows, Settings.of(metrics="aji,pk"))
    assert stored.statistics([METRICS["aji"]], stored.settings, ["a", "b"]) == {}
    assert stored.statistics([METRICS["aji"]], stored.settings, ["a"])["aji"].total("value") == 0.5
    assert {item: list(scores) for item, scores in stored.by_item.items()} == {"a": [("aji", "")], "b": [("pk", "")]}


def _written(path: Path) -> Path:
    rng = np.random.default_rng(4)
    sides = [{str(at): rng.integers(0, 4, (4, 6)) * (at > 0) for at in range(7)} for _ in range(2)]
    sm.evaluate(*sides, metrics="panoptic,regions", engine="serial", out=path)
    return path


def _lines(path: Path) -> Path:
    rng = np.random.default_rng(4)
    sides = [{str(at): sm.Spans.from_masses(rng.integers(1, 5, 6 * (at > 0)))} for at in range(7) for _ in range(2)]
    true, pred = ({name: side for sides_of in sides[at::2] for name, side in sides_of.items()} for at in (0, 1))
    n = {name: max(true[name].n, pred[name].n) for name in true}
    true, pred = ({name: side.with_length(n[name]) for name, side in sides.items()} for sides in (true, pred))
    sm.evaluate(true, pred, metrics="windows,boundaries", engine="serial", out=path)
    return path


@pytest.mark.parametrize("write", [_written, _lines])
def test_columns_and_objects_summarise_alike(
    write: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "run.segm")

    def results() -> list[Any]:
        with Run.open(path) as run:
            intervals = run.intervals(resamples=100).rows()
            return [run.summary().to_dict(), run.items(), intervals, run.scalars(), bool(run._scores_together)]

    at_once = results()
    assert at_once[-1]
    monkeypatch.setattr(StoredScores, "statistics", lambda *_: {})
    one_by_one = results()
    assert repr(at_once[:2]) == repr(one_by_one[:2])
    assert at_once[3].keys() == one_by_one[3].keys()
    for row, expected in zip(at_once[2], one_by_one[2], strict=True):
        for name, value in expected.items():
            same = row[name] == value or (isinstance(value, float) and math.isclose(row[name], value, rel_tol=1e-12))
            assert same, (row, expected)


def test_fractions_of_many_denominators_take_little_memory() -> None:
    """Their common denominator has as many digits as there are items."""
    rows = [score_row(Score.of("covering", Fraction(1, 10**5 + at), 1, annotators=1)) for at in range(3000)]
    tracemalloc.start()
    try:
        column = column_of_rows(ScoreRows.of(rows))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert column is not None and column.unit is None
    assert rows_of_column(column).rows() == rows
    assert most < 10_000_000
