"""Lines as aligned bars: segments, joints and window penalties are those Python draws and counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

import segmetry as sm
from segmetry.metrics.windows.pk import pk
from segmetry.metrics.windows.sliding_windows import window_size
from segmetry.metrics.windows.window_diff import window_diff
from segmetry.outputs.plots.aligned_bars import COLOURS, draw_bars
from segmetry.outputs.plots.shapes import Line, Rectangle, rgb
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
    page.wait_for_selector(f'#linear .view[data-item="{index}"]')


def reading(page: Page, key: str) -> str:
    return page.locator(f"#linear [data-key={key}]").inner_text().split(" ", 1)[1]


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
                shown = page.locator("#linear [data-windows]").evaluate_all(
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
        shown = page.locator("#linear rect[data-side]").evaluate_all(
            "(list) => list.map((bar) => [getComputedStyle(bar).fill, bar.querySelector('title').textContent])"
        )
        assert shown == [[f"rgb{rgb(shape.fill)}", shape.note] for shape in segments]
        strip = [shape.note for shape in rectangles if "windows of" in (shape.note or "")]
        assert page.locator("#linear [data-windows] title").all_text_contents() == strip
        dashed = [shape for shape in drawn.shapes if isinstance(shape, Line) and shape.dashes]
        assert page.locator("#linear .joint.slanting").count() == len(dashed) - 1  # one is in the legend
    assert f"rgb{rgb(COLOURS[0])}" in {fill for fill, _ in shown}


def test_a_long_line_is_shown_in_parts(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    open_line(page, NAMES.index("long"))
    assert "elements 0 to 399 of 800" in page.locator("#linear .item-facts").inner_text()
    page.get_by_role("button", name="move forward").click()
    page.get_by_role("button", name="zoom in").click()
    assert "elements 300 to 499 of 800" in page.locator("#linear .item-facts").inner_text()
    notes = page.locator("#linear rect[data-side=true] title").all_text_contents()
    assert [re.findall(r"\d+", note)[:2] for note in notes] == [["300", "700"]]
    page.get_by_label("elements shown").fill("5000")
    page.get_by_label("elements shown").press("Enter")
    assert page.get_by_label("elements shown").input_value() == "800"
    assert page.locator("#linear rect[data-side=true]").count() == 8
