"""The frame of the report: pages, addresses, Back, search, filters, keys, widths, paper, and what axe-core says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import segmetry as sm
from segmetry.alignments.breakdown import BySize
from segmetry.diagnosis.error_budget import run_reasons
from segmetry.diagnosis.error_reasons import KIND_BITS
from segmetry.report.page import write_report
from tests.browser.conftest import watched_page
from tests.browser.pages import go
from tests.browser.reports import blobs
from tests.browser.using import eventually, wait_until

TRUE, PRED = blobs(40, seed=11)
SCANNER = {name: "abc"[at % 3] for at, name in enumerate(TRUE)}
SIZES = BySize((20, 60))
PAGES = ("overview", "items", "classes", "errors", "thresholds", "compare", "trust", "metrics", "method")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[sm.Run]:
    folder = tmp_path_factory.mktemp("runs")
    moved = {name: sm.LabelArray(np.roll(side.labels, 1, axis=0), classes=side.classes) for name, side in PRED.items()}
    sides = {"first": PRED, "second": dict(reversed(moved.items()))}
    return [sm.evaluate(TRUE, pred, metrics="pq", out=folder / f"{name}.segm") for name, pred in sides.items()]


@pytest.fixture(scope="module")
def page(runs: list[sm.Run], browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    path = tmp_path_factory.mktemp("report") / "frame.html"
    by = [sm.ByItem("scanner", SCANNER), SIZES]
    write_report(runs, path, title="Two systems", names=["base", "ours"], by=by, maps="none")
    with watched_page(browser, path) as opened:
        yield opened


@pytest.fixture(autouse=True)
def at_the_start(page: Page) -> None:
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 1280, "height": 900})
    address(page, "view=overview")


def address(page: Page, fragment: str) -> None:
    page.evaluate("(fragment) => { location.hash = fragment; }", fragment)
    page.wait_for_selector(f"#page-{view_of(fragment)}[data-open]")
    page.wait_for_selector("html[data-ready]")


def view_of(fragment: str) -> str:
    return parse_qs(fragment)["view"][0]


def state(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).fragment)


def visible(page: Page) -> list[str]:
    return page.locator(".page:visible").evaluate_all("(pages) => pages.map((page) => page.dataset.page)")


def items(page: Page) -> set[str]:
    """The names of the items that pass the filter."""
    page.wait_for_selector("#page-items[data-open]")
    names: set[str] = set()
    while True:
        names |= set(page.locator("#item-table tbody bdi").all_text_contents())
        if not page.locator("#items-after").is_visible() or page.locator("#items-after").is_disabled():
            return names
        page.click("#items-after")


def test_one_page_at_a_time_and_back(page: Page) -> None:
    assert visible(page) == ["overview"]
    assert page.locator("#pages a").evaluate_all("(links) => links.map((link) => link.dataset.page)") == list(PAGES)
    assert page.locator('#pages [data-page="items"] .count').inner_text() == "40"
    for name in PAGES[1:]:
        go(page, name)
        assert visible(page) == [name] and state(page)["view"] == [name]
        assert page.locator(f"#page-{name} section:visible").count() > 0
    for name in reversed(PAGES[:-1]):
        page.go_back()
        page.wait_for_selector(f"#page-{name}[data-open]")
    page.go_forward()
    page.wait_for_selector("#page-items[data-open]")


def test_an_address_says_everything(page: Page, runs: list[sm.Run]) -> None:
    address(page, "view=items&run=ours&rule=iou(above=3/4)&item=image%207&scanner&by.scanner=b&axis=0&slice=3")
    assert page.locator("#run").input_value() == "1" and page.locator("#rule").input_value() == "iou"
    assert page.locator('#controls input[aria-label="γ"]').input_value() == "3/4"
    assert page.locator("#item .item-name").inner_text() == "image 7"
    assert items(page) == {name for name, label in SCANNER.items() if label == "b"}
    page.select_option("#rule", "theta_and")
    assert state(page) == {
        "view": ["items"], "run": ["ours"], "rule": ["theta_and"], "item": ["image 7"], "by.scanner": ["b"],
        "axis": ["0"], "slice": ["3"],
    }  # fmt: skip
    address(page, "view=items&run=nobody&rule=iou(above=9)&item=nothing&slice=x&items=70-90")
    assert page.locator("#run").input_value() == "0" and page.locator("#rule").input_value() == "theta_plus"
    assert items(page) == set() and page.locator("#chip").inner_text().startswith("0 of 40")


def test_another_run_shows_the_same_item_and_filter(page: Page) -> None:
    address(page, "view=items&item=image%207&items=2-9")
    before = items(page)
    page.select_option("#run", "1")
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#item .item-name").inner_text() == "image 7" and items(page) == before
    assert state(page)["run"] == ["ours"]
    page.go_back()
    wait_until(page, "document.querySelector('#run').value === '0'")
    assert items(page) == before and len(before) == 8


def segments(run: sm.Run, wanted: Callable[[str, int, str, str], bool]) -> set[str]:
    """The items with a segment (side, bits of its kinds, class, size) that is wanted."""
    reasons = run_reasons(run)
    tables = run.tables_together
    names: set[str] = set()
    sides = {"true": tables.true, "pred": tables.pred}
    for (word, side), kinds in zip(sides.items(), reasons.kinds_of_segments(), strict=True):
        for at, bits in enumerate(kinds.tolist()):
            size = SIZES.names[np.searchsorted(SIZES.edges, side.sizes[at], side="right")]
            name = tables.class_names[int(side.classes[at])]
            if wanted(word, bits, str(name), size):
                names.add(tables.items[int(side.item[at])].name)
    return names


def test_filters_are_pythons(page: Page, runs: list[sm.Run]) -> None:
    run = runs[0]
    missed, spurious = KIND_BITS["missed"], KIND_BITS["spurious"]
    unmatched = {"true": missed, "pred": spurious}
    pq = {row["item"]: row["pq"] for row in run.items()}
    cases = {
        "class=class 1": segments(run, lambda _, __, name, ___: name == "class 1"),
        "kind=missed": segments(run, lambda side, bits, *_: side == "true" and bool(bits & missed)),
        "kind=spurious&class=class 2": segments(
            run, lambda side, bits, name, _: side == "pred" and bool(bits & spurious) and name == "class 2"
        ),
        f"size={SIZES.names[0]}&kind=missed&kind=spurious": segments(
            run, lambda side, bits, _, size: bool(bits & unmatched[side]) and size == SIZES.names[0]
        ),
        "score=0.2-0.6": {name for name, value in pq.items() if value is not None and 0.2 <= value <= 0.6},
        "by.scanner=a&by.scanner=c": {name for name, label in SCANNER.items() if label != "b"},
        "text=GE 1": {name for name in TRUE if "ge 1" in name},
    }
    for fragment, expected in cases.items():
        address(page, f"view=items&{fragment}")
        assert items(page) == expected and 0 < len(expected) < 40, fragment
        assert page.locator("#chip b").inner_text() == f"{len(expected)} of 40"
        assert page.locator('#pages [data-page="items"] .count').inner_text() == str(len(expected))


def test_the_chip_and_what_shows_all_items(page: Page, runs: list[sm.Run]) -> None:
    address(page, "view=errors&text=image 1")
    assert page.locator("#budget h2 .badge").inner_text() == "all 40 items"
    go(page, "overview")
    page.click("#chip")
    assert not page.locator("#chip").is_visible() and "text" not in state(page)
    go(page, "errors")
    assert page.locator("h2 .badge").count() == 0


def test_the_panel_filters(page: Page, runs: list[sm.Run]) -> None:
    page.click("#filter summary")
    page.locator("#filter").get_by_label("missed segment").check()
    page.locator("#filter").get_by_label("c", exact=True).check()
    page.get_by_label("greatest PQ").fill("0.7")
    page.get_by_label("greatest PQ").press("Enter")
    assert state(page) == {"view": ["overview"], "kind": ["missed"], "by.scanner": ["c"], "score": ["0-0.7"]}
    page.keyboard.press("Escape")
    assert not page.locator("#filter .panel").is_visible()


def test_search_finds_items_classes_and_ids(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("image 31")
    page.keyboard.press("Enter")
    page.wait_for_selector("#page-items[data-open]")
    assert state(page)["item"] == ["image 31"]
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog#item", state="hidden")
    page.keyboard.press("Control+k")
    page.keyboard.type("class 2")
    page.keyboard.press("Enter")
    assert state(page)["class"] == ["class 2"]
    page.keyboard.press("/")
    page.keyboard.type(str(3 * 2**58 + 1))
    assert page.locator("#hits li").first.inner_text().startswith("predicted segment")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("no such thing")
    assert page.locator("#hits").inner_text() == "nothing found"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert "next and the previous item" in page.locator("dialog#keys").inner_text()
    page.keyboard.press("Escape")


def test_few_tab_stops_before_the_content(page: Page) -> None:
    address(page, "view=items&text=image")
    assert page.evaluate("document.querySelector('a, button, input, select, summary').id") == "skip"
    page.focus("#skip")
    stops = 1
    while not page.evaluate("document.activeElement.closest('main') !== null"):
        page.keyboard.press("Tab")
        stops += 1
    assert stops <= 20
    page.focus("#skip")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "views" and state(page)["view"] == ["items"]


@pytest.mark.parametrize("width", [390, 1280, 1440])
def test_no_page_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for name in PAGES:
        go(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    page.click("#large")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#large")


def test_paper_has_every_page_and_every_name(page: Page) -> None:
    page.set_viewport_size({"width": 690, "height": 1000})
    page.emulate_media(media="print")
    wait_until(page, "document.querySelectorAll('.page').length > 8")
    assert len(visible(page)) == 1, "the page that is shown"
    page.emulate_media(media="screen")
    page.evaluate("document.documentElement.toggleAttribute('data-all-pages', true)")
    page.emulate_media(media="print")
    eventually(page, lambda: visible(page) == list(PAGES))
    for names in (
        "#metric-table th",
        "#item-table tbody th",
        "#class-table thead th",
        "[data-corner]",
        ".tile .name",
        ".door",
    ):
        assert page.locator(names).first.is_visible(), names
        assert page.locator(names).first.inner_text().strip() != "", names
    for control in ("#controls", "#search", "#pages", "select", ".pager button"):
        assert not page.locator(control).first.is_visible(), control
    wide = page.evaluate(
        "[...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > 690)"
        ".map((one) => one.closest('section').id)"
    )
    assert set(wide) == set()


def test_dark_is_a_switch(page: Page) -> None:
    page.click("#dark")
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
    page.click("#dark")
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "light"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, theme: str) -> None:
    page.evaluate((files("axe_core_python") / "axe.min.js").read_text("utf-8") + "; undefined")
    rules, pages = ["wcag2a", "wcag2aa", "best-practice"], PAGES
    if theme == "dark":
        rules, pages = ["color-contrast"], ("overview", "classes", "metrics")
        page.click("#dark")
    for name in pages:
        address(page, f"view={name}&text=image")
        found = page.evaluate("(rules) => axe.run({ runOnly: rules }).then((result) => result.violations)", rules)
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == [], name
    if theme == "dark":
        page.click("#dark")
