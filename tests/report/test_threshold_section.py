"""The report of protocols of cells: the scores at their thresholds as a table and a plot."""

from __future__ import annotations

import base64
import re

import numpy as np
import pytest

import segmetry as sm
from segmetry.report.page import render
from segmetry.report.sections import html_table, plain, scores_at_thresholds
from segmetry.results.result_table import ResultTable
from tests.report.test_detection_section import section, table_after


def cells(protocol: str | None = None) -> sm.Run:
    labels = np.zeros((20, 24), dtype=np.int64)
    labels[2:8, 4:10], labels[10:17, 5:13] = 1, 2
    images = {"a": labels, "b": labels}, {"a": np.roll(labels, 1, 0), "b": np.roll(labels, 2, 1)}
    return sm.evaluate(*images, protocol=protocol)


@pytest.mark.parametrize(("protocol", "line"), [("stardist", "f1"), ("dsb2018", "segment_f1")])
def test_values_at_thresholds_are_those_of_the_run(protocol: str, line: str) -> None:
    run = cells(protocol)
    assert run.protocol is not None
    part = section(render([run], maps="none"), "thresholds")
    (picture,) = (base64.b64decode(text).decode() for text in re.findall(r'base64,([^"]+)"', part))
    score = run.summary().scores["segment_f1"].usual
    for threshold, value in score.details["thresholds"].items():
        assert f"{line} at IoU {float(threshold):g}: {value:.4f}" in picture
    table = run.protocol_table()
    assert table is not None
    assert len(table_after(part, "<table>")) == len(table.rows)


def test_cellpose_has_a_plot_and_other_runs_have_no_such_section() -> None:
    assert (
        "accuracy at IoU"
        in base64.b64decode(
            re.findall(r'base64,([^"]+)"', section(render([cells("cellpose")], maps="none"), "thresholds"))[0]
        ).decode()
    )
    for run in (cells(), cells("neurips-cellseg")):
        assert '<section id="thresholds"' not in render([run], maps="none")


def test_the_example_of_plain() -> None:
    assert plain("<i>\udc80") == "&lt;i&gt;?"


def test_the_example_of_html_table() -> None:
    assert (
        html_table(ResultTable("", ("class", "AP"), [("<b>", "0.5")]))
        == "<table><thead><tr><th>class</th><th>AP</th></tr></thead>"
        "<tbody><tr><th>&lt;b&gt;</th><td>0.5</td></tr></tbody></table>"
    )


def test_the_example_of_scores_at_thresholds() -> None:
    import segmetry as sm

    run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, protocol="stardist")
    assert (
        list(scores_at_thresholds(run))[:2],
        scores_at_thresholds(run)["segment_f1"].details["thresholds"]["0.5"],
    ) == (["segment_accuracy", "segment_f1"], 1.0)
