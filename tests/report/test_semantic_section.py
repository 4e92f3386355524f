"""The report of a run about classes of pixels: no section about matched segments."""

from __future__ import annotations

import json
import re

import segmetry as sm
from segmetry.report.page import render
from segmetry.report.sections import ABOUT_SEGMENTS, is_semantic


def page_data(page: str) -> dict:
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert data is not None
    return json.loads(data[1])


def run(metrics: str | None = None) -> sm.Run:
    true = {"good": [[0, 0, 1, 1]], "b<ad": [[0, 1, 1, 1]]}
    pred = {"good": [[0, 0, 1, 1]], "b<ad": [[1, 1, 1, 0]]}
    return sm.evaluate(true, pred, protocol="semantic", metrics=metrics)


def test_classes_of_pixels_have_no_partners() -> None:
    data = page_data(render([run()], maps="none"))
    assert set(data["absent"]) == ABOUT_SEGMENTS and data["runs"][0]["agrees_by"] == "classes"


def test_a_run_about_segments_has_the_sections_about_segments() -> None:
    data = page_data(render([run(metrics="pq")], maps="none"))
    assert data["absent"] == []


def test_the_example_of_is_semantic() -> None:
    import segmetry as sm

    labels = {"a": sm.LabelArray.from_classes([[1, 2]])}
    assert [is_semantic([sm.evaluate(labels, labels, metrics=keys)]) for keys in ("mean_iou", "mean_iou,pq")] == [
        True,
        False,
    ]
