"""An item over the page: it opens in place and closes to where one was; photographs, zoom, colours, swipe, slices."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

import segmetry as sm
from segmetry.outputs.plots.budget_plot import COLOURS
from segmetry.outputs.plots.picture import rgb
from segmetry.report.item_pictures import worst_first
from segmetry.report.page import write_report
from tests.browser import scenes
from tests.browser.conftest import OpenReport
from tests.browser.using import eventually, open_item, pixels, wait_for_frames, wait_for_pictures, wait_until

TRUE, PRED = scenes.street_like(6)
NAMES = [f"scene {at}" for at in range(6)]
TRUE = dict(zip(NAMES, TRUE.values(), strict=True))
PRED = dict(zip(NAMES, PRED.values(), strict=True))
GREEN = (20, 200, 40)


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("images")
    for name in NAMES:
        Image.new("RGB", (96, 72), GREEN).save(folder / f"{name}.png")
    return folder


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, images: Path) -> Path:
    shifted = {
        name: sm.LabelArray(np.roll(side.labels, 2, axis=1), classes=side.classes) for name, side in PRED.items()
    }
    folder = tmp_path_factory.mktemp("report")
    runs = [
        sm.evaluate(TRUE, pred, metrics="pq", out=folder / f"{name}.segm")
        for name, pred in (("first", PRED), ("second", shifted))
    ]
    write_report(runs, folder / "both.html", images=images, true=TRUE, pred=[PRED, shifted])
    return folder / "both.html"


def large(page: Page) -> np.ndarray:
    """The pixels of the large picture without its buttons and the names of runs."""
    wait_until(page, "document.querySelector('canvas.large')?.dataset.drawn")
    page.mouse.move(3, 3)
    wait_for_frames(page)
    picture = Image.open(io.BytesIO(page.locator("canvas.large").screenshot())).convert("RGB")
    return np.asarray(picture)[8:-48, 8:-72]


def wait_for_zoom(page: Page, condition: str) -> None:
    """Wait until the zoom of the large picture is, say, "> 1.2"."""
    wait_until(page, f"Number(document.querySelector('canvas.large').dataset.zoom) {condition}")
    wait_for_frames(page)


def is_drawn(page: Page, wanted: np.ndarray) -> bool:
    """Whether the picture of the truth has colour where it should."""
    return np.array_equal(pixels(page, "truth")[..., 3] > 0, wanted)


def only(page: Page, layer: str) -> None:
    """Show a layer without outlines and names."""
    page.get_by_label("show", exact=True).select_option(layer)
    for name in ("true outlines", "predicted outlines", "names"):
        page.get_by_label(name).set_checked(False)
    page.wait_for_selector(f'#item .pictures[data-layer="{layer}"]')


def test_an_item_opens_in_place_and_closes_to_where_one_was(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items", viewport={"width": 1000, "height": 420})
    tile = page.locator("#gallery .tile").nth(4)
    tile.scroll_into_view_if_needed()
    before = page.evaluate("[scrollX, scrollY]")
    index = tile.get_attribute("data-item")
    tile.focus()
    page.keyboard.press("Enter")
    dialog = page.locator("#item")
    expect(dialog).to_be_visible()
    assert page.locator("#item .view").get_attribute("data-item") == index
    assert "item=" in page.evaluate("location.hash")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert "item=" not in page.evaluate("location.hash")
    assert page.evaluate("[scrollX, scrollY]") == before
    assert page.evaluate("document.activeElement.dataset.item") == index
    tile.click()
    page.get_by_role("button", name="close").click()
    expect(dialog).to_be_hidden()
    assert page.evaluate("[scrollX, scrollY]") == before
    tile.click()
    expect(dialog).to_be_visible()
    page.go_back()
    expect(dialog).to_be_hidden()


def test_rows_and_keys_open_items_too_and_a_link_shows_the_same(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    page.locator("#item-table tbody button").first.click()
    expect(page.locator("#item")).to_be_visible()
    name = page.locator("#item .item-name").inner_text()
    assert name.startswith("scene") and name.endswith(".png"), "a photograph names its item"
    again = open_report(report, view=f"items{page.evaluate('location.hash.replace(/^#view=items/, String())')}")
    expect(again.locator("#item .item-name")).to_have_text(name)
    again.keyboard.press("ArrowRight")
    expect(again.locator("#item .item-name")).not_to_have_text(name)
    again.keyboard.press("ArrowLeft")
    expect(again.locator("#item .item-name")).to_have_text(name)
    again.keyboard.press("Escape")
    again.keyboard.press("j")
    expect(again.locator("#item .item-facts")).to_contain_text("1 of 6, worst first")


def test_the_photograph_lies_under_the_masks(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    open_item(page, 2)
    only(page, "photograph")
    grey = large(page)
    assert np.ptp(grey[grey.shape[0] // 2, grey.shape[1] // 2].astype(int)) == 0, "no colours but those of errors"
    page.get_by_label("photograph in colour").check()
    shown = large(page)
    middle = shown[shown.shape[0] // 2, shown.shape[1] // 2].astype(int)
    assert np.abs(middle - GREEN).max() < 8
    only(page, "truth")
    page.get_by_label("opacity").fill("1")
    assert not (np.abs(large(page)[::7, ::7].astype(int) - GREEN).max(axis=-1) < 8).any()
    page.get_by_label("opacity").fill("0")
    assert (np.abs(large(page)[::7, ::7].astype(int) - GREEN).max(axis=-1) < 8).mean() > 0.4


def in_graph(page: Page) -> set[str]:
    """The colours of true segments in the graph."""
    fills = "(list) => list.map((node) => node.getAttribute('fill'))"
    return set(page.locator("#item .node[data-side=true] rect").evaluate_all(fills))


def in_panel(page: Page) -> set[tuple[int, ...]]:
    """The colours of the picture of the truth."""
    return set(map(tuple, pixels(page, "truth")[..., :3].reshape(-1, 3).tolist()))


def test_colours_by_error_kind_class_and_segment(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    open_item(page, 2)
    only(page, "truth")
    fills = {}
    for mode in ("kind", "class", "segment"):
        page.get_by_label("colour by").select_option(mode)
        wait_for_frames(page)
        eventually(page, lambda: {rgb(colour) for colour in in_graph(page)} <= in_panel(page))  # they agree
        fills[mode] = in_graph(page)
        assert page.locator("#item .legend").inner_text().strip()
    assert fills["kind"] & set(COLOURS.values())
    names = page.locator("#item .node[data-side=true] text").all_text_contents()
    assert len(fills["class"]) == len({name.split()[0] for name in names}) < len(names)
    assert len(fills["segment"]) > len(fills["class"])


def test_wheel_keys_and_buttons_zoom_and_pixels_stay_crisp(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    open_item(page, 2)
    only(page, "prediction")
    page.get_by_label("photograph in colour").check()
    page.get_by_label("opacity").fill("1")
    wait_for_zoom(page, "=== 1")
    box = page.locator("canvas.large").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -100)
    wait_for_zoom(page, "> 1.2")
    page.get_by_role("button", name="whole picture").click()
    wait_for_zoom(page, "=== 1")
    page.locator("canvas.large").focus()
    for _ in range(5):
        page.keyboard.press("+")
    wait_for_zoom(page, "> 4")
    before = large(page)
    page.keyboard.press("ArrowRight")
    after = large(page)
    assert (before != after).any()
    panel = {tuple(colour) for colour in pixels(page, "prediction")[..., :3].reshape(-1, 3).tolist()}
    inner = after[60:-60:3, 200:-200:3].reshape(-1, 3)
    colours, counts = np.unique(inner, axis=0, return_counts=True)
    crisp = sum(count for colour, count in zip(colours.tolist(), counts, strict=True) if tuple(colour) in panel)
    outside = np.abs(inner.astype(int) - GREEN).max(axis=-1) < 8
    assert crisp + outside.sum() == len(inner), "no colour lies between those of two elements"
    page.keyboard.press("0")
    wait_for_zoom(page, "=== 1")
    page.get_by_role("button", name="crop to the segments").click()
    page.locator("#item .error-list button").last.click()
    wait_for_zoom(page, "> 1.2")


def test_two_fingers_zoom_and_one_moves(report: Path, open_report: OpenReport) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = open_report(report, view="items", **phone)
    open_item(page, 2)
    wait_until(page, "document.querySelector('canvas.large')?.dataset.drawn")
    wait_for_zoom(page, "=== 1")
    page.locator("canvas.large").scroll_into_view_if_needed()
    box = page.locator("canvas.large").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    browser = page.context.new_cdp_session(page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": across, "y": down, "id": finger} for finger, (across, down) in enumerate(places)]
        browser.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (x - 20, y), (x + 20, y))
    for apart in (30, 40, 60):
        touch("touchMove", (x - apart, y), (x + apart, y))
    touch("touchEnd")
    wait_for_zoom(page, "> 2.5")
    assert page.evaluate("visualViewport.scale") == 1, "the picture is zoomed, not the page"
    before = large(page)
    touch("touchStart", (x, y))
    for by in (15, 30, 45):
        touch("touchMove", (x + by, y + by))
    touch("touchEnd")
    wait_for_frames(page)
    assert (before != large(page)).any()
    touch("touchStart", (x - 60, y), (x + 60, y))
    for apart in (40, 20, 10):
        touch("touchMove", (x - apart, y), (x + apart, y))
    touch("touchEnd")
    wait_for_zoom(page, "=== 1")


def test_two_runs_are_swiped_on_one_image(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items")
    open_item(page, 3)
    only(page, "prediction")
    page.get_by_label("opacity").fill("1")
    page.get_by_label("swipe against").select_option(label="second")
    page.wait_for_selector("#item .run-names bdi")
    page.get_by_label("position of the line between the runs").fill("1")
    alone = large(page)
    page.get_by_label("position of the line between the runs").fill("0.5")
    assert page.locator("#item .run-names bdi").all_inner_texts() == ["first", "second"]
    both = large(page)
    half = (both.shape[1] + 80) // 2 - 8
    assert (both[:, : half - 6] == alone[:, : half - 6]).all() and (both[:, half + 6 :] != alone[:, half + 6 :]).any()
    page.get_by_label("position of the line between the runs").fill("0.9")
    moved = large(page)
    edge = int((both.shape[1] + 80) * 0.9) - 8
    assert (moved[:, : edge - 6] == alone[:, : edge - 6]).all()
    page.keyboard.press("j")
    expect(page.locator("#item .run-names bdi").first).to_have_text("first")


def volume() -> tuple[np.ndarray, np.ndarray]:
    true = np.zeros((20, 16, 6), dtype=int)
    true[4:16, 3:12, 1:5] = 1
    true[4:8, 12:15, 3:5] = 2
    pred = true.copy()
    pred[:, :, 4] = 0
    pred[true == 2] = 0
    return true, pred


def test_a_volume_is_cut_along_three_axes_and_opens_at_its_worst_slice(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = volume()
    sides: Any = [{"v": sm.LabelArray(side, spacing=(2.0, 2.0, 5.0), unit="mm")} for side in (true, pred)]
    sm.evaluate(*sides, metrics="pq").report(tmp_path / "volume.html")
    page = open_report(tmp_path / "volume.html", view="items")
    open_item(page, 0)
    position = page.locator("#item .slices output")
    wait_for_pictures(page, 0, "theta_plus", 4)
    expect(position).to_have_text("slice 5 of 6 · 20 mm")
    page.locator("canvas.large").hover()
    page.mouse.wheel(0, -100)
    expect(position).to_have_text("slice 4 of 6 · 15 mm")
    assert "slice=3" in page.evaluate("location.hash")
    for axis, words in (("0", r"slice \d+ of 20 · \d+ mm"), ("1", r"slice \d+ of 16 · \d+ mm")):
        page.get_by_label("cut along").select_option(axis)
        wait_until(page, f"/^{words}$/.test(document.querySelector('#item .slices output').textContent)")
        place = int(page.get_by_role("slider", name="slice").input_value())
        wrong = (true != pred).sum(axis=tuple({0, 1, 2} - {int(axis)}))
        assert wrong[place] == wrong.max()
        wanted = np.moveaxis(true, 2, 0)[:, place] if axis == "0" else np.moveaxis(true, 2, 0)[:, :, place]
        eventually(page, partial(is_drawn, page, wanted > 0))
    page.locator("#item .error-list button").first.click()
    expect(position).to_contain_text("of 6")
    link = page.evaluate("location.hash")
    again = open_report(tmp_path / "volume.html", view=link.removeprefix("#view="))
    expect(again.locator("#item .slices output")).to_have_text(position.inner_text())


def test_hostile_names_stay_inert_and_photographs_stay_in_their_budget(tmp_path: Path, open_report: OpenReport) -> None:
    name = "</script><img src=x onerror=\"document.title='broken'\">"
    noise = np.random.default_rng(1).integers(0, 256, (360, 480, 3), dtype=np.uint8)
    (tmp_path / "images").mkdir()
    for at in range(4):
        Image.fromarray(noise).save(tmp_path / "images" / f"{at}.png")
    labels = np.repeat([1, 2, 3, 4], 432).reshape(36, 48)
    classes = {1: name, 2: "b", 3: "c", 4: "d"}
    true = {str(at): sm.LabelArray(labels, classes=classes) for at in range(4)}
    pred = {str(at): sm.LabelArray(np.roll(labels, 3, 0), classes=classes) for at in range(4)}
    run = sm.evaluate(true, pred, metrics="pq")
    run.report(tmp_path / "small.html", images=tmp_path / "images", image_budget=0.05)
    text = (tmp_path / "small.html").read_text("utf-8")
    parts = [part.split("<", 1)[0] for part in text.split('id="photo-')[1:]]
    assert len(parts) == 4 and sum(map(len, parts)) < 51_000
    page = open_report(tmp_path / "small.html", view="items")
    open_item(page, worst_first(run)[0])
    page.get_by_label("show", exact=True).select_option("truth")
    page.get_by_label("colour by").select_option("class")
    expect(page.locator("#item .legend bdi").first).to_have_text(name)
    assert page.title() != "broken" and page.locator("img[src=x]").count() == 0


def test_it_fits_a_phone(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, view="items", viewport={"width": 390, "height": 844})
    open_item(page, 2)
    wait_for_pictures(page, 2, "theta_plus")
    box = page.locator("#item").bounding_box()
    assert box is not None and box["width"] <= 390
    assert page.evaluate("document.querySelector('#item').scrollWidth <= document.querySelector('#item').clientWidth")
