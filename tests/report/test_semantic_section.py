"""The report of a run about classes of pixels: its own section, and no section about matched segments."""

from __future__ import annotations

import json
import re

import segmetry as sm
from segmetry.report.page import render
from segmetry.report.sections import ABOUT_SEGMENTS, is_semantic


def sections(page: str) -> list[str]:
    return re.findall(r'<section id="(\w+)"', page)


def absent(page: str) -> set[str]:
    """The views that the page leaves out."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert data is not None
    return set(json.loads(data[1])["absent"])


def run(metrics: str | None = None) -> sm.Run:
    true = {"good": [[0, 0, 1, 1]], "b<ad": [[0, 1, 1, 1]]}
    pred = {"good": [[0, 0, 1, 1]], "b<ad": [[1, 1, 1, 0]]}
    return sm.evaluate(true, pred, protocol="semantic", metrics=metrics)


def test_classes_of_pixels_have_their_own_section() -> None:
    page = render([run()], maps="none")
    assert sections(page) == ["semantic"] and absent(page) == ABOUT_SEGMENTS
    part = page[page.index('<section id="semantic"') : page.index("</section>")]
    assert "<th>mIoU</th>" in part and 'alt="Confusion matrix of 2 classes"' in part
    assert "<bdi>b&lt;ad</bdi> 0.0000" in part and "style=" not in part


def test_a_run_about_segments_has_the_sections_about_segments() -> None:
    page = render([run(metrics="pq")], maps="none")
    assert "semantic" not in sections(page) and absent(page) == set()


def test_several_runs_are_shown_one_after_the_other() -> None:
    perfect = sm.evaluate(*({"good": [[0, 0, 1, 1]], "b<ad": [[0, 1, 1, 1]]} for _ in range(2)), protocol="semantic")
    page = render([run(), perfect], maps="none")
    assert page.count('alt="Confusion matrix of 2 classes"') == 2


def test_the_example_of_is_semantic() -> None:
    import segmetry as sm

    labels = {"a": sm.LabelArray.from_classes([[1, 2]])}
    assert [is_semantic([sm.evaluate(labels, labels, metrics=keys)]) for keys in ("mean_iou", "mean_iou,pq")] == [
        True,
        False,
    ]
