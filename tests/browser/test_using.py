"""The page in use: sorting, brushing, the keyboard, dark mode, print, copying; and pictures of it to look at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS
from segmetry.report.page import write_report
from tests.browser.conftest import OpenReport
from tests.browser.pages import go
from tests.browser.printed import number
from tests.browser.reports import blobs, item_cells, report_of, shown


@pytest.fixture(scope="module")
def run() -> sm.Run:
    return sm.evaluate(*blobs(40, seed=11), metrics="panoptic,clustering")


@pytest.fixture(scope="module")
def report(run: sm.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report_of(run, tmp_path_factory.mktemp("report"), "using.html")


def _column(page: Any, table: str, at: int) -> list[str]:
    names: list[str] = page.evaluate(
        f"[...document.querySelectorAll('{table} tbody tr')].map(row => row.cells[{at}].innerText)"
    )
    return names


def test_tables_sort_both_ways_with_undefined_last(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    for expected in ("ascending", "descending"):
        if page.locator('#item-table [data-sort="sq"]').get_attribute("aria-sort") != expected:
            page.click('#item-table [data-sort="sq"] button')
        assert page.locator('#item-table [data-sort="sq"]').get_attribute("aria-sort") == expected
        values = [float(text) for text in _column(page, "#item-table", 2) if text != "–"]
        assert len(values) > 5 and values == sorted(values, reverse=expected == "descending")
    go(page, "classes")
    values = [float(text) for text in _column(page, "#class-table", 2)]
    assert len(values) == 3 and values == sorted(values), "the worst class is first"
    page.click('#class-table [data-sort="pq"] button')
    assert [float(text) for text in _column(page, "#class-table", 2)] == values[::-1]
    page.click('#class-table [data-sort="n_missed"] button')
    assert page.locator('#class-table [data-sort="n_missed"]').get_attribute("aria-sort") == "descending"
    page.click('#class-table [data-sort="name"] button')
    assert _column(page, "#class-table", 0) == ["class 0", "class 1", "class 2"]


def test_a_rectangle_and_a_corner_select_items(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    page.click("text=one dot per item")
    good = int(shown(page, "[data-corner=good] b")[0])
    page.click("[data-corner=good]")
    assert len(item_cells(page)) == good
    go(page, "trust")
    assert f"{good} of 40 items" in page.locator(".card.live").inner_text()
    go(page, "items")
    page.click("text=select all items again")
    assert len(item_cells(page)) == 40
    page.locator("#scatter .stage").scroll_into_view_if_needed()
    box = page.locator("#scatter .stage svg").bounding_box()
    assert box is not None
    # From the middle of the plot to its top right corner: precision and recall of at least one half.
    left, top = (52 + 246) / 560, (12 + 232) / 520
    page.mouse.move(box["x"] + left * box["width"], box["y"] + top * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 2, steps=4)
    page.mouse.up()
    brushed = item_cells(page)
    assert good <= len(brushed) < 40
    chosen = run.data.only(brushed)
    mean = chosen.score("pq", chosen.average_of_items("pq")).value
    go(page, "trust")
    assert shown(page, ".card.live [data-aggregate=by_item] [data-key=pq]") == [number(mean)]


def test_everything_is_reached_by_keyboard(report: Path, open_report: OpenReport) -> None:
    page = open_report(report)
    views: set[str] = set()
    for name in page.locator("#pages a").evaluate_all("(links) => links.map((link) => link.dataset.page)"):
        go(page, name)
        page.evaluate("document.activeElement.blur()")
        views |= _walked(page)
    assert {
        "top",
        "first-screen",
        "scatter",
        "classes",
        "disagree",
        "gallery",
        "metrics",
        "curves",
        "method",
    } <= views
    assert {"rule", "threshold", "pi", "copy-json"} <= views
    go(page, "trust")
    page.focus("#rule")
    page.keyboard.press("ArrowDown")
    assert page.locator(".card.live").get_attribute("data-rule") == "theta_and"


def _walked(page: Any) -> set[str]:
    """Press Tab until the page begins again: the sections and elements that had the focus, each with a ring."""
    reached: set[str] = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        where = page.evaluate(
            "[document.activeElement.closest('section, header, #pages')?.id ?? '', document.activeElement.id,"
            " [document.activeElement, ...document.activeElement.querySelectorAll('rect')]"
            "   .map(one => getComputedStyle(one).outlineStyle + getComputedStyle(one).strokeWidth).join()]"
        )
        if where[0] == "" and reached:
            break
        reached |= set(where[:2])
        marked = "solid" in where[2] or "auto" in where[2] or "none3px" in where[2]
        assert where[0] == "" or marked, f"no ring round what has the focus: {where}"
    return reached


def test_declarations_explain_and_json_is_copied(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="metrics", permissions=["clipboard-read", "clipboard-write"])
    button = page.locator("[data-metric=pq] button")
    assert button.get_attribute("title") == METRICS["pq"].summary
    button.click()
    below = page.locator("[data-metric=pq] + .below")
    assert METRICS["pq"].summary in below.inner_text() and "Kirillov" in below.inner_text()
    assert below.locator("math mfrac").count() >= 1
    link = below.locator("a").first
    assert (link.get_attribute("href") or "").startswith("https://doi.org/10.")
    assert link.get_attribute("rel") == "noreferrer noopener"
    page.click("#copy-json")
    page.wait_for_selector("#metrics output:has-text('copied')")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["scores"]["theta_plus"]["pq"]["by_item"]["value"] == run.summary()["pq"].over_items.value
    assert copied["run"]["content"] == run.content_digest()


def test_how_it_was_computed(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="method")
    page.click("#how summary")
    text = page.locator("#how").inner_text()
    assert "seed 2024" in text and "Kirillov" in text and page.locator("#how math").count() >= 3
    assert run.content_digest() in page.locator("#method").inner_text()


def _brightness(page: Any) -> float:
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return float(np.mean([int(part) for part in colour[4:-1].split(",")]))


def test_light_dark_and_print(report: Path, open_report: OpenReport, screenshots: Path) -> None:
    light = open_report(report)
    light.screenshot(path=screenshots / "light.png", full_page=True)
    dark = open_report(report, color_scheme="dark")
    dark.screenshot(path=screenshots / "dark.png", full_page=True)
    assert _brightness(light) > 230 and _brightness(dark) < 50
    narrow = open_report(report, viewport={"width": 800, "height": 900})
    narrow.screenshot(path=screenshots / "narrow.png", full_page=True)
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 800
    dark.emulate_media(media="print", color_scheme="dark")
    assert _brightness(dark) == 255 and not dark.locator("#controls").is_visible()
    dark.pdf(path=screenshots / "print.pdf")
    assert (screenshots / "print.pdf").stat().st_size > 10_000


def test_several_runs(tmp_path: Path, open_report: OpenReport, screenshots: Path) -> None:
    true, pred = blobs(20, seed=2)
    shifted = {
        name: sm.LabelArray(np.roll(side.labels, 1, axis=0), classes=side.classes) for name, side in pred.items()
    }
    paths = [tmp_path / "first.segm", tmp_path / "second.segm"]
    runs = [
        sm.evaluate(true, prediction, metrics="panoptic", out=path)
        for prediction, path in zip((pred, shifted), paths, strict=True)
    ]
    write_report(runs, tmp_path / "two.html")
    page = open_report(tmp_path / "two.html", view="compare")
    page.select_option('#runs select[aria-label="average"]', "by_item")
    for rule in ("theta_and", "theta_plus"):
        page.select_option("#rule", rule)
        comparison = sm.compare(*runs, metrics="pq", rule=rule)
        average = next(name for name in comparison.averages("pq") if name.startswith("by_item"))
        difference = comparison.difference("pq", average)
        low, high = difference.interval.best
        row = '#differences [data-first="first"][data-second="second"]'
        assert shown(page, f"{row} [data-cell=difference]") == [number(difference.value)]
        assert shown(page, f"{row} [data-cell=interval]") == [f"{number(low)} to {number(high)}"]
        assert shown(page, f"{row} [data-cell=detect]") == [number(difference.detectable)]
        for name, run in zip(("first", "second"), runs, strict=True):
            value = run.rescore(rule).summary()["pq"].over_items.value
            assert shown(page, f'#runs [data-run="{name}"] .value') == [number(value)]
    page.screenshot(path=screenshots / "runs.png", full_page=True)
    page.select_option("#run", "1")
    page.select_option("#rule", "theta_plus")
    go(page, "trust")
    value = runs[1].summary()["pq"].over_items.value
    assert shown(page, ".card.live [data-aggregate=by_item] [data-key=pq]") == [number(value)]
