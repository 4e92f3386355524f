"""Lines as aligned bars: segments, joints and window penalties are those Python draws and counts."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page

import segmetry as sm
from segmetry.metrics.windows.sliding_windows import window_size
from segmetry.metrics.windows.window_metrics import pk, window_diff
from segmetry.outputs.plots.aligned_bars import draw_bars
from segmetry.outputs.plots.picture import Line, Rectangle, rgb
from tests.browser import scenes
from tests.browser.conftest import OpenReport
from tests.browser.using import choose_rule, open_item

TRUE, PRED = scenes.lines()
NAMES = list(TRUE)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "lines.html"
    sm.evaluate(TRUE, PRED, metrics="pq,pk,window_diff").report(path)
    return path


def open_line(page: Page, index: int) -> None:
    open_item(page, index)
    page.wait_for_selector(f'#item .pictures[data-drawn="{index}"]')


def reading(page: Page, key: str) -> str:
    return page.locator(f"#item [data-key={key}]").inner_text().split(" ", 1)[1]


def written(score: sm.Score) -> str:
    if score.denominator == 0:
        return "–"
    return f"{score.value:.4f} = {score.numerator}/{score.denominator}"


def test_penalties_are_pythons(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    for index, name in enumerate(NAMES):
        open_line(page, index)
        true, pred = TRUE[name], PRED[name]
        box = page.get_by_label("k, gaps in a window")
        assert box.input_value() == str(window_size(true))
        for k in dict.fromkeys((window_size(true), min(3, true.n))):
            box.fill(str(k))
            box.press("Enter")
            for padded in (False, True):
                page.get_by_label("padded").set_checked(padded)
                assert reading(page, "pk") == written(pk(true, pred, k=k, padded=padded))
                assert reading(page, "window_diff") == written(window_diff(true, pred, k=k, padded=padded))
                shown = page.locator("#item [data-windows]").evaluate_all(
                    "(list) => list.reduce((sum, one) => sum + Number(one.dataset.windows), 0)"
                )
                if true.n <= 400 and true.n > 1:
                    assert shown == window_diff(true, pred, k=k, padded=padded).numerator


@pytest.mark.parametrize("rule", ["theta_and", "theta_plus", "iou(above=3/4)"])
def test_bars_are_pythons(report: Path, open_report: OpenReport, rule: str) -> None:
    page = open_report(report, view="items")
    choose_rule(page, rule)
    for index, name in enumerate(NAMES[:5]):
        open_line(page, index)
        drawn = draw_bars([TRUE[name], PRED[name]], rule=rule)
        rectangles = [shape for shape in drawn.shapes if isinstance(shape, Rectangle)]
        segments = [shape for shape in rectangles if (shape.note or "").startswith("[")]
        shown = page.locator("#item rect[data-side]").evaluate_all(
            "(list) => list.map((bar) => [bar.getAttribute('fill'), bar.querySelector('title').textContent])"
        )
        assert [note for _, note in shown] == [shape.note for shape in segments]
        # The colours are those of the graph; which segments have the same one is as in Python.
        wanted = [shape.fill for shape in segments]
        white = [at for at, colour in enumerate(wanted) if rgb(colour) == (255, 255, 255)]
        assert [at for at, (fill, _) in enumerate(shown) if fill == "#ffffff"] == white
        nodes = page.locator("#item .node[data-side=true] rect").evaluate_all(
            "(list) => list.map((node) => [node.parentNode.dataset.at, node.getAttribute('fill')])"
        )
        assert [fill for fill, _ in shown[: len(nodes)]] == [fill for _, fill in sorted(nodes, key=lambda n: int(n[0]))]
        strip = [shape.note for shape in rectangles if "windows of" in (shape.note or "")]
        assert page.locator("#item [data-windows] title").all_text_contents() == strip
        dashed = [shape for shape in drawn.shapes if isinstance(shape, Line) and shape.dashes]
        assert page.locator("#item .joint.slanting").count() == len(dashed) - 1  # one is in the legend


def test_a_long_line_is_shown_in_parts(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    open_line(page, NAMES.index("long"))
    assert "elements 0 to 399 of 800" in page.locator("#item .line-description").inner_text()
    page.get_by_role("button", name="move forward").click()
    page.get_by_role("button", name="zoom in").click()
    assert "elements 300 to 499 of 800" in page.locator("#item .line-description").inner_text()
    notes = page.locator("#item rect[data-side=true] title").all_text_contents()
    assert [re.findall(r"\d+", note)[:2] for note in notes] == [["300", "700"]]
    page.get_by_label("elements shown").fill("5000")
    page.get_by_label("elements shown").press("Enter")
    assert page.get_by_label("elements shown").input_value() == "800"
    assert page.locator("#item rect[data-side=true]").count() == 8


def test_a_line_names_its_unit_and_says_that_padded_windows_reach_beyond_it(
    tmp_path: Path, open_report: OpenReport
) -> None:
    ends = ((2.5, 3, 4, 20), (2.5, 4, 20))
    song = [sm.Spans.from_seconds(pairwise((0, *side))) for side in ends]
    sm.evaluate({"song": song[0]}, {"song": song[1]}, metrics="pq").report(tmp_path / "song.html")
    page = open_report(tmp_path / "song.html", view="items")
    open_line(page, 0)
    assert "2.5 seconds" in page.locator("#item rect[data-side=true] title").first.text_content()
    assert page.locator("#item .aligned text").first.text_content() == "seconds"
    assert "reach beyond both ends" in page.locator("#item .line-description").inner_text()
    page.get_by_label("padded").set_checked(False)
    assert "reach beyond both ends" not in page.locator("#item .line-description").inner_text()
    assert page.locator("#item .graph-fold").get_attribute("open") is None
    page.locator("#item .error-list button").first.click()
    assert " of 200" in page.locator("#item .line-description").inner_text()
