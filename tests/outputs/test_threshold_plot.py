"""The plot of scores at thresholds: one line per metric, one dot per threshold, of a score, several, or a data set."""

from __future__ import annotations

import pytest

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.metrics.score import Score
from segmetry.outputs.plots.threshold_plot import _score_points

PAIR = [[1, 1, 1, 2, 0]], [[1, 1, 2, 2, 3]]


def test_one_dot_per_threshold() -> None:
    picture = sm.threshold_plot(sm.segment_f1(*PAIR, thresholds=(0.3, 0.5, 0.7)))
    assert picture.svg.count("<circle") == 3
    assert "segment_f1 at IoU 0.5: 0.8000" in picture.svg


def test_a_data_set_has_all_its_metrics() -> None:
    run = sm.evaluate({"a": PAIR[0], "b": PAIR[0]}, {"a": PAIR[1], "b": PAIR[0]}, protocol="stardist", engine="serial")
    pooled = sm.threshold_plot(run.summary())
    assert pooled.svg.count("<circle") == 7 * 9
    by_image = sm.threshold_plot(run.summary(), average="by_item", title="mean over images")
    assert by_image.title == "mean over images" and by_image.svg != pooled.svg


def test_scores_without_thresholds_are_rejected() -> None:
    with pytest.raises(OptionError, match="no score has values at thresholds"):
        sm.threshold_plot(sm.pq(*PAIR))


def test_the_example_of_score_points() -> None:
    assert _score_points(Score.of("f1", 1, 2, thresholds={"3/4": 0.25, "0.5": 0.75})) == [(0.5, 0.75), (0.75, 0.25)]
