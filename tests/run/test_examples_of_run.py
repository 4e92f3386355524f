"""Small examples of internal functions in run/."""

from __future__ import annotations

import math

import numpy as np

from segmetry.metrics.batches.partition_formula import ScoreColumn
from segmetry.metrics.score import Score
from segmetry.run.collected_columns import rescored_options
from segmetry.run.run import distance_unit
from segmetry.run.score_rows import DEFINED, ScoreRows, column_of_rows, rows_of_column, score_of_row, score_row
from segmetry.run.settings import Settings


def test_the_example_of_rescored_options() -> None:
    assert rescored_options({}, {"ap": {"thresholds": ["0.3"]}}) == {"average_precision": {"thresholds": ["0.3"]}}


def test_the_example_of_distance_unit() -> None:
    assert distance_unit({"hausdorff": Score.number("hausdorff", 2, unit="mm"), "pq": Score.number("pq", 1)}) == {
        "distance_unit": "mm"
    }


def test_the_example_of_score_row() -> None:
    assert score_row(Score.of("recall", 1, 4)) == (0.25, None, "1", "4", None)


def test_the_example_of_score_of_row() -> None:
    assert score_of_row("recall", score_row(Score.of("recall", 1, 4))).to_dict() == Score.of("recall", 1, 4).to_dict()


def test_the_example_of_rows_of_column() -> None:
    column = ScoreColumn(np.array([0.5, math.nan]), np.array([DEFINED, 0]), ("no element",))
    assert rows_of_column(column).rows() == [(0.5, None, None, None, None), (None, "no element", None, None, None)]


def test_the_example_of_column_of_rows() -> None:
    rows = ScoreRows.of([(0.25, None, "1", "4", None), (None, "0/0", "0", "0", None)])
    assert repr(column_of_rows(rows).scores("recall")) == "[Score(recall: 0.25), Score(recall: undefined, 0/0)]"


def test_the_example_of_settings_of() -> None:
    assert Settings.of(rule="iou(above=0.75)", metrics="pq,sq").rule == "iou(above=3/4)"
